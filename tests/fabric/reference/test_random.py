"""Random routes, traffic and stalls: nothing is lost, doubled or reordered, and idle tiles are rightly idle."""

from __future__ import annotations

import random

import pytest
from fabric_bench import Bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric import arch
from fabric.reference import snapshot
from fabric.reference.fault import FabricFault
from fabric.reference.waiting import TRANSIENT, why_sending_waits, why_waiting
from fabric.reference.wavelet import control_payload

Place = tuple[int, int]


def random_tree(rng: random.Random, width: int, height: int) -> tuple[Place, dict[Place, tuple[int, list[int], bool]]]:
    """A root and, for each tile of a random tree: the side of its parent (C at the root), the ports to its children,
    and whether its core listens. Every leaf's core does."""
    root = (rng.randrange(width), rng.randrange(height))
    side = {root: arch.C}
    children: dict[Place, list[int]] = {root: []}
    frontier = [root]
    for _ in range(rng.randrange(1, width * height + 1)):
        x, y = rng.choice(frontier)
        port = rng.randrange(4)
        place = (x + arch.STEP[port][0], y + arch.STEP[port][1])
        if place in side or not (0 <= place[0] < width and 0 <= place[1] < height):
            continue
        side[place] = arch.OPPOSITE[port]
        children[(x, y)].append(port)
        children[place] = []
        frontier.append(place)
    return root, {p: (side[p], children[p], not children[p] or rng.random() < 0.5) for p in side}


def random_traffic(seed: int) -> tuple[Bench, list[tuple[Place, set[Place], list[int], int]]]:
    """Multicast trees of up to eight colors over shared links, with bursts, pauses, and readers that start late or
    are slow; for each its root, its listeners, what it sends, and its color."""
    rng = random.Random(seed)
    width, height = rng.randrange(1, 5), rng.randrange(1, 4)
    b = Bench(width, height)
    trees = []
    for queue, color in enumerate(rng.sample(range(24), rng.randrange(1, 9))):
        root, tree = random_tree(rng, width, height)
        listeners = set()
        for (x, y), (side, children, listens) in tree.items():
            outputs = sum(1 << p for p in children) | (1 << arch.C if listens else 0)
            b.fabric.tile(x, y).registers.write(arch.ROUTE + color, arch.route_code(side, outputs), loading=True)
            if listens:
                listeners.add((x, y))
                start, every = rng.choice([0, 0, 30, 100]), rng.choice([1, 1, 2, 7])
                b.inp(x, y, queue, color).drain(queue, start, every=every)
        sender = b.out(*root, queue, color)
        cycle, data = rng.randrange(40), []
        for i in range(rng.randrange(1, 40)):
            data.append(queue << 16 | i)
            sender.send(cycle, queue, data[-1])
            cycle += rng.choice([0, 1, 1, 1, 2, 20])
        trees.append((root, listeners, data, color))
    return b, trees


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_no_wavelet_is_lost_doubled_or_reordered(seed: int) -> None:
    b, trees = random_traffic(seed)
    assert b.run(100_000)
    for queue, (_, listeners, data, color) in enumerate(trees):
        for place in listeners:
            assert [v for _, q, v in b.core(*place).got if q == queue] == data
        by_tile: dict[str, list[tuple[int, int]]] = {}
        for cycle, tile, c, _, value in b.seen.landings:
            if c == color:
                by_tile.setdefault(tile, []).append((cycle, value))
        for seen in by_tile.values():
            assert [v for _, v in seen] == data
            assert len({t for t, _ in seen}) == len(seen)  # one a cycle on a link and color
    links = [(t, tile, link) for t, tile, _, link, _ in b.seen.landings]
    assert len(set(links)) == len(links)  # one wavelet a cycle and link, whatever its color
    core_cycles = [(t, tile) for t, tile, _, _, _ in b.seen.delivered]
    assert len(set(core_cycles)) == len(core_cycles)


