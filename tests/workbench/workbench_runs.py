"""A workbench as the outside sees it: a process, its address, and requests to it."""

import http.client
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "corpus"
SECONDS = 60  # for an answer of a machine under load


class Running:
    """A workbench that runs, and how to ask it."""

    def __init__(self, *arguments, cwd=None, browser=None, first="pass"):
        """Start it; ``first``: what the process does before."""
        program = f"import sys\n{first}\nfrom temporacle.cli import main\nmain(sys.argv[1:])"
        command = [sys.executable, "-c", program, "workbench", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
        if browser is None:
            command.append("--no-browser")
        else:
            environment["BROWSER"] = str(browser)
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=cwd
        )
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            self.output = self.process.communicate()[1]
            raise RuntimeError(self.output)
        self.place = urlsplit(self.address).netloc
        self.token = self.address.partition("token=")[2]

    def ask(self, method, target, body=None, *, token=True, host=None, headers=None):
        """Return status, headers and content of an answer."""
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {self.token if token is True else token}"
        if host is not None:
            sent["Host"] = host
        connection = http.client.HTTPConnection(self.place, timeout=SECONDS)
        try:
            data = json.dumps(body).encode() if isinstance(body, dict | list) else body
            connection.request(method, target, data, sent)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def get(self, target, **how):
        """Return the JSON of a good answer."""
        status, _, data = self.ask("GET", target, **how)
        assert status == 200, data
        return json.loads(data)

    def post(self, target, body=None, **how):
        status, _, data = self.ask("POST", target, {} if body is None else body, **how)
        assert status == 200, data
        return json.loads(data)

    def refused(self, method, target, body=None, **how):
        """Return status and sentence of an error."""
        status, headers, data = self.ask(method, target, body, **how)
        assert status >= 400, data
        assert headers["content-type"] == "application/json"
        found = json.loads(data)
        assert "Traceback" not in found["error"]
        return status, found["error"]

    def end(self, how=signal.SIGINT):
        """End it and return the exit code and standard error."""
        self.process.send_signal(how)
        _, errors = self.process.communicate(timeout=SECONDS)
        self.output = errors
        return self.process.returncode, errors


@contextmanager
def running(*arguments, **how):
    found = Running(*arguments, **how)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
            found.process.communicate()


def of(document, action="", **query):
    """Return the address of a document."""
    end = f"/{action}" if action else ""
    asked = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
    return f"/api/documents/{quote(document, safe='')}{end}{'?' if asked else ''}{asked}"
