"""Prints, as one JSON line, what Promptise recovers from a journal."""

from __future__ import annotations

import sys
from typing import Any

sys.dont_write_bytecode = True

from each_journal import main  # noqa: E402
from promptise.runtime.journal import FileJournal, ReplayEngine  # noqa: E402


async def recover(journal: FileJournal, key: str) -> dict[str, Any]:
    return await ReplayEngine(journal).recover(key)


if __name__ == "__main__":
    sys.exit(main(recover))
