"""The logic of flute.mk and test.mk (tools.md, "The make flow"), with stub commands that record their words."""

from __future__ import annotations

import time

import pytest

from .conftest import Project

MAKEFILE = """\
FLUTEMK ?= $(SYSROOT)/share/build/flute.mk
TESTMK ?= $(SYSROOT)/share/build/test.mk
N = 4
M = $$(( $(N) * 2 + 1 ))
EMPTY =
PAINTVARS = N M EMPTY
PAINTFLAGS = lib=.. lib=/opt/original/lib verbose arch=${ARCH}
SIMFLAGS = cycles=${CYCLES}
PIPELINEFLAGS = whatever

include $(FLUTEMK)
include $(TESTMK)

all: test

test: bench-$(MODE).core bench-$(MODE).log
\tmiget image=$< map=bench.map symbol=grid.eta data=eta.out
\tfcmp a=eta.out b=$(TOP)/eta.want

bench.img: bench.obj ../eta.raw
\tcp $< $@
\tmiset image=$@ map=bench.map symbol=grid.eta data=../eta.raw
\tmiset image=$@ map=bench.map symbol=grid.mu data=../eta.raw

clean: cleanup

.PRECIOUS: %.img
"""
TEST_RC = """\
# rows: words, then variables; the last word is the label
tutorial a N=4 ARCH=sdr

b N=7 CYCLES=900
tutorial wide smoke N=9 M='$$((3 * 3))'   # a remark
twice N=1
twice N=2
"""


@pytest.fixture
def user(project: Project) -> Project:
    """An existing user's project."""
    project.write("Makefile", MAKEFILE)
    project.write("test.rc", TEST_RC)
    project.write("bench.paint", "tile()\n")
    project.write("k.w", "{}\n")
    project.write("lib/part.w", "\n")
    project.write("eta.raw", "data")
    return project


def sysroot(p: Project) -> str:
    return f"SYSROOT={p.sysroot}"


def settle(p: Project) -> None:
    """Lets the clock of the file system move on."""
    time.sleep(0.02)
    p.forget()


def test_a_row_by_its_label_runs_the_whole_chain(user: Project) -> None:
    out = user.make("TEST=a", "MODE=sim", sysroot(user))
    assert out.splitlines() == ["PASS test-a: 123 cycles"]
    assert user.calls("paint") == [
        [
            *["source=../bench.paint", "lib=..", "lib=/opt/original/lib", "verbose", "arch=sdr", "lib=.", "lib=.."],
            *["set=N=4", "set=M=9", "set=EMPTY=", "image=bench.obj", "map=bench.map"],
            *["listing=bench-listing.json", "depfile=bench.d", "nolink"],
            *["toolname", "w", "carbide", "toolname", "yeti", "carbide"],
        ]
    ]
    assert user.calls("milink") == [["image=bench.obj", "out=bench.obj", "map=bench.map"]]
    assert user.calls("weight") == [["image=bench.obj", "map=bench.map"]]
    assert [c[2] for c in user.calls("miset")] == ["symbol=grid.eta", "symbol=grid.mu"]
    assert user.calls("mielf") == [["image=bench.img", "elf=bench.elf"]]
    assert user.calls("simfabric") == [["elf=bench.elf", "core=bench.elf-core", "cycles=1000000", "threads=1"]]
    assert user.calls("elfmi") == [["image=bench-sim.core", "elf=bench.elf-core"]]
    assert user.calls("miget")[0][0] == "image=bench-sim.core"
    # TOP is the project's directory as seen from the row's.
    assert user.calls("fcmp") == [["a=eta.out", "b=../eta.want"]]
    kept = {f.name for f in (user.path / "test-a").iterdir()}
    assert {"bench.obj", "bench.map", "bench-listing.json", "bench.img", "bench-sim.core", "bench-sim.log"} <= kept
    assert "make-log" in kept and "bench.elf-core" not in kept


def test_a_row_by_its_number(user: Project) -> None:
    assert user.make("TEST=2", sysroot(user)).splitlines() == ["PASS test-b: 123 cycles"]
    assert "set=N=7" in user.calls("paint")[0] and "set=M=15" in user.calls("paint")[0]
    assert "cycles=900" in user.calls("simfabric")[0]


def test_the_label_is_the_last_word_before_the_variables(user: Project) -> None:
    assert user.make("TEST=sm?ke", sysroot(user)).splitlines() == ["PASS test-smoke: 123 cycles"]
    assert "set=M=9" in user.calls("paint")[0]
    assert "no row of test.rc is chosen by TEST=tutorial;" in user.make("TEST=tutorial", sysroot(user), code=2)
    assert "labels are: a b smoke twice twice" in user.make("TEST=99", sysroot(user), code=2)


