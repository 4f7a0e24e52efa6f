"""Prints, as one JSON line, the list of entries Promptise reads from a journal."""

from __future__ import annotations

import sys
from typing import Any

sys.dont_write_bytecode = True

from each_journal import main  # noqa: E402
from promptise.runtime.journal import FileJournal  # noqa: E402


async def read(journal: FileJournal, key: str) -> list[dict[str, Any]]:
    return [entry.to_dict() for entry in await journal.read(key)]


if __name__ == "__main__":
    sys.exit(main(read))
