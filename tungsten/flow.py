"""What typed trees do: reads and calls, where a thread ends, which loops are transfers (tungsten.md 2, 7)."""

from __future__ import annotations

from tungsten import tree


def ends(node: tree.Stmt) -> bool:
    """Whether nothing behind a statement is ever reached."""
    if isinstance(node, tree.Forever) or ends_thread(node):
        return True
    if isinstance(node, tree.ForAll):
        endless = any(r.high is None for r in node.ranges)
        return endless and not is_transfer(node)
    if isinstance(node, tree.Block):
        return bool(node.body) and ends(node.body[-1])
    if isinstance(node, tree.If):
        return node.other is not None and ends(node.then) and ends(node.other)
    if isinstance(node, tree.Parallel):
        return any(ends(arm) for arm in node.arms)
    return False


def ends_thread(node: tree.Stmt) -> bool:
    """Whether a statement is a dispatch, with which its thread ends."""
    if isinstance(node, tree.Dispatch):
        return True
    return isinstance(node, tree.Block) and bool(node.body) and ends_thread(node.body[-1])


def is_transfer(node: tree.ForAll) -> bool:
    """Whether a loop's body is one statement that sends to or reads from a queue or FIFO."""
    body: tree.Stmt = node.body
    while isinstance(body, tree.Block) and len(body.body) == 1:
        body = body.body[0]
    if isinstance(body, tree.Send):
        return True
    if isinstance(body, tree.Assign | tree.Accumulate | tree.Discard):
        if isinstance(body, tree.Accumulate) and body.factors is not None:
            return any(has_effect(f) for f in body.factors)
        return body.value is not None and has_effect(body.value)
    return False


def has_effect(node: tree.Expr) -> bool:
    """Whether evaluating an expression twice differs from once: it reads a queue or calls a function."""
    if isinstance(node, tree.Recv | tree.Call):
        return True
    parts: list[tree.Expr] = []
    for value in vars(node).values():
        if isinstance(value, tree.Node):
            parts.append(value)  # type: ignore[arg-type]
        elif isinstance(value, list):
            parts += [v for v in value if isinstance(v, tree.Node)]  # type: ignore[misc]
    return any(has_effect(part) for part in parts)
