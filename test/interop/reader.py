"""Reads journals by resources/guide/format.md and nothing else: a second opinion on what they say.
python reader.py --batch: lines "<directory> TAB <process>" on stdin, on stdout a JSON object for each. A number in it
that is out of a journal is {"#": its value as it is written: digits without outer zeros, "e", exponent; or a token}."""
import base64, datetime, decimal, gzip, hashlib, itertools, json, pathlib, re, sys, zlib
sys.setrecursionlimit(20_000); getattr(sys, "set_int_max_str_digits", int)(0)  # 1,000 levels; exponents of any length
KEYS = re.compile(rb'"seq":(\d{1,15}),"ack":(\d{1,15}),"prev":"([A-Za-z0-9_-]{22})","crc":"([0-9a-f]{8})"\}\Z')
TIME = r"\d{4}-\d\d-\d\d[T ]HOUR:SIXTY(?::SIXTY(?:[.,]\d{1,9})?)?(?:Z|[+-]HOUR:?SIXTY)?"
TIME = re.compile(TIME.replace("HOUR", r"(?:[01]\d|2[0-3])").replace("SIXTY", r"[0-5]\d"), re.A)
HELD, OVER = "operator in_doubt budget health mission idle quit gap trust","invocation_result dead_letter event_refused"
ENDS = {"effect_finished": {"done": "done", "did_not_happen": "did_not_happen", "in_doubt": "in_doubt"},
        "effect_resolved": {"happened": "done", "skip": "done", "did_not_happen": "did_not_happen"}}
def value_of(text):
    if not (match := re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?", text)): return text  # a token
    sign, whole, part, exponent = match.groups(""); short = (digits := (whole + part).lstrip("0")).rstrip("0")
    return f"{sign}{short}e{int(exponent or 0) - len(part) + len(digits) - len(short)}" if short else "0"
class Number:  # or a token; Python's own lose what a double can't hold; equal as in checkpoint files
    def __init__(self, text):
        self.value, self.double = value_of(text), float(text)
        self.plain = value_of(repr(self.double)) == self.value
        self.same = self.value if self.plain else text
    def __eq__(self, other): return isinstance(other, Number) and self.same == other.same
JSON = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)
def parse(raw):  # the object that a line or a file holds; None if it holds something else, or is too deep
    try:
        text = raw.decode()
        brackets = re.findall(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|([][{}])', text, re.DOTALL)  # a text in quotes is one ""
        levels = itertools.accumulate({"": 0, "[": 1, "{": 1}.get(bracket, -1) for bracket in brackets)
        value = JSON.decode(text) if max(levels, default=0) <= 1000 else None
    except ValueError: return None
    return value if isinstance(value, dict) else None
def javascript(value):  # as JSON.stringify spells it: a context key that is no text
    if isinstance(value, Number):
        short = value.value == "0" or 1e-6 <= abs(value.double) < 1e21
        return format(decimal.Decimal(value.value), "f" if short else "e") if value.plain else value.same
    if isinstance(value, list): return f"[{','.join(map(javascript, value))}]"
    if not isinstance(value, dict):
        return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):x}", json.dumps(value, ensure_ascii=False))
    index = lambda name: int(name) if re.fullmatch("0|[1-9][0-9]*", name) and int(name) < 2**32 - 1 else 2**32
    return f"{{{','.join(f'{javascript(name)}:{javascript(value[name])}' for name in sorted(value, key=index))}}}"
def text(data, key, other=""): return data[key] if isinstance(data.get(key), str) else other
def record(data, key, other={}): return data[key] if isinstance(data.get(key), dict) else other
def file_name(process): return re.sub(r"[/\\]", "_", process)[:200]
def lines_of(content): return [line.removesuffix(b"\r") for line in content.split(b"\n")[:-1]]
def is_time(text):
    try: return TIME.fullmatch(text) and datetime.date.fromisoformat(text[:10])
    except ValueError: return False
