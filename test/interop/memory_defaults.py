"""Prints, as one JSON line, what Promptise takes for a memory whose manifest says nothing."""

from __future__ import annotations

import json
import sys

sys.dont_write_bytecode = True

from promptise.runtime.config import ContextConfig  # noqa: E402

config = ContextConfig()
print(json.dumps({name: getattr(config, name) for name in dir(config) if name.startswith("memory_")}))
