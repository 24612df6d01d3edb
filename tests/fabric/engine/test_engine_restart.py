"""A run that was stopped in any cycle by one simulator goes on in either, and ends as if it had not been stopped."""

from __future__ import annotations

import random

import exchange
import pytest
from engine_compare import check
from engine_images import random_image
from test_engine_random import load
from watching_compare import note, same

from diag.report import UserError
from fabric import corefile
from fabric.elf import from_elf, to_elf
from fabric.engine import fast
from fabric.engine.machine import Machine
from fabric.image import Image
from fabric.simulation import Result, RunFault, Simulation

ENGINES = ("python", "fast")
End = tuple[Result | None, str]


def run(image: Image, engine: str, cycles: int, core: Image | None = None) -> End:
    """The result, or the fault."""
    simulation = Simulation(image, engine=engine)
    if core is not None:
        simulation.resume(core)
    try:
        result = simulation.run(cycles)
    except RunFault as fault:
        return None, str(fault)
    return result, f"{result.status} {result.cycles}"


def words(image: Image) -> list[dict[int, int]]:
    places = [(x, y) for y in range(image.height) for x in range(image.width)]
    return [{a: w for a, w in image.tile_words(*at).items() if w} for at in places]


@pytest.fixture
def as_if_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints have the form of those of large fabrics."""
    from fabric.engine import cores

    monkeypatch.setattr(cores, "PLAIN", 0)


def stopped(image: Image, engine: str, cycles: int) -> Image | None:
    """The core, as it comes out of its file, of a run that had not ended."""
    result, _ = run(image, engine, cycles)
    return None if result is None or result.status != "cycles" else from_elf(to_elf(result.image), "core")


@pytest.mark.parametrize("seed", range(600, 630))
def test_from_any_cycle(seed: int) -> None:
    image = random_image(seed, calm=seed % 2 == 0)
    try:
        whole, end = run(image, "python", 400)
    except UserError:
        return
    for engine in ENGINES:
        core = stopped(image, engine, random.Random(seed).randrange(1, 60))
        if core is None:
            continue
        for second in ENGINES:
            result, other = run(image, second, 400, core)
            assert other == end
            if whole is not None and result is not None:
                assert words(result.image) == words(whole.image)
                assert result.why_blocked() == whole.why_blocked()


@pytest.mark.parametrize("seed", range(630, 650))
@pytest.mark.usefixtures("as_if_large")
def test_the_form_of_large_fabrics(seed: int) -> None:
    image = random_image(seed, calm=seed % 2 == 0)
    try:
        whole, end = run(image, "fast", 400)
        core = stopped(image, "fast", random.Random(seed).randrange(1, 60))
    except UserError:
        return
    if core is None:
        return
    assert core.extra["checkpoint"].startswith(corefile.RAW)
    reference = load(core)
    corefile.restore(reference, core, "core")
    machine = Machine.load(core)
    corefile.restore(machine, core, "core")
    check(reference, machine, whole=True)
    for engine in ENGINES:
        result, other = run(image, engine, 400, core)
        assert other == end
        if whole is not None and result is not None:
            assert words(result.image) == words(whole.image)


@pytest.mark.usefixtures("as_if_large")
def test_a_damaged_checkpoint_of_a_large_fabric(monkeypatch: pytest.MonkeyPatch) -> None:
    from fabric.engine import rawstate

    def why(core: Image) -> str:
        with pytest.raises(UserError) as e:
            run(exchange.image(2, 2, 2), "fast", 100, core)
        assert e.value.diagnostics[0].code.code == "FB509"
        return e.value.diagnostics[0].message

    core = stopped(exchange.image(2, 2, 2), "fast", 50)
    assert core is not None
    packed = core.extra["checkpoint"]
    core.extra["checkpoint"] = packed[:-99]
    assert "damaged" in why(core)
    core.extra["checkpoint"] = packed[:40] + bytes(40) + packed[80:]
    assert "damaged" in why(core)
    core.extra["checkpoint"] = packed
    monkeypatch.setattr(rawstate, "source_hash", lambda: "other")
    assert "another version of the fast engine wrote it" in why(core)


@pytest.mark.parametrize("seed", range(700, 712))
def test_the_state_itself(seed: int) -> None:
    """A checkpoint of the reference, taken into the engine, is the reference's state."""
    image = random_image(seed, calm=True)
    try:
        core = stopped(image, "python", 30)
    except UserError:
        return
    if core is None:
        return
    reference, machine = load(core), Machine.load(core)
    for each in (reference, machine):
        corefile.restore(each, core, "core")
    check(reference, machine, whole=True)


@pytest.mark.parametrize("seed", [804, 810, 821, 824, 837, 839])
def test_logs_of_what_goes_on(seed: int) -> None:
    image = random_image(seed, calm=True)
    core = stopped(image, "fast", 25)
    assert core is not None
    same(note(image, "python", 300, core=core), note(image, "fast", 300, core=core))


def test_the_engine_takes_over_behind_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    image = exchange.image(4, 4, 3)
    whole, end = run(image, "python", 100_000)
    core = stopped(image, "python", 301)
    monkeypatch.setattr(fast, "SMALL", 2000)
    monkeypatch.setattr(fast, "COLD", 2000)
    told: list[str] = []
    simulation = Simulation(image, told=told.append)
    assert core is not None and whole is not None
    simulation.resume(core)
    result = simulation.run(100_000)
    assert any("from cycle 429 on the fast engine" in line for line in told)  # 301 and eight slices of 16 cycles
    assert f"{result.status} {result.cycles}" == end
    assert words(result.image) == words(whole.image)


def test_stopped_again_and_again() -> None:
    """Each leg on the other simulator; the cores of cores keep what only the first one changed."""
    image = exchange.image(3, 2, 3)
    whole, _ = run(image, "python", 100_000)
    core = stopped(image, "fast", 100)
    for k, cycles in enumerate((333, 334, 600)):
        result, _ = run(image, ENGINES[k % 2], cycles, core)
        assert result is not None
        core = result.image
    last, _ = run(image, "fast", 100_000, core)
    assert whole is not None and last is not None
    assert words(last.image) == words(whole.image)


def test_a_damaged_checkpoint() -> None:
    core = stopped(exchange.image(2, 2, 2), "fast", 50)
    assert core is not None
    core.extra["checkpoint"] = core.extra["checkpoint"][:-9]
    with pytest.raises(UserError) as e:
        run(exchange.image(2, 2, 2), "fast", 100, core)
    assert e.value.diagnostics[0].code.code == "FB509"
