"""What recover.py and read.py share: the command line, and a copy to work on.

Promptise makes the journal directory when it opens one, so it is only ever
given a copy: the directory named on the command line stays as it was.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from promptise.runtime.journal import FileJournal

Answer = Callable[[FileJournal, str], Awaitable[Any]]

USAGE = "usage: {name} <directory> <process-key>   or   {name} --batch < lines"


def ask(answer: Answer, directory: Path, key: str) -> Any:
    """Gives the answer for one journal, or {"error": "<class>: <message>"}."""
    with tempfile.TemporaryDirectory(prefix="holdfast-interop-") as temporary:
        copy = Path(temporary) / "journal"
        try:
            shutil.copytree(directory, copy)
            return asyncio.run(answer(FileJournal(str(copy)), key))
        except Exception as error:
            message = str(error).replace(str(copy), "<journal>")
            return {"error": f"{type(error).__name__}: {message}"}


def print_line(value: Any) -> None:
    print(json.dumps(value, default=str), flush=True)


def main(answer: Answer) -> int:
    """Answers for one journal, or for each "<directory>TAB<key>" line of stdin."""
    arguments = sys.argv[1:]
    if arguments == ["--batch"]:
        sys.stdin.reconfigure(encoding="utf-8", newline="\n")
        for line in sys.stdin:
            directory, _, key = line.removesuffix("\n").partition("\t")
            print_line(ask(answer, Path(directory), key))
        return 0
    if len(arguments) != 2:
        print(USAGE.format(name=Path(sys.argv[0]).name), file=sys.stderr)
        return 2
    print_line(ask(answer, Path(arguments[0]), arguments[1]))
    return 0
