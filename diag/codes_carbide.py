"""Error codes of carbide."""

from __future__ import annotations

from diag.codes import Code, error, warning

ROWS: list[Code] = []
_ = (error, warning)