class Line:  # keys: seq and prev, if the last bytes match and the checksum fits; of the chain it knows nothing yet
    def __init__(self, raw):
        entry, match, self.raw = parse(raw) or {}, KEYS.search(raw), raw
        self.keys = (int(match[1]), match[3].decode()) if match and int(match[4], 16) == zlib.crc32(raw[:-18]) else None
        broken = not self.keys and (match or sum(name in entry for name in ("seq", "ack", "prev", "crc")) > 2)
        self.bad = not is_time(text(entry, "timestamp"))
        self.verdict = "bad" if self.bad else "checksum" if broken else "unverified"
        self.process, self.type, self.data = text(entry, "process_id"), text(entry, "entry_type"), record(entry, "data")
        self.state = record(self.data, "state", self.data) if self.type == "checkpoint" and not self.bad else None
        self.full = not broken and fits(self.state, "state")
        self.begins = self.full and b'"checkpoint"' in raw and b'"holdfast"' in raw  # without escapes
def segments(folder, active):  # the first number and the lines of each, oldest first
    sealed = (re.fullmatch(r"([0-9]{12})-([0-9]{12})\.jsonl(\.gz)?", path.name) for path in folder.glob("*"))
    ranked = sorted(filter(None, sealed), key=lambda match: (match[1], match[2], not match[3]))
    read = lambda match: (gzip.decompress if match[3] else bytes)((folder / match[0]).read_bytes())
    counting = {int(match[1]): match for match in ranked}  # of those with one first number, the last
    keys = active and Line(active[0]).keys or [int(ranked[-1][2]) + 1 if ranked else 1]
    return [*((first, lines_of(read(match))) for first, match in counting.items()), (keys[0], active)]
def judge(segments):  # all lines that are not blank, with their numbers and verdicts
    judged, number, link, seq = [], 1, None, None
    for index, (first, lines) in enumerate(segments):
        if lines and first != number: number, link, seq = first, None, None
        for position, raw in enumerate(lines):
            line, own = Line(raw), None
            if index == position == 0: link = None if first != 1 and line.begins else "A" * 22
            if line.keys and not line.bad:
                number = own = line.keys[0]
                line.verdict = "link" if link not in (None, line.keys[1]) else "verified"
                if line.verdict == "verified" and seq not in (None, own - 1): line.verdict = "sequence"
            if raw.strip(b"\t\n\v\f\r "): judged.append(line)
            line.seq, link = number, base64.urlsafe_b64encode(hashlib.sha256(raw).digest())[:22].decode()
            number, seq = number + 1, own
    return judged
SHAPES = re.findall(r"(\w+)=([^;]+)", pathlib.Path(__file__).with_name("shapes.txt").read_text().partition("\n")[2])
SHAPES = {one: re.findall(r"(?<!:)\b(\w+)(?=[,\w]*(\??):?(\S*))", its) for one, its in SHAPES}
KINDS = {"": str, "#": Number, "bool": bool, "any": object, "keys": dict}
def fits(value, kind):
    if kind == "use": return fits(value, "#") and 0 < value.double <= 1e15
    if kind in KINDS: return isinstance(value, KINDS[kind]) and (kind != "#" or value.plain)
    if kind.endswith("?"): return value is None or fits(value, kind[:-1])
    if kind.endswith("[]"): return isinstance(value, list) and all(fits(item, kind[:-2]) for item in value)
    if kind.endswith("{}"): return isinstance(value, dict) and all(fits(item, kind[:-2]) for item in value.values())
    return isinstance(value, dict) and all(fits(value[k], of) if k in value else may for k, may, of in SHAPES[kind])
