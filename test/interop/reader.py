"""Reads journals by resources/guide/format.md and nothing else: a second opinion on what they say.
python reader.py --batch: lines "<directory> TAB <process>" on stdin, on stdout a JSON object for each. A number in it
that is out of a journal is {"#": its value as it is written: digits without outer zeros, "e", exponent; or a token}."""
import base64, datetime, decimal, gzip, hashlib, itertools, json, pathlib, re, sys, zlib
sys.setrecursionlimit(20_000)  # values nest up to 1,000 levels,
getattr(sys, "set_int_max_str_digits", int)(0)  # and an exponent has as many digits as it likes
KEYS = re.compile(rb'"seq":(\d{1,15}),"ack":(\d{1,15}),"prev":"([A-Za-z0-9_-]{22})","crc":"([0-9a-f]{8})"\}\Z')
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:Z|[+-](\d\d):?(\d\d))?", re.A)
HOLDS = "operator in_doubt budget health idle quit gap trust".split()
ENDS = {"effect_finished": {"done": "done", "did_not_happen": "did_not_happen", "in_doubt": "in_doubt"},
        "effect_resolved": {"happened": "done", "skip": "done", "did_not_happen": "did_not_happen"}}

def value_of(text):
    if not (match := re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?", text)): return text  # a token
    sign, whole, part, exponent = match.groups("")
    short = (digits := (whole + part).lstrip("0")).rstrip("0")
    return f"{sign}{short}e{int(exponent or 0) - len(part) + len(digits) - len(short)}" if short else "0"
class Number:
    """A number or a token; Python's own lose what a double can't hold. Equal as in checkpoint files."""
    def __init__(self, text):
        self.text, self.value, self.double = text, value_of(text), float(text)
        self.plain = value_of(repr(self.double)) == self.value
    def __eq__(self, other):
        return isinstance(other, Number) and (self.value == other.value if self.plain else self.text == other.text)
JSON = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)

