# test.mk: runs the rows of test.rc, each in a directory of its own. docs/make.md tells how to use it.
#
#   make [check] [TEST=pattern|row number] [K=V ...]    make test-LABEL/FILE    make cleanup
#
# A row is `word ... label K=V ...`. Its directory is test-LABEL, or test-ROW where rows share a label.

SHELL := /bin/bash
TESTMK_TREE := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)
TEST ?= *
TESTGOAL ?= test
# Lines of make-log that go to the terminal too (an extended regular expression).
TESTSHOW ?= ^result:

.PHONY: check cleanup test FORCE
.DEFAULT_GOAL := check
FORCE:

# Row number, label and names of its variables, joined by commas, for each row: `1,small,N,ARCH`.
define TESTMK_LIST
awk '{ sub(/\r$$/, "") } /^[ \t]*(#|$$)/ { next } { n++; label = n; keys = ""; i = 1;
  while (i <= NF && $$i !~ /^[A-Za-z_][A-Za-z_0-9]*=/) { if ($$i ~ /^#/) break; label = $$i; i++ }
  for (; i <= NF; i++) if ($$i ~ /^[A-Za-z_][A-Za-z_0-9]*=/) { k = $$i; sub(/=.*/, "", k); keys = keys "," k }
  print n "," label keys }' test.rc
endef
TESTMK_COMMA := ,
TESTMK_WORDS = $(subst $(TESTMK_COMMA), ,$1)
TESTMK_ROWS := $(if $(wildcard test.rc),$(shell $(TESTMK_LIST)))
TESTMK_LABELS := $(foreach r,$(TESTMK_ROWS),$(word 2,$(call TESTMK_WORDS,$r)))
# Labels that are numbers, or that rows share, give way to the row's number.
TESTMK_SHARED := $(foreach l,$(sort $(TESTMK_LABELS)),$(if $(filter-out 1,$(words $(filter $l,$(TESTMK_LABELS)))),$l))
TESTMK_NUMBERS := $(foreach l,$(TESTMK_LABELS),$(if $(shell [[ '$l' =~ ^[0-9]+$$ ]] && echo 1),$l))
TESTMK_DIR = test-$(if $(filter $(word 2,$1),$(TESTMK_SHARED) $(TESTMK_NUMBERS)),$(word 1,$1),$(word 2,$1))
TESTMK_DIRS := $(foreach r,$(TESTMK_ROWS),$(call TESTMK_DIR,$(call TESTMK_WORDS,$r)))

TESTMK_QUOTED = $(foreach t,$(TEST),'$(subst ','\'',$t)')

# The chosen rows: a number is a row, anything else a shell pattern for labels.
define TESTMK_CHOOSE
set -f; for row in $(TESTMK_ROWS); do IFS=, read -r n label _ <<< "$$row"; for t in $(TESTMK_QUOTED); do
  if [[ $$t =~ ^[0-9]+$$ ]]; then [[ $$t == "$$n" ]]; else [[ $$label == $$t ]]; fi && { echo "$$row"; break; };
done; done
endef
TESTMK_CHOSEN := $(if $(TESTMK_ROWS),$(shell $(TESTMK_CHOOSE)))
TESTMK_NOW := $(foreach r,$(TESTMK_CHOSEN),$(word 1,$(call TESTMK_WORDS,$r)))

# The user's Makefile as seen from a test's directory, and where the tools are, for a sub-make in another directory.
TESTMK_MAKEFILE := $(firstword $(MAKEFILE_LIST))
TESTMK_FROMROW := $(if $(filter /%,$(TESTMK_MAKEFILE)),$(TESTMK_MAKEFILE),../$(TESTMK_MAKEFILE))
TESTMK_TOOLS = SYSROOT='$(abspath $(or $(SYSROOT),$(TESTMK_TREE)))' $(if $(FLUTEMK),FLUTEMK='$(abspath $(FLUTEMK))') $(if $(TESTMK),TESTMK='$(abspath $(TESTMK))')
# What stands on the command line wins over the row: the row's word is left out then.
TESTMK_DROP = $(foreach k,$(wordlist 3,999,$1),$(if $(filter command,$(firstword $(origin $k))),$k))

# $(call TESTMK_RUN,row number,directory,names to drop,goals): the row's words as the shell reads them, then the sub-make.
# Products that someone made in the project directory itself are older than everything from now on, since VPATH
# would take them for the row's.
define TESTMK_RUN
row=$$(awk '{ sub(/\r$$/, "") } /^[ \t]*(#|$$)/ { next } ++n == $1' test.rc); set -f; eval "set -- $$row"; set +f; \
words=(); for w in "$$@"; do k=$${w%%=*}; [[ $$w == *=* && " $3 " != *" $$k "* ]] && words+=("$$w"); done; \
old=($(wildcard $(FLUTEPRODUCTS))); [[ $${#old[@]} == 0 ]] || touch -c -d @0 "$${old[@]}"; \
$(MAKE) -f $(TESTMK_FROMROW) -C $2 VPATH=.. $(TESTMK_TOOLS) "$${words[@]}" $4
endef

# $(call TESTMK_RULES,row number,directory,names to drop)
define TESTMK_RULES
.PHONY: testrow-$1 testfiles-$1
testrow-$1:
	@rm -rf $2 && mkdir $2
	+@[[ -d $2 ]] || exit 0; if ( $$(call TESTMK_RUN,$1,$2,$3,TEST='$$(TEST)' $$(TESTGOAL)) ) > $2/make-log 2>&1; \
	then result=PASS; else result=FAIL; fi; \
	if grep -q "Nothing to be done for '$(TESTGOAL)'" $2/make-log; then result=FAIL; fi; echo $$$$result > $2/result; \
	$(if $(TESTSHOW),grep -E '$$(TESTSHOW)' $2/make-log;) \
	cycles=$$$$(grep -ohE '\bcycles=[0-9]+' $2/*.log 2> /dev/null | tail -n 1); \
	echo "$$$$result $2$$$${cycles:+: $$$${cycles#cycles=} cycles}"; \
	if [[ $$$$result == FAIL ]]; then \
	  if grep -q '^outcome: ' $2/make-log; then echo "  from $2/make-log:"; sed -n '/^outcome: /,$$$$p' $2/make-log | head -n 30; \
	  else echo "  the end of $2/make-log:"; tail -n 20 $2/make-log; fi | sed '2,$$$$s/^/  | /'; fi
testfiles-$1:
	@mkdir -p $2
	+@$$(call TESTMK_RUN,$1,$2,$3,$$(patsubst $2/%,%,$$(filter $2/%,$$(MAKECMDGOALS))))
$(if $(filter $2/%,$(MAKECMDGOALS)),$(filter $2/%,$(MAKECMDGOALS)): testfiles-$1 ;)
$2/%: FORCE
	@mkdir -p $2
	+@$$(call TESTMK_RUN,$1,$2,$3,$$*)
endef
$(foreach r,$(TESTMK_ROWS),$(eval $(call TESTMK_RULES,$(word 1,$(call TESTMK_WORDS,$r)),$\
  $(call TESTMK_DIR,$(call TESTMK_WORDS,$r)),$(call TESTMK_DROP,$(call TESTMK_WORDS,$r)))))

# Child directories that hold a Makefile are projects of their own. `.testfailed` collects those that failed, and
# `.testcount`, in the directory where make was called, how many rows each directory chose.
TESTMK_CHILDREN := $(filter-out test-%,$(patsubst %/Makefile,%,$(wildcard */Makefile)))
TESTMK_COUNT := $(or $(TESTMK_INNER),$(CURDIR)/.testcount)
.PHONY: testbegin $(TESTMK_CHILDREN:%=testchild-%)
testbegin:
	@rm -f .testfailed $(if $(TESTMK_INNER),,.testcount)
$(TESTMK_CHILDREN:%=testchild-%): testchild-%: testbegin
	+@echo "$*:"; $(MAKE) --no-print-directory -C $* $(TESTMK_TOOLS) TEST='$(TEST)' TESTMK_INNER='$(TESTMK_COUNT)' check \
	  || echo "$*" >> .testfailed
$(TESTMK_NOW:%=testrow-%): testbegin

# Every row runs to its end; then the results decide.
check: testbegin $(TESTMK_NOW:%=testrow-%) $(TESTMK_CHILDREN:%=testchild-%)
	@failed=0; for d in $(foreach r,$(TESTMK_CHOSEN),$(call TESTMK_DIR,$(call TESTMK_WORDS,$r))); do \
	[[ $$(cat $$d/result 2> /dev/null) == PASS ]] || failed=$$((failed + 1)); done; \
	if [[ -s .testfailed ]]; then failed=$$((failed + $$(wc -l < .testfailed))); fi; rm -f .testfailed; \
	echo $(words $(TESTMK_NOW)) >> '$(TESTMK_COUNT)'; \
	if [[ -z "$(TESTMK_INNER)" ]]; then rows=$$(grep -c '[1-9]' .testcount); rm -f .testcount; \
	  if [[ $$rows == 0 ]]; then \
	    echo "no row of test.rc is chosen by TEST="$(TESTMK_QUOTED)"; its labels are: $(TESTMK_LABELS)" >&2; exit 1; fi; fi; \
	[[ $$failed == 0 ]] || { echo "$$failed of the tests FAILED" >&2; exit 1; }

# Removes what tests and builds left. A test's directory is known by its row or by the log in it.
cleanup:
	@rm -rf $(TESTMK_DIRS) $(patsubst %/,%,$(dir $(wildcard test-*/make-log))) $(FLUTEPRODUCTS)
	+@$(foreach c,$(TESTMK_CHILDREN),$(MAKE) --no-print-directory -C $c $(TESTMK_TOOLS) cleanup;)
