"""The color solver: gives every color of a layout one of the 24 numbers (paint.md 4, docs/colors.md).

The colors that meet, and those tied by a pair, form a graph; its connected parts are numbered on their own, so
numbers come again wherever colors do not meet. `paint.coloring` searches each part. A part that has no numbering
is cut down to a set of colors from which none can be left out, and `paint.conflict` puts that into words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from diag.report import Diagnostic, UserError
from paint import coloring
from paint.problem import ColorProblem

if TYPE_CHECKING:
    import networkx

BUDGET = 50_000  # nodes of one connected part
FIRST_TRY = 1_000  # nodes before the colors of single tiles are looked at
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
    order = {key: i for i, key in enumerate(problem.colors)}
    graph = meeting_graph(problem)
    for part in _parts(graph, order):
        found = _number_part(problem, graph, part, budget, result)
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


def _parts(graph: networkx.Graph, order: dict[str, int]) -> list[list[str]]:
    """The connected parts, colors and parts in the order of definition."""
    import networkx

    parts = [sorted(part, key=order.__getitem__) for part in networkx.connected_components(graph)]
    return sorted(parts, key=lambda part: order[part[0]])


def instance(problem: ColorProblem, graph: networkx.Graph, keys: Sequence[str]) -> coloring.Instance:
    """The search's form of the problem that some colors make among themselves."""
    at = {key: i for i, key in enumerate(keys)}
    edges: list[tuple[int, int]] = []
    pairs: list[tuple[int, int]] = []
    for key in keys:
        for other, data in graph.adj[key].items():
            if other in at and at[other] <= at[key]:
                if data.get("meet"):
                    edges.append((at[other], at[key]))
                if data.get("pair"):
                    pairs.append((at[other], at[key]))
    allowed = [sum(1 << n for n in problem.colors[key].allowed) for key in keys]
    return coloring.Instance(allowed, edges, pairs)


def _number_part(
    problem: ColorProblem, graph: networkx.Graph, part: list[str], budget: int, result: Result
) -> Failure | None:
    """Numbers one connected part into `result`, or tells why it cannot be."""
    whole = instance(problem, graph, part)
    outcome = coloring.color(whole, min(FIRST_TRY, budget))
    result.nodes += outcome.nodes
    tiles: list[list[str]] = []
    if outcome.status != "solved":
        # A tile that holds too much is the usual reason, and the one that is understood at once.
        tiles = [
            keys
            for keys in _tile_sets(problem, part)
            if coloring.color(instance(problem, graph, keys), SMALL_BUDGET).status == "unsolvable"
        ]
        if not tiles and outcome.status == "undecided" and budget > FIRST_TRY:
            outcome = coloring.color(whole, budget)
            result.nodes += outcome.nodes
    if outcome.status == "solved":
        result.numbers |= {key: outcome.numbers[i] for i, key in enumerate(part)}
        return None
    if not tiles and outcome.status == "undecided":
        best = {part[i]: n for i, n in sorted(outcome.numbers.items())}
        return Failure(part, False, False, best, outcome.nodes)
    starts = tiles or [[part[i] for i in sorted(outcome.core)]]
    failures = [_shrink(problem, graph, keys) for keys in starts]
    return min(failures, key=lambda failure: (not failure.minimal, len(failure.keys)))


def _tile_sets(problem: ColorProblem, part: Collection[str]) -> list[list[str]]:
    """The sets of colors of one tile within a part, largest first, without those inside another."""
    inside = set(part)
    order = {key: i for i, key in enumerate(part)}
    sets = {frozenset(use.colors) & inside for use in problem.usage}
    kept: list[frozenset[str]] = []
    for keys in sorted(sets, key=lambda s: (-len(s), sorted(order[k] for k in s))):
        if keys and not any(keys <= other for other in kept):
            kept.append(keys)
    return [sorted(keys, key=order.__getitem__) for keys in kept]


def _shrink(problem: ColorProblem, graph: networkx.Graph, keys: Iterable[str]) -> Failure:
    """Leaves out color by color, the last defined first, as long as the rest cannot be numbered."""
    left = list(keys)
    minimal = True
    nodes = 0
    for key in reversed(list(left)):
        if key not in left:
            continue
        rest = [k for k in left if k != key]
        outcome = coloring.color(instance(problem, graph, rest), SMALL_BUDGET)
        nodes += outcome.nodes
        if outcome.status == "unsolvable":
            left = [rest[i] for i in sorted(outcome.core)]
        elif outcome.status == "undecided":
            minimal = False
    return Failure(left, True, minimal, nodes=nodes)