def number(data, key, other): return data[key].double if fits(data.get(key), "#") else other
class State:  # open: [event, effects]; effect: [id, attempts, end, end before], None if withdrawn; dead: [event, open]
    def __init__(self): self.checkpoint({"lifecycle_state": "created", "holdfast": {"fold_version": Number("2")}})
    def checkpoint(self, state):
        mark = state["holdfast"] if fits(state, "state") else None
        self.context, self.lifecycle = {**record(state, "context_state")}, text(state, "lifecycle_state", "running")
        self.count = number(state, "invocation_count", 0.0 if mark else self.count)
        if not mark: return
        holds, queue, opened, dead = (mark.get(key, []) for key in ("holds", "queue", "open", "deadLetters"))
        ends = lambda one: [record(it, "end").get("kind") for it in (one, record(one, "earlier"))]
        effect = lambda one: [one["effectId"], one["attempts"].double, *ends(one)]
        run = lambda one: one and [one["event"]["eventId"], [*map(effect, one["effects"])]]
        self.holds, self.queue = [one["kind"] for one in holds], [one["eventId"] for one in queue]
        self.open, self.dead = [*map(run, opened)], [[one["event"]["eventId"], run(one["open"])] for one in dead]
    def fold(self, kind, data):
        event = text(data, "event_id"); hold = data.get("hold") if kind < "j" else data.get("held") is True and "gap"
        first = lambda those: [one for one in those if one[0] == data.get("event_id")][:1]
        last = lambda effects: [one for one in effects if one[0] == text(data, "effect_id")][-1:]
        same = next(filter(None, (last(effects) for _, effects in self.open)), [])
        if kind == "checkpoint": self.checkpoint(record(data, "state", data))
        elif kind == "state_transition": self.lifecycle = text(data, "to_state") or self.lifecycle
        elif kind == "context_update" and data.get("key") is not None:
            self.context[key := text(data, "key", javascript(data["key"]))] = data.get("value")
            if data.get("deleted") is True: del self.context[key]
        elif kind == "trigger_event": self.queue.append(event)
        elif kind == "invocation_start" and event in self.queue and event not in [run[0] for run in self.open]:
            self.open.append([self.queue.pop(self.queue.index(event)), []])
        elif kind in OVER.split() or kind == "error" and data.get("final") is not False:
            ended = [run for run in self.open if run[0] == event][:1]
            dead = ended or [None] * (kind == "dead_letter" and event in self.queue)
            self.count, self.queue = self.count + (kind[0] == "i"), [one for one in self.queue if one != event]
            for run in ended: self.open.remove(run)
            if dead and (kind == "dead_letter" or kind == "error" and data.get("dead_letter") is True):
                self.dead.append([event, *dead])
                del self.dead[:max(0, int(len(self.dead) - number(data, "dead_letter_size", 100)))]
        elif kind in ("dead_letter_redelivered", "dead_letter_dropped"):
            for event, run in first(self.dead):
                self.dead.remove([event, run])
                if kind == "dead_letter_redelivered": (self.open if run else self.queue).append(run or event)
        elif kind == "effect_started":
            for _, effects in first(self.open):
                if not last(effects): effects.append([text(data, "effect_id"), 0.0, None, None])
                for one in [it for it in last(effects) if it[2] != "done"]:
                    one[1:] = [number(data, "attempt", 1.0), None, one[2]]
        elif kind == "effect_finished" and data.get("unpermitted") is True:
            for one in same: one[:] = [one[0], one[1] - 1, one[3], None] if one[1] > 1 else [None] * 4
        elif kind in ENDS:
            end = ENDS[kind].get(text(data, "end" if kind == "effect_finished" else "resolution"))
            for one in same if end else (): one[2:] = [end, None]
        elif kind in ("effect_value_lost", "effect_expired", "effect_unlike"):
            for one in same: one[2:] = ["in_doubt", kind == "effect_unlike" and one[2] or one[3]]
        elif kind in ("hold_placed", "hold_lifted", "journal_repaired") and hold in HELD.split():
            self.holds = [one for one in self.holds if one != hold] + [hold] * (kind != "hold_lifted")
def read(directory, process):
    directory, name, state = pathlib.Path(directory), file_name(process), State()
    marker, path, beside = (directory / it for it in ("journal.holdfast", f"{name}.jsonl", f"{name}.checkpoint.json"))
    if (marked := marker.exists()) and not text(parse(marker.read_bytes()) or {}, "id"): return {"error": "marker"}
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
    file = parse(beside.read_bytes()) if foreign and not marked and beside.exists() else None
    newer = file and file not in (line.state for line in map(Line, active) if b'"checkpoint"' in line.raw)
    if newer: state.checkpoint(file)  # written after every line
    since = [] if newer else entries[max([0, *(at + 1 for at, one in enumerate(entries) if one.state is not None)]):]
    four = {"context_state": state.context, "lifecycle_state": state.lifecycle,
            "last_entry_type": since[-1].type if since else "", "entries_replayed": len(since)}
    strict = {"error": "journal.damaged"} if damage and not (foreign and (entries or newer)) else four
    lenient = {**four, "invocation_count": state.count, "holds": state.holds, "queue": state.queue,
               "open": [[event, [one[:3] for one in effects if one[0] is not None]] for event, effects in state.open]}
    return {"lines": [[line.seq, line.verdict] for line in lines], "strict": strict, "lenient": lenient}
for row in sys.stdin.buffer if sys.argv[1:] == ["--batch"] else ():
    print(json.dumps(read(*row.decode().rstrip("\n").split("\t")), default=lambda number: {"#": number.value}))
