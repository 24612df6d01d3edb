"""Whether the engine's functions are compiled.

The same source runs as plain Python when the environment says OPEN_TUNGSTEN_ENGINE=plain: for the debugger, and for
coverage. It has to be set before the engine is imported.
"""

from __future__ import annotations

import os

COMPILED = os.environ.get("OPEN_TUNGSTEN_ENGINE", "") != "plain"
