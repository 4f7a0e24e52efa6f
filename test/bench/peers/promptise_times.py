"""Times Promptise's own journal and replay, and prints the seconds as one JSON line.

usage: promptise_times.py append <new directory> <count> <text>
       promptise_times.py recover <directory> <process>
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

sys.dont_write_bytecode = True

from promptise.runtime.journal import FileJournal, JournalEntry, ReplayEngine  # noqa: E402


async def append(directory: str, count: int, text: str) -> dict[str, Any]:
    journal = FileJournal(directory)
    start = time.perf_counter()
    for number in range(count):
        entry = JournalEntry(
            process_id="agent",
            entry_type="invocation_result",
            data={"number": number, "response": text},
        )
        await journal.append(entry)
    seconds = time.perf_counter() - start
    written = len(await journal.read("agent"))
    if written != count:
        raise SystemExit(f"{written} of {count} entries are there")
    return {"seconds": seconds}


async def recover(directory: str, process: str) -> dict[str, Any]:
    engine = ReplayEngine(FileJournal(directory))
    start = time.perf_counter()
    recovered = await engine.recover(process)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "entries": recovered["entries_replayed"],
        "keys": len(recovered["context_state"]),
    }


def main() -> int:
    match sys.argv[1:]:
        case ["append", directory, count, text]:
            answer = asyncio.run(append(directory, int(count), text))
        case ["recover", directory, process]:
            answer = asyncio.run(recover(directory, process))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
