# test.mk: runs the rows of test.rc, each in a directory of its own. docs/make.md tells how to use it.
#
#   make [check] [TEST=pattern|row number] [K=V ...]    make test-LABEL/FILE    make cleanup
#
# A row is `word ... label K=V ...`. Its directory is test-LABEL, or test-ROW where rows share a label.

SHELL := /bin/bash
TESTTREE := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
TEST ?= *
TESTGOAL ?= test
# Lines of make-log that go to the terminal too (an extended regular expression).
TESTSHOW ?= ^result:

.PHONY: check cleanup test FORCE
.DEFAULT_GOAL := check
FORCE:

# Row number, label and names of its variables, joined by commas, for each row: `1,small,N,ARCH`.
define TESTLIST
awk '{ sub(/\r$$/, "") } /^[ \t]*(#|$$)/ { next } { n++; label = n; keys = ""; i = 1;
  while (i <= NF && $$i !~ /^[A-Za-z_][A-Za-z_0-9]*=/) { if ($$i ~ /^#/) break; label = $$i; i++ }
  for (; i <= NF; i++) if ($$i ~ /^[A-Za-z_][A-Za-z_0-9]*=/) { k = $$i; sub(/=.*/, "", k); keys = keys "," k }
  print n "," label keys }' test.rc
endef
TESTCOMMA := ,
TESTWORDS = $(subst $(TESTCOMMA), ,$1)
TESTROWS := $(if $(wildcard test.rc),$(shell $(TESTLIST)))
TESTLABELS := $(foreach r,$(TESTROWS),$(word 2,$(call TESTWORDS,$r)))
# Labels that are numbers, or that rows share, give way to the row's number.
TESTSHARED := $(foreach l,$(sort $(TESTLABELS)),$(if $(filter-out 1,$(words $(filter $l,$(TESTLABELS)))),$l))
TESTNUMBERS := $(foreach l,$(TESTLABELS),$(if $(shell [[ '$l' =~ ^[0-9]+$$ ]] && echo 1),$l))
TESTDIR = test-$(if $(filter $(word 2,$1),$(TESTSHARED) $(TESTNUMBERS)),$(word 1,$1),$(word 2,$1))
TESTDIRS := $(foreach r,$(TESTROWS),$(call TESTDIR,$(call TESTWORDS,$r)))

TESTQUOTED = $(foreach t,$(TEST),'$(subst ','\'',$t)')

# The chosen rows: a number is a row, anything else a shell pattern for labels.
define TESTCHOOSE
set -f; for row in $(TESTROWS); do IFS=, read -r n label _ <<< "$$row"; for t in $(TESTQUOTED); do
  if [[ $$t =~ ^[0-9]+$$ ]]; then [[ $$t == "$$n" ]]; else [[ $$label == $$t ]]; fi && { echo "$$row"; break; };
done; done
endef
TESTCHOSEN := $(if $(TESTROWS),$(shell $(TESTCHOOSE)))
TESTNOW := $(foreach r,$(TESTCHOSEN),$(word 1,$(call TESTWORDS,$r)))

# The user's Makefile as seen from a test's directory, and where the tools are, for a sub-make in another directory.
TESTMAKEFILE := $(firstword $(MAKEFILE_LIST))
TESTFROMROW := $(if $(filter /%,$(TESTMAKEFILE)),$(TESTMAKEFILE),../$(TESTMAKEFILE))
TESTTOOLS = SYSROOT='$(TESTTREE)' $(if $(FLUTEMK),FLUTEMK='$(abspath $(FLUTEMK))') $(if $(TESTMK),TESTMK='$(abspath $(TESTMK))')
# What stands on the command line wins over the row: the row's word is left out then.
TESTDROP = $(foreach k,$(wordlist 3,999,$1),$(if $(filter command,$(firstword $(origin $k))),$k))

# $(call TESTRUN,row number,directory,names to drop,goals): the row's words as the shell reads them, then the sub-make.
# Products that someone made in the project directory itself are older than everything from now on, since VPATH
# would take them for the row's.
define TESTRUN
row=$$(awk '{ sub(/\r$$/, "") } /^[ \t]*(#|$$)/ { next } ++n == $1' test.rc); set -f; eval "set -- $$row"; set +f; \
words=(); for w in "$$@"; do k=$${w%%=*}; [[ $$w == *=* && " $3 " != *" $$k "* ]] && words+=("$$w"); done; \
old=($(wildcard $(FLUTEPRODUCTS))); [[ $${#old[@]} == 0 ]] || touch -c -d @0 "$${old[@]}"; \
$(MAKE) -f $(TESTFROMROW) -C $2 VPATH=.. $(TESTTOOLS) "$${words[@]}" $4
endef

# $(call TESTRULES,row number,directory,names to drop)
define TESTRULES
.PHONY: testrow-$1 testfiles-$1
testrow-$1:
	@rm -rf $2 && mkdir $2
	+@[[ -d $2 ]] || exit 0; if ( $$(call TESTRUN,$1,$2,$3,TEST='$$(TEST)' $$(TESTGOAL)) ) > $2/make-log 2>&1; \
	then result=PASS; else result=FAIL; fi; \
	if grep -q "Nothing to be done for '$(TESTGOAL)'" $2/make-log; then result=FAIL; fi; echo $$$$result > $2/result; \
	$(if $(TESTSHOW),grep -E '$$(TESTSHOW)' $2/make-log;) \
	cycles=$$$$(grep -ohE '\bcycles=[0-9]+' $2/*.log 2> /dev/null | tail -n 1); \
	echo "$$$$result $2$$$${cycles:+: $$$${cycles#cycles=} cycles}"; \
	if [[ $$$$result == FAIL ]]; then echo "  the end of $2/make-log:"; tail -n 20 $2/make-log | sed 's/^/  | /'; fi
testfiles-$1:
	@mkdir -p $2
	+@$$(call TESTRUN,$1,$2,$3,$$(patsubst $2/%,%,$$(filter $2/%,$$(MAKECMDGOALS))))
$(if $(filter $2/%,$(MAKECMDGOALS)),$(filter $2/%,$(MAKECMDGOALS)): testfiles-$1 ;)
$2/%: FORCE
	@mkdir -p $2
	+@$$(call TESTRUN,$1,$2,$3,$$*)
endef
$(foreach r,$(TESTROWS),$(eval $(call TESTRULES,$(word 1,$(call TESTWORDS,$r)),$\
  $(call TESTDIR,$(call TESTWORDS,$r)),$(call TESTDROP,$(call TESTWORDS,$r)))))

# Child directories that hold a Makefile are projects of their own. `.testfailed` collects those that failed, and
# `.testcount`, in the directory where make was called, how many rows each directory chose.
TESTCHILDREN := $(filter-out test-%,$(patsubst %/Makefile,%,$(wildcard */Makefile)))
TESTCOUNT := $(or $(TESTINNER),$(CURDIR)/.testcount)
.PHONY: testbegin $(TESTCHILDREN:%=testchild-%)
testbegin:
	@rm -f .testfailed $(if $(TESTINNER),,.testcount)
$(TESTCHILDREN:%=testchild-%): testchild-%: testbegin
	+@echo "$*:"; $(MAKE) --no-print-directory -C $* $(TESTTOOLS) TEST='$(TEST)' TESTINNER='$(TESTCOUNT)' check \
	  || echo "$*" >> .testfailed
$(TESTNOW:%=testrow-%): testbegin

# Every row runs to its end; then the results decide.
check: testbegin $(TESTNOW:%=testrow-%) $(TESTCHILDREN:%=testchild-%)
	@failed=0; for d in $(foreach r,$(TESTCHOSEN),$(call TESTDIR,$(call TESTWORDS,$r))); do \
	[[ $$(cat $$d/result 2> /dev/null) == PASS ]] || failed=$$((failed + 1)); done; \
	if [[ -s .testfailed ]]; then failed=$$((failed + $$(wc -l < .testfailed))); fi; rm -f .testfailed; \
	echo $(words $(TESTNOW)) >> '$(TESTCOUNT)'; \
	if [[ -z "$(TESTINNER)" ]]; then rows=$$(grep -c '[1-9]' .testcount); rm -f .testcount; \
	  if [[ $$rows == 0 ]]; then \
	    echo "no row of test.rc is chosen by TEST="$(TESTQUOTED)"; its labels are: $(TESTLABELS)" >&2; exit 1; fi; fi; \
	[[ $$failed == 0 ]] || { echo "$$failed of the tests FAILED" >&2; exit 1; }

# Removes what tests and builds left. A test's directory is known by its row or by the log in it.
cleanup:
	@rm -rf $(TESTDIRS) $(patsubst %/,%,$(dir $(wildcard test-*/make-log))) $(FLUTEPRODUCTS)
	+@$(foreach c,$(TESTCHILDREN),$(MAKE) --no-print-directory -C $c $(TESTTOOLS) cleanup;)
