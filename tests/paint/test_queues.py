"""The limit of queues on a tile: by compiled kernels exactly, by rules where no kernel was compiled."""

from __future__ import annotations

from wired import paint, program_of

from diag.report import Reporter, render
from fabric.program import Program
from paint.flatten import TileClass
from paint.queues import check_queues


def check(text: str, compiled: bool = True) -> list[str]:
    reporter = Reporter()
    check_queues(paint(text).layout, program_of if compiled else no_program, reporter)
    return [render(d) for d in reporter.diagnostics]


def no_program(c: TileClass) -> Program | None:
    return None


def layout(sockets: str, rule: str, count: int) -> str:
    """`count` colors c0.. with one rule on 2 x 3 tiles, bound by sockets whose names begin with `sockets`."""
    colors = "\n".join(f"let c{i} = color()" for i in range(count))
    bound = " ".join(f"{sockets}{i}:c{i}" for i in range(count))
    rules = "\n".join(f"t : paint(c{i} {rule})" for i in range(count))
    return f"{colors}\nlet t = rect(0 0 2 3)\nt : code('k [{bound}])\n{rules}\nt"


def test_eight_fit() -> None:
    for compiled in (True, False):
        assert check(layout("b", "[C>]", 8), compiled) == []
        assert check(layout("r", "[L|L>C]", 8), compiled) == []


def test_nine_in_and_nine_out() -> None:
    for compiled in (True, False):
        [message] = check(layout("r", "[L>C]", 9), compiled)
        assert "PT116: kernel 'k' receives 9 colors on 6 tiles, the first (0, 0); a core has 8 input queues" in message
        assert all(f"note: {i + 1}. 'c{i}'" in message for i in range(9))
        [message] = check(layout("t", "[C>]", 9), compiled)
        assert "sends on 9 colors" in message and "8 output queues" in message


def test_a_program_knows_better_than_the_rules() -> None:
    """Nine colors may come in by their rules; the kernel receives on four of them only."""
    text = layout("t", "[L>C]", 9)
    assert check(text, compiled=False) != []
    receives_four = text
    for i in range(4):
        receives_four = receives_four.replace(f" t{i}:", f" r{i}:").replace(f"[t{i}:", f"[r{i}:")
    assert check(receives_four) == []


def test_two_sockets_on_one_color_take_two_queues() -> None:
    text = layout("r", "[L>C]", 8).replace("[r0:c0", "[r8:c0 r0:c0")
    assert check(text, compiled=False) == []
    [message] = check(text)
    assert "receives 9 colors" in message


def test_a_color_sent_through_its_swapping_partner_counts() -> None:
    """S0:139-180: the core sends on r; the rule that takes it from the core is the partner's."""
    colors = "\n".join(f"let r{i} = color() let p{i} = color()" for i in range(9))
    rules = "\n".join(f"t : paint(p{i} [CXR]) t : paint(r{i} [LXC]) t : colorpair(r{i} p{i})" for i in range(9))
    bound = " ".join(f"s{i}:r{i}" for i in range(9))
    messages = check(f"{colors}\nlet t = tile()\nt : code('k [{bound}])\n{rules}\nt", compiled=False)
    assert ["receives 9" in m for m in messages] == [True, False]
    assert "sends on 9" in messages[1]
