"""The color solver: gives every color of a layout one of the 24 numbers (paint.md 4, docs/colors.md).

The colors that meet, and those tied by a pair, form a graph; its connected parts are numbered on their own, so
numbers come again wherever colors do not meet. `paint.coloring` searches each part. A part that has no numbering
is cut down to a set of colors from which none can be left out, and `paint.conflict` puts that into words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from diag.report import Diagnostic, UserError
from paint import coloring
from paint.problem import ColorProblem
from paint.units import Instance

if TYPE_CHECKING:
    import networkx

BUDGET = 50_000  # nodes of one connected part
FIRST_TRY = 1_000  # nodes, and 4 a color, before the colors of single tiles are looked at
LOOKED_AT = 20  # tiles with too much on them of which the smallest set is taken
SMALL_BUDGET = 5_000  # nodes of one step of the search for a smallest set


@dataclass
class Failure:
    """One part without a numbering. When `decided`, `keys` cannot be numbered together, and without any one of
    them the others can (`minimal`; False when the budget of a step ended). Otherwise `keys` are the colors of
    the part and `numbers` the largest numbering found."""

    keys: list[str]
    decided: bool
    minimal: bool = True
    numbers: dict[str, int] = field(default_factory=dict)
    nodes: int = 0


@dataclass
class Result:
    """`numbers` holds the parts that have a numbering; `failures` the others, in the order of their first color."""

    numbers: dict[str, int]
    failures: list[Failure]
    nodes: int = 0


def solve(problem: ColorProblem, budget: int = BUDGET) -> dict[str, int]:
    """Numbers all colors: key -> 0..23. The same problem gives the same numbers.

    Raises UserError with one message for each part that cannot be numbered (PT500 to PT514) or could not within
    `budget` nodes (PT520).
    """
    result = number(problem, budget)
    if result.failures:
        raise UserError(explain_all(problem, result))
    return result.numbers


def explain_all(problem: ColorProblem, result: Result) -> list[Diagnostic]:
    """The messages for the failures of a result."""
    from paint.conflict import explain

    return [explain(problem, failure) for failure in result.failures]


def number(problem: ColorProblem, budget: int = BUDGET) -> Result:
    """As `solve`, with the failures as data."""
    result = Result({}, [])
    whole = _Whole(problem)
    for part in whole.parts():
        found = _number_part(whole, part, budget, result)
        if found:
            result.failures.append(found)
    result.numbers = {key: result.numbers[key] for key in problem.colors if key in result.numbers}
    return result


def meeting_graph(problem: ColorProblem) -> networkx.Graph:
    """Nodes are color keys; an edge has `meet` (they need different numbers), `pair`, or both."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(problem.colors)
    graph.add_edges_from(problem.meetings, meet=True)
    for pair in problem.pairs:
        graph.add_edge(pair.a, pair.b, pair=True)
    return graph


class _Whole:
    """A problem with its graph, and for each color the sets of colors of the tiles that hold it."""

    def __init__(self, problem: ColorProblem) -> None:
        self.problem = problem
        self.graph = meeting_graph(problem)
        self.order = {key: i for i, key in enumerate(problem.colors)}
        self.tiles_of: dict[str, list[frozenset[str]]] = {key: [] for key in problem.colors}
        for use in dict.fromkeys(frozenset(use.colors) for use in problem.usage):
            for key in use:
                if key in self.tiles_of:
                    self.tiles_of[key].append(use)

    def parts(self) -> list[list[str]]:
        """The connected parts, colors and parts in the order of definition."""
        import networkx

        parts = [self.sorted(part) for part in networkx.connected_components(self.graph)]
        return sorted(parts, key=lambda part: self.order[part[0]])

    def sorted(self, keys: Iterable[str]) -> list[str]:
        return sorted(keys, key=self.order.__getitem__)

    def tile_sets(self, keys: Iterable[str]) -> list[list[str]]:
        """The sets of colors of one tile within a set, largest first, without those inside another."""
        inside = frozenset(keys)
        sets = {use & inside for key in inside for use in self.tiles_of[key]}
        found = [(self.sorted(s), s) for s in sets]
        found.sort(key=lambda x: (-len(x[1]), [self.order[k] for k in x[0]]))
        kept: dict[str, list[frozenset[str]]] = {key: [] for key in inside}
        result = []
        for ordered, s in found:
            if not any(s <= other for other in kept[ordered[0]]):
                result.append(ordered)
                for key in ordered:
                    kept[key].append(s)
        return result

    def instance(self, keys: Sequence[str]) -> Instance:
        """The search's form of the problem that some colors make among themselves."""
        at = {key: i for i, key in enumerate(keys)}
        edges: list[tuple[int, int]] = []
        pairs: list[tuple[int, int]] = []
        for key in keys:
            i = at[key]
            for other, data in self.graph.adj[key].items():
                j = at.get(other, i + 1)
                if j <= i:
                    if data.get("meet"):
                        edges.append((j, i))
                    if data.get("pair"):
                        pairs.append((j, i))
        allowed = [sum(1 << n for n in self.problem.colors[key].allowed) for key in keys]
        crowds = [[at[k] for k in tile] for tile in self.tile_sets(keys)]
        return Instance(allowed, edges, pairs, crowds)

    def color(self, keys: Sequence[str], budget: int) -> coloring.Outcome:
        return coloring.color(self.instance(keys), budget)


def _number_part(whole: _Whole, part: list[str], budget: int, result: Result) -> Failure | None:
    """Numbers one connected part into `result`, or tells why it cannot be."""
    inst = whole.instance(part)
    first = FIRST_TRY + 4 * len(part)
    outcome = coloring.color(inst, min(first, budget))
    result.nodes += outcome.nodes
    tiles: list[list[str]] = []
    if outcome.status != "solved":
        # A tile that holds too much is the usual reason, and the one that is understood at once.
        tiles = [keys for keys in whole.tile_sets(part) if whole.color(keys, SMALL_BUDGET).status == "unsolvable"]
        if not tiles and outcome.status == "undecided" and budget > first:
            outcome = coloring.color(inst, budget)
            result.nodes += outcome.nodes
    if outcome.status == "solved":
        result.numbers |= {key: outcome.numbers[i] for i, key in enumerate(part)}
        return None
    if not tiles and outcome.status == "undecided":
        best = {part[i]: n for i, n in sorted(outcome.numbers.items())}
        return Failure(part, False, False, best, outcome.nodes)
    starts = tiles[:LOOKED_AT] or [[part[i] for i in sorted(outcome.core)]]
    failures = [_shrink(whole, keys) for keys in starts]
    return min(failures, key=lambda failure: (not failure.minimal, len(failure.keys)))


def _shrink(whole: _Whole, keys: Iterable[str]) -> Failure:
    """Leaves out color by color, the last defined first, as long as the rest cannot be numbered."""
    left = list(keys)
    minimal = True
    nodes = 0
    for key in reversed(list(left)):
        if key not in left:
            continue
        rest = [k for k in left if k != key]
        outcome = whole.color(rest, SMALL_BUDGET)
        nodes += outcome.nodes
        if outcome.status == "unsolvable":
            left = [rest[i] for i in sorted(outcome.core)]
        elif outcome.status == "undecided":
            minimal = False
    return Failure(left, True, minimal, nodes=nodes)
