"""The state of a core as plain data (JSON), and back: its part of a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.descriptor import FABIN
from fabric.reference.tasks import Trigger
from fabric.reference.vectors import VectorOp

if TYPE_CHECKING:
    from fabric.reference.core import Core


def take(core: Core) -> dict[str, Any]:
    """All of the state of a core but its memory."""
    live = [[o.background.ut, o.snapshot()] for o in core.live if o.background is not None]
    order = [[k, q, [-1 if o.ut is None else o.ut for o in users]] for (k, q), users in core.users.items()]
    return {
        "regs": list(core.regs),
        "preds": list(core.preds),
        "dsrs": [list(d) for d in core.dsrs],
        "acc": core.acc,
        "carry": core.carry,
        "usable": list(core.usable),
        "tasks": core.tasks.snapshot(),
        "task": core.task,
        "pc": core.pc,
        "next_issue": core.next_issue,
        "after_vector": core.after_vector,
        "vector": None if core.vector is None else core.vector.snapshot(),
        "live": live,
        "users": order,
        "draining": list(core.draining),
        "events": [list(e) for e in sorted(core.events)],
        "event_count": core.event_count,
        "pipe_free": core.pipe_free,
        "halted": core.halted,
        "last_execute": core.last_execute,
        "trigger": None if core.trigger is None else list(core.trigger),
    }


def restore(core: Core, state: Any) -> None:
    """Takes `take` back into a core of the same program, whose memory has been restored."""
    core.regs, core.preds = list(state["regs"]), list(state["preds"])
    core.dsrs = [list(d) for d in state["dsrs"]]
    core.acc, core.carry = state["acc"], state["carry"]
    core.usable = list(state["usable"])
    core.tasks.restore(state["tasks"])
    core.task, core.pc, core.next_issue = state["task"], state["pc"], state["next_issue"]
    core.traced_task = core.task
    core.after_vector = state["after_vector"]
    core.draining = list(state["draining"])
    core.events = [(c, o, a, t) for c, o, a, t in state["events"]]
    core.event_count, core.pipe_free = state["event_count"], state["pipe_free"]
    core.halted, core.last_execute = state["halted"], state["last_execute"]
    core.trigger = None if state["trigger"] is None else Trigger(*state["trigger"])
    by_thread: dict[int, VectorOp] = {}
    if state["vector"] is not None:
        core.vector = by_thread[-1] = VectorOp.restore(core, state["vector"])
    for ut, saved in state["live"]:
        core.threads[ut] = by_thread[ut] = VectorOp.restore(core, saved)
    core.live = [o for o in core.threads if o is not None]
    for kind, queue, threads in state["users"]:
        core.users[kind, queue] = users = [by_thread[ut] for ut in threads]
        if kind == FABIN:
            core.tasks.held[queue] = len(users)
            core.tasks.filtering[queue] = sum(o.kind == "filter" for o in users)
