"""Prints, for each line of stdin, what Promptise recovers from one journal.

A line is a JSON object: `directory` and `process`, and where the journal is
still to be written, `steps` for the real FileJournal to take first:
["append", <entry type>, <data>], ["checkpoint", <state>], or
["killed", <state>], a checkpoint whose line was never written.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.dont_write_bytecode = True

from each_journal import ask, print_line  # noqa: E402
from promptise.runtime.journal import FileJournal, JournalEntry  # noqa: E402
from recover import recover  # noqa: E402


class KilledBeforeTheLine(FileJournal):
    """Stops where a crash can: the checkpoint file is written, its line is not."""

    async def append(self, entry: JournalEntry) -> None:
        raise InterruptedError


async def take(steps: list[list[Any]], directory: str, process: str) -> None:
    journal = FileJournal(directory)
    for step in steps:
        if step[0] == "append":
            entry = JournalEntry(process_id=process, entry_type=step[1], data=step[2])
            await journal.append(entry)
        elif step[0] == "checkpoint":
            await journal.checkpoint(process, step[1])
        else:
            try:
                await KilledBeforeTheLine(directory).checkpoint(process, step[1])
            except InterruptedError:
                pass


def main() -> int:
    logging.disable(logging.CRITICAL)
    sys.stdin.reconfigure(encoding="utf-8", newline="\n")
    for line in sys.stdin:
        asked = json.loads(line)
        if "steps" in asked:
            asyncio.run(take(asked["steps"], asked["directory"], asked["process"]))
        print_line(ask(recover, Path(asked["directory"]), asked["process"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