def parse(raw):
    """The object that a line or a file holds; or None, and the kind of what is wrong with it."""
    try: text = raw.decode()
    except UnicodeDecodeError: return None, "not-utf8"
    if text.count("[") + text.count("{") > 1000:  # else it can't be too deep
        unquoted = re.sub(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', "", text, flags=re.DOTALL)
        steps = (1 if bracket in "[{" else -1 for bracket in re.findall(r"[][{}]", unquoted))
        if max(itertools.accumulate(steps), default=0) > 1000: return None, "too-deep"
    try: value = JSON.decode(text)
    except ValueError: return None, "nul" if b"\0" in raw else "not-json"
    return (value, None) if isinstance(value, dict) else (None, "not-object")

def text(data, key, other=""): return data[key] if isinstance(data.get(key), str) else other
def record(data, key, other): return data[key] if isinstance(data.get(key), dict) else other
def file_name(process): return re.sub(r"[/\\]", "_", process)[:200]
def lines_of(content): return [line.removesuffix(b"\r") for line in content.split(b"\n")[:-1]]
def is_time(text):
    match = TIME.fullmatch(text)
    year, month, day, *rest = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    try: return datetime.date(year, month, day) and all(part < limit for part, limit in zip(rest, (24, 60, 60, 24, 60)))
    except ValueError: return False

class Line:
    """Keys are seq and prev, if the last bytes match and the checksum fits. Of the chain it knows nothing yet."""
    def __init__(self, raw):
        (entry, self.bad), match, self.raw = parse(raw), KEYS.search(raw), raw
        self.keys = (int(match[1]), match[3].decode()) if match and int(match[4], 16) == zlib.crc32(raw[:-18]) else None
        if not self.bad and not is_time(text(entry, "timestamp")): self.bad = "no-timestamp or bad-time"
        self.verdict, self.state, self.full, self.begins = "bad", None, False, False
        if self.bad: return
        broken = not self.keys and (match or sum(name in entry for name in ("seq", "ack", "prev", "crc")) > 2)
        self.verdict, self.data = "checksum" if broken else "unverified", record(entry, "data", {})
        self.process, self.type = text(entry, "process_id"), text(entry, "entry_type")
        self.state = record(self.data, "state", self.data) if self.type == "checkpoint" else None
        self.full = not broken and self.state is not None and is_full(self.state)
        self.begins = self.full and b'"checkpoint"' in raw and b'"holdfast"' in raw  # without escapes

def segments(folder, active):
    """The first number and the lines of each segment, oldest first."""
    sealed = (re.fullmatch(r"([0-9]{12})-([0-9]{12})\.jsonl(\.gz)?", path.name) for path in folder.glob("*"))
    found, after, ranked = [], 1, sorted(filter(None, sealed), key=lambda match: (match[1], match[2], not match[3]))
    for match in {match[1]: match for match in ranked}.values():  # of those with one first number, the last
        content = (folder / match[0]).read_bytes()
        found.append((int(match[1]), lines_of(gzip.decompress(content) if match[3] else content)))
        after = int(match[2]) + 1
    keys = Line(active[0]).keys if active else None
    return [*found, (keys[0] if keys else after, active)]

def judge(segments):
    """All lines that are not blank, with their numbers and verdicts."""
    judged, number, link, seq = [], 1, None, None
    for index, (first, lines) in ((index, one) for index, one in enumerate(segments) if one[1]):
        if first != number: number, link, seq = first, None, None
        for position, raw in enumerate(lines):
            line, own = Line(raw) if raw.strip(b"\t\n\v\f\r ") else None, None
            if index == position == 0: link = None if first != 1 and line and line.begins else "A" * 22
            if line and line.keys and not line.bad:
                number = own = line.keys[0]
                line.verdict = "link" if link not in (None, line.keys[1]) else "verified"
                if line.verdict == "verified" and seq not in (None, own - 1): line.verdict = "sequence"
            if line: line.seq = number; judged.append(line)
            link = base64.urlsafe_b64encode(hashlib.sha256(raw).digest())[:22].decode()
            number, seq = number + 1, own
    return judged

# The shape of a checkpoint's mark: types (object: anything), (one of), [list of], {all these keys} and {...: any key}.
NULL, keys = type(None), lambda shape, names, **others: {**dict.fromkeys(names.split(), shape), **others}
EVENT = keys(str, "eventId triggerId triggerType acceptedAt", payload=object)
EFFECT = keys(str, "effectId name effectClass argsHash argsPreview key announcedAt",
              occurrence=Number, attempts=Number, end=(NULL, {"kind": str}))
OPEN = keys(str, "startedAt codeHash", event=EVENT, invocation=Number, attempt=Number, effects=[EFFECT],
    writes=[keys(str, "key", value=object, deleted=bool, ordinal=Number)], before={...: (NULL, {"value": object})})
MARK = {**keys(Number, "fold_version seq consecutiveFailures restarts workerDeaths generation"),
        **keys(str, "lifecycleReason lifecycleActor restart"),
        **keys((NULL, str), "lifecycleSince lastWorkerDeath configHash"),
        "holds": [keys(str, "kind reason actor since")], "queue": [EVENT], "open": [OPEN],
        "recentRuns": [keys(str, "eventId at", ok=bool, durationMs=(NULL, Number))],
        "runsToday": (NULL, keys(str, "day", runs=Number)), "lastError": (NULL, keys(str, "code message at")),
        "writer": (NULL, keys(str, "hostId startTime build", epoch=Number, pid=Number)),
        "workers": [keys(str, "startTime", pid=Number, generation=Number)]}

def fits(value, shape):
    if isinstance(shape, tuple): return any(fits(value, one) for one in shape)
    if isinstance(shape, list): return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if not isinstance(shape, dict): return shape is object or isinstance(value, shape) and getattr(value, "plain", True)
    shape = dict.fromkeys(value, shape[...]) if ... in shape and isinstance(value, dict) else shape
    return isinstance(value, dict) and all(key in value and fits(value[key], shape[key]) for key in shape)
def is_full(state):
    mark = state.get("holdfast")  # only fold_version must be there
    return fits(mark, {"fold_version": Number}) and fits(mark, {key: MARK[key] for key in mark if key in MARK})

def javascript(value):
    """As JSON.stringify spells it: a context key that is no text."""
    if isinstance(value, Number):
        short = value.value == "0" or 1e-6 <= abs(value.double) < 1e21
        return format(decimal.Decimal(value.value), "f" if short else "e") if value.plain else value.text
    if isinstance(value, list): return f"[{','.join(map(javascript, value))}]"
    if not isinstance(value, dict):
        return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):x}", json.dumps(value, ensure_ascii=False))
    index = lambda name: int(name) if re.fullmatch("0|[1-9][0-9]*", name) and int(name) < 2**32 - 1 else 2**32
    return f"{{{','.join(f'{javascript(name)}:{javascript(value[name])}' for name in sorted(value, key=index))}}}"

