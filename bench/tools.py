"""The server for Label Studio, tried with the real Label Studio: ``make tools``.

A contradictory annotation gets notes on its regions, a corrected one loses them, a link that follows is suggested, and
the number of requests stays bounded. Label Studio is large, so that it has an environment of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

STUDIO = "http://127.0.0.1:8765"
TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of a server that lives for a minute
CONFIG = (
    '<View><Labels name="l" toName="t"><Label value="EVENT"/></Labels><Text name="t" value="$text"/>'
    '<Relations><Relation value="BEFORE"/><Relation value="AFTER"/></Relations></View>'
)
TEXT = "They left, then docked, then slept."


def call(method: str, path: str, body: Any = None) -> Any:
    """Return the answer of Label Studio."""
    headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
    request = Request(STUDIO + path, None if body is None else json.dumps(body).encode(), headers, method=method)
    with urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def region(name: str, word: str) -> dict[str, Any]:
    """Return a region over a word of the text."""
    start = TEXT.index(word)
    value = {"start": start, "end": start + len(word), "text": word, "labels": ["EVENT"]}
    return {"id": name, "from_name": "l", "to_name": "t", "type": "labels", "value": value}


def relation(source: str, label: str, target: str) -> dict[str, Any]:
    """Return a relation between regions."""
    return {"type": "relation", "from_id": source, "to_id": target, "direction": "right", "labels": [label]}


CHAIN = [
    *(region(f"r{k}", word) for k, word in enumerate(("left", "docked", "slept"))),
    relation("r0", "BEFORE", "r1"),
    relation("r1", "BEFORE", "r2"),
]


def notes(annotation: int) -> list[str]:
    """Return the notes on the regions of an annotation."""
    results = call("GET", f"/api/annotations/{annotation}/")["result"]
    return [line for each in results for line in (each.get("meta") or {}).get("text", ())]


def seconds_until(question: Any) -> float:
    """Return how long it takes until a question is answered with yes."""
    begun = time.monotonic()
    while not question():
        if time.monotonic() - begun > 20:
            sys.exit("it did not happen within 20 s")
        time.sleep(0.05)
    return time.monotonic() - begun


def ready() -> bool:
    """Return whether Label Studio answers."""
    try:
        call("GET", "/api/projects")
    except (HTTPError, URLError, OSError):
        return False
    return True


def main() -> None:
    """Run both servers, and annotate."""
    with ExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory())
        switches = {
            "SSRF_PROTECTION_ENABLED": "false",
            "ML_BLOCK_LOCAL_IP": "false",
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "LABEL_STUDIO_BASE_DATA_DIR": data,
            "COLLECT_ANALYTICS": "false",
        }
        program = [Path(sys.executable).parent / "label-studio", "start", "--no-browser", "--port", "8765"]
        account = ["--username", "a@example.com", "--password", "secret123", "--user-token", TOKEN]
        log = stack.enter_context(Path(data, "log").open("w"))
        studio = subprocess.Popen([*program, *account], env=os.environ | switches, stdout=log, stderr=log)
        stack.callback(studio.kill)
        command = [sys.executable, "-m", "temporacle", "serve", "label-studio", "--port", "0", "--write-notes", STUDIO]
        environment = os.environ | {"LABEL_STUDIO_TOKEN": TOKEN}
        requests = stack.enter_context(Path(data, "requests").open("w+"))
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=requests, text=True)
        stack.callback(server.kill)
        address = server.stdout.readline().strip() if server.stdout else ""
        for _ in range(120):
            if ready():
                break
            time.sleep(1)
        project = call("POST", "/api/projects", {"title": "trip", "label_config": CONFIG})["id"]
        call("POST", f"/api/projects/{project}/import", [{"text": TEXT}])
        task = call("GET", f"/api/tasks?project={project}")["tasks"][0]["id"]
        model = call("POST", "/api/ml", {"project": project, "url": address, "title": "t", "is_interactive": True})[
            "id"
        ]
        hook = {"project": project, "url": f"{address}/webhook", "send_payload": True, "send_for_all_actions": True}
        call("POST", "/api/webhooks/", hook)
        torn = [*CHAIN, relation("r0", "AFTER", "r2")]
        annotation = call("POST", f"/api/tasks/{task}/annotations/", {"result": torn})["id"]
        print(f"note after {seconds_until(lambda: len(notes(annotation)) == 3):.1f} s: {notes(annotation)[0]}")
        kept = [
            each for each in call("GET", f"/api/annotations/{annotation}/")["result"] if each.get("labels") != ["AFTER"]
        ]
        call("PATCH", f"/api/annotations/{annotation}/", {"result": kept})
        print(f"note gone after {seconds_until(lambda: not notes(annotation)):.1f} s")
        shown = {"task": task, "context": {"result": CHAIN}}
        suggested = call("POST", f"/api/ml/{model}/interactive-annotating", shown)["data"]["result"]
        assert suggested == [relation("r0", "BEFORE", "r2")], suggested
        print("suggested: left BEFORE slept")
        before = requests.tell()
        time.sleep(2)
        lines = Path(data, "requests").read_text().splitlines()
        print(
            f"{sum('/webhook' in line for line in lines)} webhooks, none in the last 2 s: {requests.tell() == before}"
        )


if __name__ == "__main__":
    main()
