# flute.mk: from a layout and its kernels to a simulated result. docs/make.md tells how to use it.
#
#   bench.paint -> bench.obj bench.map bench-listing.json      paint, milink, weight
#               -> bench.img                                   a copy; a project may say otherwise
#               -> bench.elf -> bench-sim.core bench-sim.log   mielf, simfabric, elfmi
#
# The user sets PAINTVARS, PAINTFLAGS, SIMFLAGS, MODE, and may use the variables below.

SHELL := /bin/bash

# The commands of the tree this file belongs to come first: users' recipes call paint, miset and python bare.
FLUTETREE := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
ifeq ($(filter $(FLUTETREE)/bin,$(firstword $(subst :, ,$(PATH)))),)
export PATH := $(FLUTETREE)/bin:$(PATH)
endif

MODE ?= sim
ARCH ?= sdr
CYCLES ?= 1000000
THREADS ?= 1
SIMFABRIC ?= simfabric
# The directory of the user's Makefile: `.` there, `..` in the directory of a test.
TOP ?= $(patsubst %/,%,$(dir $(firstword $(MAKEFILE_LIST))))

# Values go to the shell as they are: they may be shell arithmetic with blanks.
FLUTESETS = $(foreach v,$(PAINTVARS),set=$v=$($v))
FLUTELIBS = lib=. $(addprefix lib=,$(subst :, ,$(VPATH)))
# An option that SIMFLAGS or SIMOPTS gives is not given again.
FLUTESIMWORDS = $(SIMFLAGS) $(SIMOPTS) $(foreach o,cycles=$(CYCLES) threads=$(THREADS),$\
  $(if $(filter $(firstword $(subst =, ,$o))=%,$(SIMFLAGS) $(SIMOPTS)),,$o))

# Every layout in sight, and what is made of it. SECONDARY: kept, yet not made again only because it is missing.
FLUTESTEMS := $(sort $(basename $(notdir $(wildcard *.paint $(addsuffix /*.paint,$(subst :, ,$(VPATH)))))))
FLUTEPAINTED := $(foreach s,$(FLUTESTEMS),$s.obj $s.map $s-listing.json)
FLUTEPRODUCTS = $(FLUTEPAINTED) $(foreach s,$(FLUTESTEMS),$s.d $s.img $s.elf $s.elf-core $(wildcard $s-*.core $s-*.log))
.SECONDARY: $(or $(FLUTEPAINTED),.flute)
.DELETE_ON_ERROR:

%.obj %.map %-listing.json: %.paint
	paint source=$< $(PAINTFLAGS) $(PAINTOPTS) $(FLUTELIBS) $(FLUTESETS) \
	  image=$*.obj map=$*.map listing=$*-listing.json depfile=$*.d nolink \
	  toolname w carbide toolname yeti carbide
	milink image=$*.obj out=$*.obj map=$*.map
	weight image=$*.obj map=$*.map

%.img: %.obj
	cp $< $@

%.elf: %.img
	mielf image=$< elf=$@

# A log is of most use when the run failed, so it stays then, too old to count as made.
define FLUTESIMULATE
.PRECIOUS: %-$(1).log
%-$(1).core %-$(1).log: %.elf
	$$(SIMFABRIC) elf=$$< core=$$*.elf-core $$(FLUTESIMWORDS) > $$*-$(1).log \
	  || { code=$$$$?; touch -d @0 $$*-$(1).log; rm -f $$*.elf-core; exit $$$$code; }
	elfmi image=$$*-$(1).core elf=$$*.elf-core
	rm -f $$*.elf-core
endef
$(foreach m,$(sort sim $(MODE)),$(eval $(call FLUTESIMULATE,$m)))

# What paint read the last time: an edited kernel, import or include makes the layout again. A file that is gone
# since then gets an empty rule, which makes the layout again too. None of these is to become the default goal.
FLUTEGOAL := $(.DEFAULT_GOAL)
FLUTEDEPENDS := $(wildcard $(addsuffix .d,$(FLUTESTEMS)))
-include $(FLUTEDEPENDS)
FLUTEGONE := $(foreach f,$(if $(FLUTEDEPENDS),$(filter-out %: \,$(shell cat $(FLUTEDEPENDS)))),$(if $(wildcard $f),,$f))
$(sort $(FLUTEGONE)):
.DEFAULT_GOAL := $(FLUTEGOAL)
