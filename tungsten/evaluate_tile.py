"""One tile of the evaluator: its state, its threads, and who has the core (tungsten.md 7).

A *thread* is code with an order of its own: the top-level code, an arm of a `parallel`, a handler. A transfer arm is
a microthread and runs by itself; of the others one at a time has the core, until it ends or waits without holding it.
Nothing is timed: a thread runs until it has to wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tungsten import tree as t
from tungsten.evaluate_expr import HOLD, Steps
from tungsten.evaluate_memory import Frame, Memory, Places
from tungsten.evaluate_numbers import Value, from_bits, scalar, zero
from tungsten.evaluate_stmt import Ended, Statements, is_transfer
from tungsten.evaluate_wire import CONTROL_NOBODY, Channel, Counter, Ring, Walk, Wave
from tungsten.types import SP


class EvaluationError(Exception):
    """The kernel does what has no meaning: a control wavelet for nobody, an empty stream, a loop without end."""


@dataclass(eq=False)
class Thread:
    """`micro`: needs no core. `done`: its code is through; `ended`: it stopped at a dispatch, so it is never done."""

    steps: Steps[None]
    micro: bool
    code: Statements
    done: bool = False
    ended: bool = False
    what: str = ""


class Tile:
    """The state of one kernel. `limit`: statements that may run in all."""

    def __init__(self, program: t.Program, layout: Mapping[str, int], limit: int) -> None:
        self.program = program
        self.memory = Memory()
        self.places = Places(program, self.memory, layout)
        self.accumulator: Value = zero(SP)
        self.channels = {
            s: Channel(Counter(f) for f in program.filters if f.socket is s) for s in program.sockets
        }
        self.rings = {f: Ring(f.memory.type.words // f.elem.words) for f in program.fifos}
        self.walks = {it: Walk(it) for it in program.iterators}
        self.sent: dict[t.Socket, list[Wave]] = {s: [] for s in program.sockets}
        self.outputs: dict[t.Socket, list[Channel]] = {s: [] for s in program.sockets}
        self.progress = 0  # grows whenever something happens
        self.steps = 0
        self.limit = limit
        self._values: list[t.Socket | Walk] = []  # what captured DSD values stand for
        self._open: list[tuple[t.Dispatch, Frame]] = []
        self._serving: dict[t.Dispatch, Thread] = {}  # the last handler of each
        self._micro: list[Thread] = []
        self._waiting: list[Thread] = []
        self._running: Thread | None = None
        body = t.Block(program.span, {}, program.body)
        self.main = self.start(body, self.places.top, in_arm=False)

    def count_step(self, s: t.Stmt) -> None:
        """One more statement. Raises EvaluationError past the limit."""
        self.steps += 1
        if self.steps > self.limit:
            raise EvaluationError(f"{s.span.label()}: more than {self.limit} statements")

    # --- threads

    def start(self, s: t.Stmt, frame: Frame, in_arm: bool, background: bool = False) -> Thread:
        """A thread that does one statement."""
        code = Statements(self, frame, in_arm, background)
        thread = Thread(code.run(s), in_arm and (background or is_transfer(s)), code, what=s.span.label())
        (self._micro if thread.micro else self._waiting).append(thread)
        self.progress += 1
        return thread

    def _step(self, thread: Thread) -> bool:
        """Runs a thread until it waits or is through; whether it holds the core."""
        try:
            return next(thread.steps)
        except StopIteration:
            thread.done = True
        except Ended:
            thread.ended = True
        self.progress += 1
        return False

    def round(self) -> None:
        """Everything runs as far as it can without new wavelets, once."""
        for thread in list(self._micro):
            self._step(thread)
        self._micro = [x for x in self._micro if not (x.done or x.ended)]
        if self._running is not None:
            self._take(self._running)
            return
        self._handlers()
        waiting, self._waiting = self._waiting, []
        for k, thread in enumerate(waiting):
            self._take(thread)
            if self._running is not None:
                self._waiting += waiting[k + 1 :]
                return

    def _take(self, thread: Thread) -> None:
        """A thread has the core and keeps it, or waits again, or is through."""
        self._running = thread if self._step(thread) == HOLD else None
        if self._running is None and not (thread.done or thread.ended):
            self._waiting.append(thread)

    @property
    def serving(self) -> bool:
        """Some dispatch is open."""
        return bool(self._open)

    def waiting(self) -> list[str]:
        """Where the threads that are not through wait."""
        threads = [*self._micro, *self._waiting, *([self._running] if self._running else [])]
        return [x.what for x in threads]

    # --- dispatch

    def open(self, s: t.Dispatch, frame: Frame) -> None:
        """The handlers of a socket start to serve."""
        self._open.append((s, frame))

    def _handlers(self) -> None:
        """One handler for each socket that has a wavelet, in front of what waits already."""
        for s, frame in self._open:
            channel = self.channels[s.socket]
            wave = channel.next()
            serving = self._serving.get(s)
            if wave is None or (serving is not None and not serving.done):
                continue
            if wave.control:
                self._control(s, frame, channel.take())
            else:
                self._data(s, frame, channel)

    def _control(self, s: t.Dispatch, frame: Frame, wave: Wave) -> None:
        self.progress += 1
        handlers = [h for h in s.handlers if h.control]
        named = [h for h in handlers if h.control_id == wave.task] or [h for h in handlers if h.control_id is None]
        if named:
            self._handle(s, named[0], frame, wave.value)
        elif wave.task != CONTROL_NOBODY:
            raise EvaluationError(f"{s.span.label()}: a control wavelet for task {wave.task}, which has no code")

    def _data(self, s: t.Dispatch, frame: Frame, channel: Channel) -> None:
        handler = next((h for h in s.handlers if not h.control), None)
        if handler is None:
            return
        whole = handler.value is None or handler.index is not None
        bits = 32 if handler.value is None else 16 * handler.value.type.words
        if whole:
            value = channel.take().value
        elif channel.ready(bits):
            value = channel.read(bits)
        else:
            return
        self.progress += 1
        self._handle(s, handler, frame, value)

    def _handle(self, s: t.Dispatch, handler: t.Handler, frame: Frame, value: int) -> None:
        if handler.value is not None:
            self._bind(handler.value, frame, value)
        if handler.index is not None:
            self._bind(handler.index, frame, value >> 16)
        code = Statements(self, frame, False, False)
        thread = Thread(code.run(handler.body), False, code, what=handler.span.label())
        self._serving[s] = thread
        self._waiting.insert(0, thread)

    def _bind(self, symbol: t.Symbol, frame: Frame, bits: int) -> None:
        kind = scalar(symbol.type)
        self.memory.store(self.places.place(symbol, frame), kind, from_bits(bits, kind))

    # --- sends and DSD values

    def send(self, socket: t.Socket, wave: Wave) -> None:
        self.progress += 1
        self.sent[socket].append(wave)
        for channel in self.outputs[socket]:
            channel.put(wave)

    def capture(self, source: t.Socket | t.Iterator) -> int:
        """The DSD value of a socket, or of an iterator that goes on from here by itself."""
        self._values.append(self.walks[source].copy() if isinstance(source, t.Iterator) else source)
        return len(self._values)

    def held(self, value: Value) -> t.Socket | Walk:
        """What a DSD value stands for. Raises EvaluationError when it is none."""
        number = int(value)
        if not 1 <= number <= len(self._values):
            raise EvaluationError(f"{number:#x} is no captured socket or iterator")
        return self._values[number - 1]
