"""The command driver: words, help, versions, exit codes; and whole-or-nothing files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from diag.driver import Command, Opt, main, parse
from diag.files import Outputs, check_writable, read_source, write_whole
from diag.report import UserError

SEEN: list[dict[str, object]] = []


def _run(options: dict[str, object]) -> int:
    SEEN.append(options)
    if options["source"] == "bug":
        raise ValueError("a fault")
    if options["source"] == "stop":
        raise KeyboardInterrupt
    return 0


COMMAND = Command(
    "tool",
    "does things",
    (
        Opt("source", "what to read", required=True, what="FILE"),
        Opt("cycles", "how long", 100, "int", low=1),
        Opt("mode", "how", "fast", "choice", choices=("fast", "slow")),
        Opt("lib", "where", many=True),
        Opt("verbose", "say more", kind="flag"),
        Opt("toolname", "kind and compiler", words=2),
    ),
    _run,
    "tool source=a.w",
)


def test_words_in_any_order() -> None:
    words = ["verbose", "lib=a", "toolname", "w", "carbide", "cycles=0x10", "lib=b", "source=k=1", "toolname", "y", "z"]
    assert parse(COMMAND, words) == {
        "source": "k=1",
        "cycles": 16,
        "mode": "fast",
        "lib": ["a", "b"],
        "verbose": True,
        "toolname": [("w", "carbide"), ("y", "z")],
    }


@pytest.mark.parametrize(
    ("words", "code", "text", "hint"),
    [
        (["source=a", "cycels=3"], "DG001", "unknown option 'cycels'", "did you mean 'cycles'?"),
        (["source=a", "--cycels=3"], "DG001", "unknown option 'cycels'", "did you mean 'cycles'?"),
        (["source"], "DG002", "option 'source' needs a value: source=FILE", None),
        (["source=a", "toolname", "w"], "DG002", "option 'toolname' needs a value: toolname=WORD WORD", None),
        (["verbose"], "DG003", "option 'source' is missing", "tool source=a.w"),
        (["source=a", "cycles=0"], "DG004", "option 'cycles' does not take '0': the least is 1", None),
        (["source=a", "cycles=x"], "DG004", "option 'cycles' does not take 'x': not a number", None),
        (["source=a", "mode=fats"], "DG004", "option 'mode' does not take 'fats': it takes fast, slow", "did you mean 'fast'?"),
        (["source=a", "verbose=2"], "DG004", "option 'verbose' does not take '2': it takes 0 or 1", None),
        (["source=a", "source=b"], "DG005", "option 'source' is given twice, as 'a' and as 'b'", None),
        (["source=a", "quick"], "DG006", "unexpected word 'quick'", "`tool help` lists the options"),
        (["add.w"], "DG006", "unexpected word 'add.w'", "files are named by option: source=add.w"),
        (["source=a", "cycles="], "DG010", "option 'cycles' is empty", None),
    ],
)
def test_wrong_words(words: list[str], code: str, text: str, hint: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND, words) == 1
    expected = f"tool: error {code}: {text}\n" + (f"  hint: {hint}\n" if hint else "")
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize("words", [[], ["help"], ["--help"]])
def test_help_names_every_option_with_its_default(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND, words) == 0
    out = capsys.readouterr().out
    for part in ("source=FILE", "(required)", "cycles=VALUE", "(default 100)", "mode=fast|slow", "toolname WORD WORD", "version"):
        assert part in out


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND, ["source=a"]) == 0
    assert main(COMMAND, ["version"]) == 0
    assert main(COMMAND, ["source=stop"]) == 130
    assert main(COMMAND, ["source=bug"]) == 2
    assert "internal fault" in capsys.readouterr().err


def test_files_appear_together_or_not_at_all(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("old")
    with pytest.raises(RuntimeError), Outputs() as out:
        out.add(str(one), "new")
        out.add(str(two), b"new")
        raise RuntimeError
    assert one.read_text() == "old" and os.listdir(tmp_path) == ["one"]
    with Outputs() as out:
        out.add(str(one), "new")
        out.add(str(two), b"more")
    assert one.read_text() == "new" and two.read_bytes() == b"more"
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError) as e:
        write_whole(str(tmp_path / "no" / "file"), "x")
    assert e.value.diagnostics[0].code.code == "DG008"
    (tmp_path / "dir").mkdir()
    with pytest.raises(UserError) as e:
        write_whole(str(tmp_path / "dir"), "x")
    assert "Is a directory" in e.value.diagnostics[0].message
    assert os.listdir(tmp_path) == ["dir"]


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_whole(str(pipe), "through")
    assert reader.communicate()[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode) and os.listdir(tmp_path) == ["pipe"]


def test_what_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    check_writable(str(tmp_path / "file"))
    for path, why in ((tmp_path, "Is a directory"), (tmp_path / "no" / "file", "No such file or directory")):
        with pytest.raises(UserError) as e:
            check_writable(str(path))
        assert e.value.diagnostics[0].message == f"can't write '{path}': {why}"


def test_sources_are_utf8(tmp_path: Path) -> None:
    bad = tmp_path / "k.w"
    bad.write_bytes(b"xp a;\n\xff")
    with pytest.raises(UserError) as e:
        read_source(str(bad))
    assert e.value.diagnostics[0].message == f"'{bad}' is not UTF-8 text (byte 6)"


def test_a_reader_that_has_enough_ends_help_silently() -> None:
    program = "from fabric.cmd_miget import main; import sys; sys.exit(main(['help']))"
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stdout is not None and run.stderr is not None
    run.stdout.close()
    assert run.stderr.read() == b""
    assert run.wait() == 0


def test_two_outputs_of_one_name_and_a_directory_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="another output of the same run goes there"), Outputs() as out:
        out.add(str(tmp_path / "a"), "1")
        out.add(str(tmp_path / "." / "a"), "2")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "d").mkdir()
    with pytest.raises(UserError, match="Is a directory"), Outputs() as out:
        out.add(str(tmp_path / "b"), "1")
        out.add(str(tmp_path / "d"), "2")
    assert [p.name for p in tmp_path.iterdir()] == ["d"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_that_refuses_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No space left"), Outputs() as out:
        out.add(str(tmp_path / "a"), "1")
        out.add("/dev/full", "2")
    assert list(tmp_path.iterdir()) == []