class State:
    """What recovery builds. A hold is its kind, an event its id, an effect its id, attempts and the kind of its end."""
    def __init__(self):
        self.context, self.lifecycle, self.count, self.holds, self.queue, self.open = {}, "created", 0.0, [], [], []
    def checkpoint(self, state):
        self.context, self.lifecycle = {**record(state, "context_state", {})}, text(state, "lifecycle_state", "running")
        count, mark = state.get("invocation_count"), is_full(state) and state["holdfast"]
        self.count = count.double if fits(count, Number) else 0.0 if mark else self.count
        if not mark: return
        effect = lambda one: [one["effectId"], one["attempts"].double, one["end"] and one["end"]["kind"]]
        self.holds = [hold["kind"] for hold in mark.get("holds", [])]
        self.queue = [event["eventId"] for event in mark.get("queue", [])]
        self.open = [[run["event"]["eventId"], [*map(effect, run["effects"])]] for run in mark.get("open", [])]
    def fold(self, kind, data):
        event, effect, hold = text(data, "event_id"), text(data, "effect_id"), data.get("hold")
        same = [[one for one in effects if one[0] == effect] for _, effects in self.open]
        if kind == "checkpoint": self.checkpoint(record(data, "state", data))
        elif kind == "state_transition": self.lifecycle = text(data, "to_state") or self.lifecycle
        elif kind == "context_update" and data.get("key") is not None:
            key = data["key"] if isinstance(data["key"], str) else javascript(data["key"])
            self.context[key] = data.get("value")
            if data.get("deleted") is True: del self.context[key]
        elif kind == "trigger_event": self.queue.append(event)
        elif kind == "invocation_start" and event in self.queue:
            self.open.append([self.queue.pop(self.queue.index(event)), []])
        elif kind in ("invocation_result", "dead_letter") or kind == "error" and data.get("final") is not False:
            self.count, self.queue = self.count + (kind[0] == "i"), [one for one in self.queue if one != event]
            for run in [run for run in self.open if run[0] == event][:1]: self.open.remove(run)
        elif kind == "effect_started":
            begun = [effect, data["attempt"].double if fits(data.get("attempt"), Number) else 1.0, None]
            for _, effects in [run for run in self.open if run[0] == data.get("event_id")][:1]:
                at = next((at for at, one in enumerate(effects) if one[0] == effect), len(effects))
                effects[at:at + 1] = [begun]
        elif kind == "effect_finished" and data.get("unpermitted") is True:
            for run in self.open: run[1] = [one for one in run[1] if one[0] != data.get("effect_id") or one[1] > 1]
        elif kind in ENDS:
            end = ENDS[kind].get(text(data, "end" if kind == "effect_finished" else "resolution"))
            for one in [found[0] for found in same if found and end]: one[2] = end
        elif kind == "effect_value_lost":
            for one in sum(same, []): one[2] = "in_doubt"
        elif kind == "hold_placed" and hold in HOLDS or kind == "journal_repaired" and data.get("held") is True:
            hold = hold if kind == "hold_placed" else "gap"
            self.holds = [one for one in self.holds if one != hold] + [hold]
        elif kind == "hold_lifted": self.holds = [one for one in self.holds if one != hold]

def read(directory, process):
    directory, name, state = pathlib.Path(directory), file_name(process), State()
    marker, path, beside = (directory / it for it in ("journal.holdfast", f"{name}.jsonl", f"{name}.checkpoint.json"))
    if (marked := marker.exists()) and not text(parse(marker.read_bytes())[0] or {}, "id"): return {"error": "marker"}
    active = lines_of(path.read_bytes()) if path.exists() else []
    owner = next((line.process for line in map(Line, active) if not line.bad and line.process), process)
    if marked and owner != process and file_name(owner) == name: return {"error": "process"}
    lines = judge(segments(directory / ".holdfast" / "segments" / name, active))
    start = max((at for at, line in enumerate(lines) if line.begins), default=0)
    entries = [line for line in lines[start:] if not line.bad]
    # A full checkpoint that is the first entry stands for all before it: its place in the chain does not matter.
    damage = [it for it in lines[start:] if not it.verdict.endswith("verified") and not (it.full and it is entries[0])]
    for line in entries: state.fold(line.type, line.data)
    foreign = all(line.verdict == "unverified" for line in entries)
    file = parse(beside.read_bytes())[0] if foreign and not marked and beside.exists() else None
    written = [line.state for line in map(Line, active if file else ()) if b'"checkpoint"' in line.raw]
    if file in [None, {}, *written]: file = None
    else: state.checkpoint(file)  # written after every line
    since = [] if file else entries[max([0, *(at + 1 for at, one in enumerate(entries) if one.state is not None)]):]
    four = {"context_state": state.context, "lifecycle_state": state.lifecycle,
            "last_entry_type": since[-1].type if since else "", "entries_replayed": len(since)}
    strict = {"error": "journal.damaged"} if damage and not (foreign and (entries or file)) else four
    lenient = {**four, "invocation_count": state.count, "holds": state.holds, "queue": state.queue, "open": state.open}
    return {"lines": [[line.seq, line.verdict] for line in lines], "strict": strict, "lenient": lenient}

for row in sys.stdin.buffer if sys.argv[1:] == ["--batch"] else ():
    print(json.dumps(read(*row.decode().rstrip("\n").split("\t")), default=lambda number: {"#": number.value}))
