"""Random images on both simulators: state for state at random cycles and at the end, fault for fault."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
from engine_compare import check
from engine_images import random_image

from diag.report import UserError
from fabric.engine.machine import Machine
from fabric.engine.support import unsupported
from fabric.image import Image
from fabric.reference.core import Core
from fabric.reference.core_fault import CoreFault
from fabric.reference.fabric import Fabric
from fabric.reference.fault import FabricFault
from fabric.reference.storage import Cache
from fabric.reference.tile import Tile
from fabric.simulation import _has_code
from fabric.timing import DEFAULT, Timing

End = tuple[bool | None, str]


def load(image: Image, timing: Timing = DEFAULT) -> Fabric:
    cache: Cache = {}

    def core(tile: Tile) -> Core | None:
        return Core(tile, cache) if _has_code(tile) else None

    return Fabric.load(image, core, timing)


def run(fabric: Fabric | Machine, until: int) -> End:
    """(quiet, fault)."""
    try:
        return fabric.run(until), ""
    except CoreFault as e:
        return None, f"{e} pc={e.pc} {e.others} {e.args_of_code}"
    except FabricFault as e:
        return None, str(e)


def agree(seed: int, threads: int = 1, limit: int = 600, timing: Timing = DEFAULT) -> str:
    """Runs an image on both; says how it ended."""
    rng = random.Random(seed)
    image = random_image(seed, calm=rng.random() < 0.5)
    try:
        reference = load(image, timing)
    except UserError as e:
        with pytest.raises(UserError) as other:
            Machine.load(image, timing)
        assert str(other.value) == str(e)
        return "rejected"
    machine = Machine.load(image, timing, threads)
    early = timing is not DEFAULT
    check(reference, machine, early=early)
    stops = sorted({rng.randrange(1, limit) for _ in range(4)} | {limit})
    for stop in stops:
        a, b = run(reference, stop), run(machine, stop)
        assert a == b, (seed, reference.now, a, b)
        if a[0] is None:
            return a[1][:5]
        check(reference, machine, stop == stops[-1] or bool(a[0]), early)
        if a[0]:
            return "quiet"
    return "limit"


@pytest.mark.parametrize("seed", range(60))
def test_random_images(seed: int) -> None:
    agree(seed, threads=1 + seed % 2)


def drawn(seed: int) -> Timing:
    """A timing table by lot, as far as the engine takes any."""
    rng = random.Random(seed)
    names = [f.name for f in fields(DEFAULT)]
    while True:
        values = {name: rng.choice([1, 1, 2, 5, 17, 40, 90, 500]) for name in names if rng.random() < 0.4}
        timing = replace(DEFAULT, **values)
        if unsupported(timing) is None:
            return timing


@pytest.mark.parametrize("seed", range(2000, 2030))
def test_other_timing_tables(seed: int) -> None:
    agree(seed, timing=drawn(seed))


@pytest.mark.slow
def test_random_images_at_length() -> None:
    for seed in range(1000, 4000):
        agree(seed, threads=1 + seed % 3)