def chaos(seed: int) -> Bench:
    """Anything goes: random rules with swaps, positions and pops, adders, messages, control words, flips, filters,
    register writes at run time. Most of it ends in a stall; what counts is that it ends in one way."""
    rng = random.Random(seed)
    width, height = rng.randrange(2, 5), rng.randrange(1, 4)
    b = Bench(width, height)
    colors = [rng.randrange(24) for _ in range(4)]
    colors += [c ^ 1 for c in colors[:2]] + ([10] if rng.random() < 0.3 else [])
    swapping = rng.random() < 0.3
    flow = {c: rng.randrange(4) for c in colors}  # most rules of a color lead the same way, so that much moves

    def position(color: int) -> str:
        to = arch.PORTS[flow[color]]
        back = arch.PORTS[arch.OPPOSITE[flow[color]]]
        outputs = {to: 0.7, "C": 0.5}
        source = rng.choice([back, back, back, "C", "C", "C", "C", rng.choice("LRUDC")])
        return source + ">" + "".join(p for p in "LRUDC" if rng.random() < outputs.get(p, 0.03))

    for y in range(height):
        for x in range(width):
            sendable = []
            for color in colors:
                if rng.random() < 0.1:
                    continue
                rule = position(color)
                if color == 10:
                    if rng.random() < 0.5:
                        rule = f"{rule[0] if rule[0] != 'C' else 'L'}>{arch.PORTS[flow[10]]} ; fabadder"
                elif color in arch.SWITCHABLE:
                    for _ in range(rng.choice([0, 0, 1, 2, 3])):
                        rule += " ; " + position(color)
                    flags = rng.sample(["ring", rng.choice(["pop=adv", "pop=always", "pop=advnop"])], rng.randrange(3))
                    rule += " ; " + " ".join(flags) if flags else ""
                if swapping:
                    rule = rule.replace(">", rng.choice(">>HVX"))
                b.rule(x, y, color, f"[{rule}]")
                sendable += [color] if rule[0] == "C" or "fabadder" in rule else []
            if rng.random() < 0.3:
                b.bank(x, y, rng.randrange(2))
            core = b.core(x, y)
            for queue in range(4):
                if rng.random() < 0.8:
                    b.out(x, y, queue, rng.choice([*sendable, *sendable, rng.choice(colors), rng.choice([16, 21])]))
                if rng.random() < 0.9:
                    b.inp(x, y, queue, rng.choice([*colors, 16, 21]))
                    core.drain(queue, rng.choice([0, 0, 50, 5000]), every=rng.choice([1, 3]))
            for i, word in enumerate((rng.randrange(2), rng.choice(colors), 3, rng.randrange(4), 0)):
                b.fabric.tile(x, y).registers.write(arch.FILTERS + i, word, loading=True)
            for _ in range(rng.randrange(30)):
                queue = rng.randrange(4)
                out = b.fabric.tile(x, y).output_queues[queue].color
                cycle = rng.randrange(100)
                kind = rng.random()
                if kind < 0.2 and out != 10:
                    word = control_payload(*[rng.randrange(8) for _ in range(8)], task=rng.randrange(64))
                    core.send(cycle, queue, word, ctrl=True)
                elif kind < 0.3:
                    core.send(cycle, queue, rng.getrandbits(32), flip=True)
                elif kind < 0.5 and out not in (16, 21):
                    core.send(cycle, queue, rng.getrandbits(16), 16)
                elif out in (16, 21):
                    core.send(cycle, queue, rng.randrange(3) << 20 | rng.randrange(3) << 8 | rng.choice([0x40, 0x80, 0]))
                else:
                    core.send(cycle, queue, rng.getrandbits(32))
            for _ in range(rng.choice([0, 0, 0, 4])):
                color = rng.choice(colors)
                route = arch.route_code(rng.randrange(5), rng.getrandbits(5)) | rng.choice([0, 0, 0x8000])
                core.write(rng.randrange(200), arch.ROUTE + color, route)
            if rng.random() < 0.1:
                core.write(rng.randrange(200), arch.INPUT_QUEUE + 2 * rng.randrange(4), rng.choice(colors))
    return b


def run(b: Bench, eager: bool) -> tuple[str, object]:
    """Runs up to cycle 400; `eager`: every router looks in every cycle, whether or not something woke it."""
    try:
        if not eager:
            b.run(400)
        else:
            while b.fabric.now < 400:
                for tile in list(b.fabric.tiles.values()):
                    b.fabric.routers_due.add(b.fabric.now, tile)
                b.fabric.cycle()
    except FabricFault as e:
        return str(e), None
    state = snapshot.take(b.fabric)
    return "", [{k: v for k, v in tile.items() if k != "clock"} for tile in state["tiles"]]


def agree(seed: int) -> None:
    lazy, eager = chaos(seed), chaos(seed)
    a, b = run(lazy, False), run(eager, True)
    assert a == b
    assert lazy.seen.landings == eager.seen.landings
    assert lazy.seen.switches == eager.seen.switches
    assert lazy.seen.delivered == eager.seen.delivered
    for tile in lazy.fabric.tiles.values():
        for channel in tile.router.channels:
            assert len(channel.buffer) <= arch.ROUTER_DEPTH
        for queue in tile.input_queues:
            assert len(queue.entries) <= queue.depth
        for out in tile.output_queues:
            assert out.wavelets <= out.depth


def settled_has_causes(seed: int) -> None:
    """When nothing is due any more, everything that is left says why it does not move."""
    b = chaos(seed)
    try:
        if not b.run(20_000):
            return
    except FabricFault:
        return
    now = b.fabric.now + 100
    for tile in list(b.fabric.tiles.values()):
        for channel in tile.router.channels:
            if channel.buffer:
                waits = why_waiting(tile, channel.color, now)
                assert waits and not any(w.reason in TRANSIENT for w in waits), (tile, channel.color)
        for queue in tile.output_queues:
            if queue.entries:
                waits = why_sending_waits(tile, queue.number, now)
                assert waits and not any(w.reason in TRANSIENT for w in waits), (tile, queue.number)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_a_router_that_sleeps_misses_nothing(seed: int) -> None:
    agree(seed)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_what_is_left_at_the_end_says_why(seed: int) -> None:
    settled_has_causes(seed)


@pytest.mark.slow
def test_random_at_length() -> None:
    for seed in range(1500):
        agree(seed)
        settled_has_causes(seed)