@pytest.mark.parametrize("goal", [[], ["check"], ["all"]])
def test_default_goal_is_check_and_default_rows_are_all(user: Project, goal: list[str]) -> None:
    """Even where the user says `all: test`; `make all` then is what he wrote."""
    if goal == ["all"]:
        user.write("Makefile", MAKEFILE.replace("all: test", "all: check"))
    out = user.make(*goal, sysroot(user))
    assert sorted(x.split(":")[0] for x in out.splitlines()) == [
        *["PASS test-4", "PASS test-5", "PASS test-a", "PASS test-b", "PASS test-smoke"]
    ]


def test_rows_that_share_a_label_have_numbered_directories(user: Project) -> None:
    user.make("TEST=twice", sysroot(user))
    assert sorted(d.name for d in user.path.glob("test-*")) == ["test-4", "test-5"]
    assert "set=N=1" in user.calls("paint", "test-4")[0]
    assert "set=N=2" in user.calls("paint", "test-5")[0]


def test_the_command_line_wins_over_the_row(user: Project) -> None:
    user.make("TEST=b", "N=5", sysroot(user))
    assert "set=N=5" in user.calls("paint")[0] and "set=M=11" in user.calls("paint")[0]
    user.forget()
    # A value with blanks and shell arithmetic survives the way through make and its sub-make.
    user.make("TEST=smoke", "M=$$(( 2 * 3 ))", sysroot(user))
    assert "set=M=6" in user.calls("paint")[0] and "set=N=9" in user.calls("paint")[0]


def test_rows_run_in_parallel(user: Project) -> None:
    """Each row waits for the other one to come as far."""
    meet = user.sysroot / "bin" / "weight"
    meet.write_text(
        "#!/bin/bash\ntouch ../here-$(basename $PWD)\n"
        "for i in {1..600}; do [[ $(ls ../here-* | wc -l) == 2 ]] && exit 0; sleep 0.1; done; exit 1\n"
    )
    out = user.make("check", "TEST=[ab]", "-j2", sysroot(user))
    assert sorted(out.splitlines()) == ["PASS test-a: 123 cycles", "PASS test-b: 123 cycles"]
    assert "jobserver" not in user.logs()


def test_a_failing_row_fails_the_check_and_the_others_still_run(user: Project) -> None:
    (user.sysroot / "bin" / "fcmp").write_text("#!/bin/bash\necho 'they differ'; grep -q linked bench.obj && [[ $PWD == *-b ]] && exit 1\nexit 0\n")
    out = user.make("TEST=[ab]*", sysroot(user), code=2)
    lines = out.splitlines()
    assert "PASS test-a: 123 cycles" in lines and "FAIL test-b: 123 cycles" in lines
    assert "  the end of test-b/make-log:" in lines and "  | they differ" in lines
    assert "1 of the tests FAILED" in lines
    assert "they differ" in (user.path / "test-a" / "make-log").read_text()


def test_a_run_that_hangs_shows_the_beginning_of_its_explanation(user: Project) -> None:
    """The outcome and its cause come first, however many tiles are listed behind them."""
    explain = "printf '%s\\n' 'before it' 'outcome: blocked after 9 cycles' 'cause 1'; seq 100 140; exit 1"
    (user.sysroot / "bin" / "fcmp").write_text(f"#!/bin/bash\n{explain}\n")
    out = user.make("TEST=b", sysroot(user), code=2).splitlines()
    start = out.index("  from test-b/make-log:")
    assert out[start + 1 : start + 4] == ["  | outcome: blocked after 9 cycles", "  | cause 1", "  | 100"]
    assert out[start + 30] == "  | 127" and not any("before it" in line or "128" in line for line in out)


def test_each_check_begins_in_a_fresh_directory(user: Project) -> None:
    user.make("TEST=a", sysroot(user))
    user.write("test-a/left-over", "")
    user.make("TEST=a", sysroot(user))
    assert not (user.path / "test-a" / "left-over").exists()


def test_a_project_without_the_target_test_does_not_pass(user: Project) -> None:
    user.write("Makefile", MAKEFILE.replace("\ntest: ", "\ntests: "))
    assert "FAIL test-a" in user.make("TEST=a", sysroot(user), code=2)


def test_a_file_of_a_row(user: Project) -> None:
    """`make test-a/FILE` builds that file with the row's variables, and no more."""
    user.make("test-b/bench-sim.core", sysroot(user))
    assert "set=N=7" in user.calls("paint", "test-b")[0]
    assert not user.calls("fcmp") and not (user.path / "test-a").exists()
    settle(user)
    user.make("test-b/bench-sim.core", "test-b/bench.map", "-j2", sysroot(user))
    assert user.calls() == [], "all is up to date"
    user.make("test-5/bench.map", "test-4/bench.map", "N=3", sysroot(user))
    assert {c[7] for c in user.calls("paint")} == {"set=N=3"}


