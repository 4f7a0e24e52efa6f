"""Writes journals with the real Promptise, for the tests to read.

usage: write_golden.py <outdir>

Each case becomes <outdir>/<case>/journal, as Promptise left it, and
<outdir>/<case>/expected.json: for each process key what Promptise recovers
from it. No model, key or network is used: the agents run on scripted replies.
Times and ids come from a counter, so that two runs write the same bytes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

sys.dont_write_bytecode = True
os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"

from each_journal import ask  # noqa: E402
from promptise.runtime import (  # noqa: E402
    AgentProcess,
    JournalConfig,
    ProcessConfig,
    budget,
    context,
    hooks,
    lifecycle,
    mission,
    process,
    secrets,
)
from promptise.runtime.config import (  # noqa: E402
    BudgetConfig,
    MissionConfig,
    SecretScopeConfig,
    ToolCostAnnotation,
)
from promptise.runtime.journal import (  # noqa: E402
    FileJournal,
    JournalEntry,
    ReplayEngine,
    RewindEngine,
    RewindMode,
    base,
    rewind,
)
from promptise.runtime.lifecycle import ProcessState  # noqa: E402
from promptise.runtime.triggers.base import TriggerEvent  # noqa: E402
from promptise.testing import ScriptedModel, ToolCall  # noqa: E402
from recover import recover  # noqa: E402

# --- Times and ids that repeat ----------------------------------------------

START = datetime(2026, 1, 5, 9, 0, tzinfo=timezone.utc)
STEP = timedelta(milliseconds=125)


class CountedTime(datetime):
    """A datetime whose now() moves on by one step each time it is asked."""

    ticks: Iterator[int] = count()

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return START + STEP * next(cls.ticks)


ids: Iterator[int] = count(1)
seconds: Iterator[int] = count()


def counted_uuid() -> UUID:
    return UUID(int=(0x4000 << 64) | (0x8 << 60) | next(ids))


def counted_seconds() -> float:
    return next(seconds) / 80


def restart_counters() -> None:
    global ids, seconds
    CountedTime.ticks = count()
    ids, seconds = count(1), count()


def count_time_and_ids() -> None:
    """Puts the counters where Promptise looks for the time and for new ids."""
    for module in (base, budget, lifecycle, mission, process, rewind, secrets):
        module.datetime = CountedTime
    base.uuid4 = rewind.uuid4 = counted_uuid
    process.secrets = SimpleNamespace(token_hex=lambda size: "ab" * size)
    clock = SimpleNamespace(
        monotonic=counted_seconds, perf_counter=counted_seconds, time=START.timestamp
    )
    process.time = mission.time = clock
    entry = context.StateEntry
    context.StateEntry = lambda **fields: entry(timestamp=START.timestamp() + 0.5, **fields)


# --- Journals written entry by entry -----------------------------------------


async def change_state(
    journal: FileJournal, key: str, before: ProcessState, after: ProcessState
) -> None:
    data = {"from_state": before, "to_state": after, "reason": "", "process_id": "process-1"}
    await journal.append(JournalEntry(process_id=key, entry_type="state_transition", data=data))


async def put(journal: FileJournal, key: str, name: str, value: Any) -> None:
    data = {"key": name, "value": value}
    await journal.append(JournalEntry(process_id=key, entry_type="context_update", data=data))


def snapshot(**state: Any) -> dict[str, Any]:
    return {
        "context_state": state,
        "lifecycle_state": ProcessState.RUNNING,
        "invocation_count": 1,
        "conversation": [
            {"role": "user", "content": "Count the parcels."},
            {"role": "assistant", "content": "Counted."},
        ],
    }


async def running(journal: FileJournal, key: str) -> None:
    await change_state(journal, key, ProcessState.CREATED, ProcessState.STARTING)
    await change_state(journal, key, ProcessState.STARTING, ProcessState.RUNNING)


async def count_parcels(journal: FileJournal, key: str) -> None:
    """A short life with one checkpoint in the middle of it."""
    await running(journal, key)
    await put(journal, key, "parcels", 1)
    await journal.checkpoint(key, snapshot(parcels=1, city="Porto"))
    await put(journal, key, "parcels", 2)
    await change_state(journal, key, ProcessState.RUNNING, ProcessState.SUSPENDED)


def checkpoint_file(directory: Path, key: str) -> Path:
    return directory / f"{key}.checkpoint.json"


def cut(file: Path, share: float) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])


def append_bytes(directory: Path, key: str, raw: bytes) -> None:
    with (directory / f"{key}.jsonl").open("ab") as file:
        file.write(raw)


class KilledBeforeTheLine(FileJournal):
    """Stops where a crash can: the checkpoint file is written, its line is not."""

    async def append(self, entry: JournalEntry) -> None:
        if entry.entry_type == "checkpoint":
            raise InterruptedError
        await super().append(entry)


async def article(directory: Path) -> None:
    key = "market-watcher"
    journal = FileJournal(str(directory))
    transition = {"from_state": ProcessState.STARTING, "to_state": ProcessState.RUNNING}
    await journal.append(
        JournalEntry(process_id=key, entry_type="state_transition", data=transition)
    )
    await journal.checkpoint(
        key, {"context_state": {"reports_written": 12}, "lifecycle_state": ProcessState.RUNNING}
    )
    await put(journal, key, "reports_written", 13)
    recovered = await ReplayEngine(journal).recover(key)
    assert recovered["context_state"] == {"reports_written": 13}, recovered


class Colour(Enum):
    RED = 1


TEXT = {
    "accents": "São Tomé, naïve, Žižek, e\u0301",
    "east_asian": "東京 서울 北京",
    "astral": "parcel 📦, family 👨‍👩‍👧, letter 𝒜",
    "right_to_left": "שלום مرحبا \u202eabc\u202c",
    "controls": "nul \x00 bell \x07 escape \x1b tab \t line \n return \r unit \x1f delete \x7f",
    "line_ends": "next \x85 line \u2028 paragraph \u2029",
    "quotes": "\" ' \\ / </script> \ufeff",
    "half_pair": "\ud83d",
    "empty": "",
    "clé 鍵 🔑": "a key outside ASCII",
}
NUMBERS = {
    "not_a_number": float("nan"),
    "infinity": float("inf"),
    "minus_infinity": float("-inf"),
    "past_2_53": 9007199254740993,
    "past_2_53_negative": -9007199254740993,
    "nineteen_digits": 3544790567247868102,
    "past_2_64": 2**64 + 1,
    "googol_power_four": 10**400,
    "tiny": 1e-07,
    "small": 1e-05,
    "one": 1.0,
    "minus_zero": -0.0,
    "sixteen": 1e16,
    "twenty_two": 1e22,
    "smallest": 5e-324,
    "largest": 1.7976931348623157e308,
    "sum": 0.1 + 0.2,
    "integer": 0,
    "minus_one": -1,
}
PYTHON_ONLY = {
    "time": START,
    "set": {"a"},
    "tuple": (1, 2.0, None),
    "enum": Colour.RED,
    "bytes": b"\x00\xff",
    "decimal": Decimal("1E+400"),
    "keys": {1: "one", 2.5: "two and a half", True: "overwrites one", None: "none"},
}


async def text_and_numbers(directory: Path) -> None:
    key = "observer"
    journal = FileJournal(str(directory))
    await running(journal, key)
    for name, value in {**TEXT, **NUMBERS}.items():
        await put(journal, key, name, value)
    await put(journal, key, "python_only", PYTHON_ONLY)
    nested = [[[{"deep": [1.0]}]]]
    state = snapshot(text=TEXT, numbers=NUMBERS, python_only=PYTHON_ONLY, list=nested)
    state["conversation"] = [{"role": "user", "content": text} for text in TEXT.values()]
    await journal.checkpoint(key, state)
    lists = {"numbers": list(NUMBERS.values()), "text": list(TEXT.values())}
    await put(journal, key, "after", lists)


async def two_processes(directory: Path) -> None:
    journal = FileJournal(str(directory))
    for key, parcels in (("north", 3), ("south", 5)):
        await running(journal, key)
        await journal.checkpoint(key, snapshot(parcels=parcels))
    await put(journal, "south", "parcels", 6)
    await put(journal, "north", "parcels", 4)


async def checkpoint_file_missing(directory: Path) -> None:
    await count_parcels(FileJournal(str(directory)), "counter")
    checkpoint_file(directory, "counter").unlink()


async def checkpoint_file_corrupt(directory: Path) -> None:
    await count_parcels(FileJournal(str(directory)), "counter")
    cut(checkpoint_file(directory, "counter"), 0.5)


async def checkpoint_file_ahead(directory: Path) -> None:
    await count_parcels(FileJournal(str(directory)), "counter")
    try:
        await KilledBeforeTheLine(str(directory)).checkpoint(
            "counter", snapshot(parcels=9, city="Faro")
        )
    except InterruptedError:
        pass


async def checkpoint_file_alone(directory: Path) -> None:
    try:
        await KilledBeforeTheLine(str(directory)).checkpoint("counter", snapshot(parcels=1))
    except InterruptedError:
        pass
    await put(FileJournal(str(directory)), "counter", "parcels", 2)


async def checkpoint_file_older(directory: Path) -> None:
    journal = FileJournal(str(directory))
    await count_parcels(journal, "counter")
    older = checkpoint_file(directory, "counter").read_bytes()
    await journal.checkpoint("counter", snapshot(parcels=8, city="Braga"))
    await put(journal, "counter", "parcels", 9)
    checkpoint_file(directory, "counter").write_bytes(older)


async def checkpoint_file_half_written(directory: Path) -> None:
    """A kill while the next checkpoint was being written leaves its temporary file."""
    await count_parcels(FileJournal(str(directory)), "counter")
    whole = checkpoint_file(directory, "counter").read_bytes()
    (directory / ".counter.checkpoint.json.k1ll3d00.tmp").write_bytes(whole[: len(whole) // 2])


def checkpoint_file_holds(text: str) -> Callable[[Path], Awaitable[None]]:
    async def case(directory: Path) -> None:
        await count_parcels(FileJournal(str(directory)), "counter")
        checkpoint_file(directory, "counter").write_text(text)

    return case


async def torn_tail(directory: Path) -> None:
    journal = FileJournal(str(directory))
    await count_parcels(journal, "counter")
    lines = directory / "counter.jsonl"
    size = lines.stat().st_size
    await put(journal, "counter", "parcels", 3)
    added = lines.stat().st_size - size
    os.truncate(lines, size + added // 2)


async def torn_tail_then_append(directory: Path) -> None:
    await torn_tail(directory)
    journal = FileJournal(str(directory))
    await put(journal, "counter", "parcels", 4)
    await put(journal, "counter", "city", "Évora")


async def no_checkpoint(directory: Path) -> None:
    journal = FileJournal(str(directory))
    await running(journal, "counter")
    for parcels in range(1, 4):
        await put(journal, "counter", "parcels", parcels)
    await put(journal, "counter", "note", None)
    await change_state(journal, "counter", ProcessState.RUNNING, ProcessState.STOPPING)


async def name_with_slash(directory: Path) -> None:
    await count_parcels(FileJournal(str(directory)), "team/a b")


def with_line(raw: bytes) -> Callable[[Path], Awaitable[None]]:
    """The usual short life, then one odd line, then one good one."""

    async def case(directory: Path) -> None:
        journal = FileJournal(str(directory))
        await count_parcels(journal, "counter")
        append_bytes(directory, "counter", raw + b"\n")
        await put(journal, "counter", "parcels", 3)

    return case


def raw_entry(**changes: Any) -> bytes:
    entry = {
        "entry_id": "odd-1",
        "process_id": "counter",
        "timestamp": "2026-01-05T10:00:00+00:00",
        "entry_type": "context_update",
        "data": {"key": "odd", "value": 1},
        **changes,
    }
    return json.dumps({key: value for key, value in entry.items() if value is not ...}).encode()


async def rewind_engine(directory: Path) -> None:
    """A rewind computed from the files alone: it is recorded, nothing applies it."""
    journal = FileJournal(str(directory))
    await count_parcels(journal, "counter")
    entries = await journal.read("counter")
    result = await RewindEngine(journal).apply(
        process_id="counter",
        target_entry_id=entries[-2].entry_id,
        mode=RewindMode.BOTH,
        actor="operator",
    )
    assert result.context_state == {"parcels": 1, "city": "Porto"}, result
    await RewindEngine(journal).apply(
        process_id="counter", target_entry_id=entries[2].entry_id, mode=RewindMode.SUMMARIZE
    )


# --- Journals a real process writes while it works ----------------------------


class Script(ScriptedModel):
    """A model that fails once it has no reply left, which makes that run fail."""

    def _respond(self, messages: list[Any], kwargs: dict[str, Any]) -> Any:
        if self.remaining == 0:
            raise ConnectionError("the model does not answer")
        return super()._respond(messages, kwargs)


def make_process(
    name: str,
    directory: Path,
    replies: list[Any],
    *,
    level: str = "checkpoint",
    on_report: Callable[[AgentProcess], Awaitable[None]] | None = None,
    **config: Any,
) -> AgentProcess:
    """A real agent process whose model answers with the given replies, in order."""

    async def store_report(title: str) -> str:
        """Stores a report and counts it."""
        state = worker.context
        state.put("reports_written", state.get("reports_written", 0) + 1)
        state.put("last_title", title)
        if on_report is not None:
            await on_report(worker)
        return f"stored {title}"

    async def send_report(title: str) -> str:
        """Sends a report by mail."""
        raise ConnectionError(f"no mail server for {title}")

    worker = AgentProcess(
        name,
        ProcessConfig(
            journal=JournalConfig(level=level, path=str(directory)),
            instructions="Store one report for each message.",
            **config,
        ),
        process_id=f"process-of-{name}",
        model=Script(replies),
        extra_tools=[store_report, send_report],
    )

    @worker.hooks.on(hooks.HookEvent.USER_PROMPT_SUBMIT)
    async def shorten(prompt: Any) -> None:
        prompt.data["prompt"] = f"Handle {prompt.data['event_id']}."

    return worker


def event(number: int, **payload: Any) -> TriggerEvent:
    return TriggerEvent(
        trigger_id="manual-1",
        trigger_type="manual",
        event_id=f"event-{number}",
        timestamp=START,
        payload=payload,
    )


async def run_event(worker: AgentProcess, number: int, **payload: Any) -> None:
    """Hands the process one event and waits until it is done with it."""
    done = asyncio.Event()

    @worker.hooks.on(hooks.HookEvent.TASK_COMPLETED, once=True)
    async def finished(_: Any) -> None:
        done.set()

    await worker.inject(event(number, **payload))
    await asyncio.wait_for(done.wait(), 30)


LIMITS = BudgetConfig(
    enabled=True,
    max_tool_calls_per_run=4,
    max_tool_calls_per_day=50,
    max_runs_per_day=40,
    max_cost_per_day=100.0,
    tool_costs={"send_report": ToolCostAnnotation(cost_weight=2.5, irreversible=True)},
)


def working_life(level: str) -> Callable[[Path], Awaitable[None]]:
    """Runs with and without tools, one that fails, a pause and a stop."""

    async def case(directory: Path) -> None:
        worker = make_process(
            "reporter",
            directory,
            [
                ToolCall("store_report", {"title": "Relatório de março"}),
                "Stored the report.",
                [
                    ToolCall("store_report", {"title": "second"}),
                    ToolCall("send_report", {"title": "second"}),
                ],
                "Stored it; the mail server did not answer. 📭",
            ],
            level=level,
            budget=LIMITS,
        )
        await worker.start()
        await run_event(worker, 1, report="first", pages=3)
        await run_event(worker, 2, report="second")
        await run_event(worker, 3, report="third")  # no reply is left
        await worker.suspend()
        await worker.resume()
        worker.model.replies.append("Nothing to store.")
        await run_event(worker, 4)
        worker.context.put("checked_by", "operator", source="api")
        await worker.stop()

    return case


def killed_in_a_run(level: str) -> Callable[[Path], Awaitable[None]]:
    """The files as a kill leaves them while a tool of the second run works."""

    async def case(directory: Path) -> None:
        alive = directory.with_name("alive")

        async def keep_files(worker: AgentProcess) -> None:
            await worker.context.flush_update_hooks()
            shutil.rmtree(directory, ignore_errors=True)
            shutil.copytree(alive, directory)

        call = ToolCall("store_report", {"title": "first"})
        again = ToolCall("store_report", {"title": "second"})
        worker = make_process(
            "reporter",
            alive,
            [call, "Stored.", again, "Stored."],
            level=level,
            on_report=keep_files,
            budget=LIMITS,
        )
        await worker.start()
        await run_event(worker, 1, report="first")
        await run_event(worker, 2, report="second")
        await worker.stop()
        shutil.rmtree(alive)

    return case


async def recovered_on_start(directory: Path) -> None:
    """A new process with the same name goes on where the killed one was."""
    await killed_in_a_run("full")(directory)
    worker = make_process("reporter", directory, ["Nothing new."], level="full", budget=LIMITS)
    await worker.start()
    assert worker.recovered is not None and worker.context.get("reports_written") == 2
    await run_event(worker, 3)
    await worker.stop()


async def interrupted_run(directory: Path) -> None:
    """A stop in the middle of a run, then a new process that knows of it."""
    started = asyncio.Event()

    async def hang(_: AgentProcess) -> None:
        started.set()
        await asyncio.sleep(3600)

    call = ToolCall("store_report", {"title": "first"})
    worker = make_process("reporter", directory, [call], on_report=hang)
    await worker.start()
    await worker.inject(event(1, report="first"))
    await asyncio.wait_for(started.wait(), 30)
    await worker.stop()
    after = make_process("reporter", directory, [])
    await after.start()
    assert len(after.dead_letters) == 1
    await after.stop()


async def governed(directory: Path) -> None:
    """Secrets, a budget that refuses a call, and a mission that is given up."""
    calls = [ToolCall("store_report", {"title": title}) for title in ("one", "two")]
    worker = make_process(
        "governed",
        directory,
        [calls, "The word is marmalade.", "Done."],
        level="full",
        budget=BudgetConfig(enabled=True, max_tool_calls_per_run=1, on_exceeded="pause"),
        secrets=SecretScopeConfig(enabled=True, secrets={"password": "marmalade"}),
        mission=MissionConfig(
            enabled=True, objective="Store ten reports", success_check=lambda _: False
        ),
    )
    await worker.start()
    await run_event(worker, 1)
    await worker.resume()
    scope = worker._secrets
    assert scope.get("password") == "marmalade"
    await scope.rotate("password", "gooseberry")
    await run_event(worker, 2)
    request = {"method": "POST", "route": "/api/v1/processes/{name}/mission/fail"}
    details = {"params": {"name": "governed"}, "status": 200, "client": "127.0.0.1"}
    worker.fail_mission("the operator gave up")
    await worker.record_operator_action("api_request", {**request, **details})
    await worker.stop()


async def restart_policy(directory: Path) -> None:
    """Each run fails: the process starts again once, then stays failed."""
    worker = make_process(
        "fragile",
        directory,
        [],
        restart_policy="on_failure",
        max_restarts=1,
        restart_backoff=0.0,
        max_consecutive_failures=1,
    )
    await worker.start()
    restarted = asyncio.Event()

    @worker.hooks.on(hooks.HookEvent.SESSION_START)
    async def again(_: Any) -> None:
        restarted.set()

    await run_event(worker, 1)
    await asyncio.wait_for(restarted.wait(), 30)
    await run_event(worker, 2)
    while "restart_exhausted" not in (directory / "fragile.jsonl").read_text():
        await asyncio.sleep(0.01)
    await worker.stop()


async def rewind_process(directory: Path) -> None:
    """A process taken back to before its second run while it lives on."""
    call, again = (ToolCall("store_report", {"title": title}) for title in ("first", "second"))
    worker = make_process(
        "reporter", directory, [call, "Stored one.", again, "Stored two."], level="full"
    )
    await worker.start()
    await run_event(worker, 1)
    await run_event(worker, 2)
    entries = await FileJournal(str(directory)).read("reporter")
    target = [entry for entry in entries if entry.entry_type == "trigger_event"][1]
    await worker.rewind(target.entry_id, "both", actor="operator")
    assert worker.context.get("reports_written") == 1
    await worker.context.flush_update_hooks()
    killed = directory.with_name("killed")
    shutil.copytree(directory, killed)
    await worker.stop()
    shutil.rmtree(directory)
    killed.rename(directory)


# --- The cases ----------------------------------------------------------------

Case = tuple[Callable[[Path], Awaitable[None]], list[str]]

CASES: dict[str, Case] = {
    "article": (article, ["market-watcher", "nobody"]),
    "checkpoint-level": (working_life("checkpoint"), ["reporter"]),
    "full-level": (working_life("full"), ["reporter"]),
    "killed-in-a-run": (killed_in_a_run("full"), ["reporter"]),
    "killed-in-a-run-checkpoint-level": (killed_in_a_run("checkpoint"), ["reporter"]),
    "recovered-on-start": (recovered_on_start, ["reporter"]),
    "interrupted-run": (interrupted_run, ["reporter"]),
    "governed": (governed, ["governed"]),
    "restart-policy": (restart_policy, ["fragile"]),
    "rewind": (rewind_process, ["reporter"]),
    "rewind-engine": (rewind_engine, ["counter"]),
    "text-and-numbers": (text_and_numbers, ["observer"]),
    "two-processes": (two_processes, ["north", "south"]),
    "checkpoint-file-missing": (checkpoint_file_missing, ["counter"]),
    "checkpoint-file-corrupt": (checkpoint_file_corrupt, ["counter"]),
    "checkpoint-file-ahead": (checkpoint_file_ahead, ["counter"]),
    "checkpoint-file-alone": (checkpoint_file_alone, ["counter"]),
    "checkpoint-file-older": (checkpoint_file_older, ["counter"]),
    "checkpoint-file-half-written": (checkpoint_file_half_written, ["counter"]),
    "checkpoint-file-empty-object": (checkpoint_file_holds("{}"), ["counter"]),
    "checkpoint-file-null": (checkpoint_file_holds("null"), ["counter"]),
    "checkpoint-file-list": (checkpoint_file_holds("[1]"), ["counter"]),
    "torn-tail": (torn_tail, ["counter"]),
    "torn-tail-then-append": (torn_tail_then_append, ["counter"]),
    "no-checkpoint": (no_checkpoint, ["counter"]),
    "name-with-slash": (name_with_slash, ["team/a b", "team_a b", "team\\a b"]),
    "line-not-an-object": (with_line(b"null"), ["counter"]),
    "line-not-utf8": (with_line(b'"\xff"'), ["counter"]),
    "line-not-json": (with_line(b'{"entry_id": '), ["counter"]),
    "line-without-time": (with_line(raw_entry(timestamp=...)), ["counter"]),
    "line-with-bad-time": (with_line(raw_entry(timestamp="yesterday")), ["counter"]),
    "line-with-other-keys": (
        with_line(raw_entry(entry_id="", sequence=7, checksum="c0ffee")),
        ["counter"],
    ),
}


def write_case(outdir: Path, name: str) -> None:
    write, keys = CASES[name]
    case = outdir / name
    shutil.rmtree(case, ignore_errors=True)
    journal = case / "journal"
    journal.mkdir(parents=True)
    restart_counters()
    asyncio.run(write(journal))
    expected = {key: ask(recover, journal, key) for key in keys}
    text = json.dumps(expected, indent=2, default=str)
    (case / "expected.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def main() -> int:
    if len(sys.argv) != 2:
        print(f"usage: {Path(sys.argv[0]).name} <outdir>", file=sys.stderr)
        return 2
    logging.disable(logging.CRITICAL)
    count_time_and_ids()
    for name in CASES:
        write_case(Path(sys.argv[1]), name)
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
