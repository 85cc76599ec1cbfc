"""How many rows are read, drawn, coded and written at a time.

Large enough that nothing is lost by going step by step, small enough for any memory. Whole blocks of rows, so that
seeds and digests of blocks are never cut; a key file of true draws is coded and sealed in segments of as many rows, so
this number is part of its format (docs/reference/files.md).
"""

from __future__ import annotations

CHUNK_ROWS = 1 << 18