def test_an_edited_kernel_import_or_layout_rebuilds(user: Project) -> None:
    user.make("test-a/bench-sim.core", sysroot(user))
    for name in ("k.w", "lib/part.w", "bench.paint"):
        settle(user)
        user.write(name, "edited\n")
        user.make("test-a/bench-sim.core", sysroot(user))
        assert len(user.calls("paint")) == 1 and len(user.calls("simfabric")) == 1, name
    settle(user)
    user.write("eta.raw", "other")
    user.make("test-a/bench-sim.core", sysroot(user))
    assert not user.calls("paint") and len(user.calls("miset")) == 2 and len(user.calls("simfabric")) == 1
    # An import that is gone is no reason to stop: paint says what is missing, if it is still wanted.
    settle(user)
    (user.path / "lib" / "part.w").unlink()
    user.make("test-a/bench-sim.core", sysroot(user))
    assert len(user.calls("paint")) == 1


def test_products_in_the_project_directory_do_not_stand_in_for_a_row(user: Project) -> None:
    """VPATH=.. would take ../bench.obj, made with other variables."""
    user.write("../eta.raw", "data")
    user.make("bench-sim.core", sysroot(user))
    assert (user.path / "bench.obj").exists()
    settle(user)
    user.make("TEST=b", sysroot(user))
    assert "set=N=7" in user.calls("paint", "test-b")[0]
    user.make("cleanup", sysroot(user))
    left = {f.name for f in user.path.iterdir()}
    assert left == {"Makefile", "test.rc", "bench.paint", "k.w", "lib", "eta.raw"}


def test_options_reach_the_commands(user: Project) -> None:
    words = ["PAINTOPTS=report=r.html", "SIMOPTS=debug=landing threads=2", "CYCLES=77", "SIMFABRIC=other-sim", "MODE=odd"]
    out = user.make("TEST=a", *words, sysroot(user))
    assert out.splitlines() == ["PASS test-a: 123 cycles"]
    assert "report=r.html" in user.calls("paint")[0]
    assert user.calls("other-sim") == [["elf=bench.elf", "core=bench.elf-core", "cycles=77", "debug=landing", "threads=2"]]
    assert (user.path / "test-a" / "bench-odd.core").exists()


def test_a_failed_run_keeps_its_log_and_counts_as_not_made(user: Project) -> None:
    user.write("fail-sim", "")
    user.make("test-a/bench-sim.core", sysroot(user), code=2)
    row = user.path / "test-a"
    assert (row / "bench-sim.log").read_text() == "@0 broken\n"
    assert not (row / "bench-sim.core").exists() and not (row / "bench.elf-core").exists()
    (user.path / "fail-sim").unlink()
    user.make("test-a/bench-sim.log", sysroot(user))
    assert "cycles=123" in (row / "bench-sim.log").read_text()


def test_a_failing_weight_leaves_no_object(user: Project) -> None:
    (user.sysroot / "bin" / "weight").write_text("#!/bin/bash\nexit 1\n")
    user.make("test-a/bench.img", sysroot(user), code=2)
    assert not (user.path / "test-a" / "bench.obj").exists()
    assert not (user.path / "test-a" / "bench.map").exists()


def test_children_with_a_makefile_are_checked_too(user: Project) -> None:
    for name in ("Makefile", "test.rc", "bench.paint", "eta.raw"):
        user.write(f"child/{name}", (user.path / name).read_text())
        user.write(f"child/inner/{name}", (user.path / name).read_text())
    # A relative SYSROOT holds for the directory make was called in.
    out = user.make("TEST=a", "SYSROOT=../sysroot")
    assert out.splitlines() == [
        *["PASS test-a: 123 cycles", "child:", "PASS test-a: 123 cycles", "inner:", "PASS test-a: 123 cycles"]
    ]
    (user.sysroot / "bin" / "fcmp").write_text("#!/bin/bash\n[[ $PWD != */inner/* ]]\n")
    out = user.make("TEST=a", "SYSROOT=../sysroot", code=2)
    assert out.splitlines()[:3] == ["PASS test-a: 123 cycles", "child:", "PASS test-a: 123 cycles"]
    assert "FAIL test-a: 123 cycles" in out
    user.make("clean", "SYSROOT=../sysroot")
    assert not list(user.path.rglob("test-a"))
    # A pattern that chooses rows of no directory at all is an error.
    assert "is chosen by" in user.make("TEST=nothing", "SYSROOT=../sysroot", code=2)


def test_the_commands_of_the_installation_come_first(user: Project) -> None:
    """A user's recipe that calls `paint` bare gets the one of the tree that flute.mk belongs to."""
    user.write("Makefile", MAKEFILE + "\nwhich:\n\t@type -p paint; echo $$BASH_VERSION | cut -c1\n")
    out = user.make("which", sysroot(user), PATH="/usr/bin:/bin").splitlines()
    assert out[0] == str(user.sysroot / "bin" / "paint") and out[1].isdigit()


def test_sources_are_found_through_vpath(user: Project) -> None:
    (user.path / "bench.paint").rename(user.path / "lib" / "bench.paint")
    user.write("Makefile", MAKEFILE.replace("include $(FLUTEMK)", "override VPATH += ../lib lib\ninclude $(FLUTEMK)"))
    user.make("TEST=a", sysroot(user))
    assert "source=../lib/bench.paint" in user.calls("paint")[0] and "lib=../lib" in user.calls("paint")[0]
