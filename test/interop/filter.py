"""What Promptise's filters make of expressions. On stdin a JSON object {expression, payload, metadata, trigger_type,
trigger_id, event_id} in each line; on stdout for each of them {"refused": why}, {"fault": error} or {"value": as Python
writes it, "matches": bool}."""
import json
import logging
import sys
import warnings

from promptise.runtime.triggers import filters
from promptise.runtime.triggers.base import TriggerEvent

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)


def show(value):
    """A set has no order of its own."""
    if isinstance(value, set):
        return "{" + ", ".join(sorted(map(show, value))) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def answer(row):
    expression = row.pop("expression")
    try:
        accept = filters.compile_filter(expression)
        tree = filters.validate_filter_expression(expression)
    except (ValueError, MemoryError, RecursionError) as error:
        return {"refused": str(error)}
    event = TriggerEvent(**row)
    names = {name: getattr(event, name) for name in ("payload", "metadata", "trigger_type", "trigger_id", "event_id")}
    matches = accept(event)
    try:
        return {"value": show(filters._eval(tree, names)), "matches": matches}
    except Exception as error:
        assert not matches
        return {"fault": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))))
