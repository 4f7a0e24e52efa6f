"""What Promptise makes of manifests. On stdin a JSON object {text, env} in each line; on stdout for each of them
{"refused": why} or {"config": as it dumps it, with the credentials of servers as they would be sent}."""
import json
import logging
import os
import sys
import tempfile
import warnings

from promptise.runtime.exceptions import ManifestError
from promptise.runtime.manifest import _server_spec, load_manifest, manifest_to_process_config

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)


def server(name, spec):
    # Those under "config" it leaves as they are until they are used.
    if isinstance(spec, dict):
        spec = _server_spec(name, spec)
    shown = spec.model_dump()
    for key in ("bearer_token", "api_key"):
        if shown.get(key) is not None:
            shown[key] = shown[key].get_secret_value()
    return shown


def answer(text, env, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    before = dict(os.environ)
    os.environ.update(env)
    try:
        config = manifest_to_process_config(load_manifest(path))
    except (ManifestError, ValueError) as error:
        return {"refused": str(error)}
    finally:
        os.environ.clear()
        os.environ.update(before)
    dumped = config.model_dump(mode="json", exclude={"identity"})
    dumped["servers"] = {name: server(name, spec) for name, spec in config.servers.items()}
    return {"config": dumped}


with tempfile.TemporaryDirectory() as folder:
    for line in sys.stdin:
        print(json.dumps(answer(**json.loads(line), path=os.path.join(folder, "one.agent"))))
