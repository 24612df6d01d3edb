"""The evaluator: what a kernel means, worked out from the typed tree alone with numpy scalar types.

It is the oracle of the compiler and of the simulators and therefore shares no code with either: every rule of
tungsten.md 3 to 7 is written out once more here, for the reader, without regard to speed.
"""

from __future__ import annotations
