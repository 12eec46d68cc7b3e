"""Runs as the outside sees them: processes started, watched and killed; a cluster of several."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"


def line(name, links=2, relation="b"):
    """A document of JSON Lines: a chain of links."""
    chain = [{"source": f"e{i}", "relation": relation, "target": f"e{i + 1}"} for i in range(links)]
    return json.dumps({"document": name, "links": chain}) + "\n"


def environment():
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}


def start(arguments, output, **how):
    """The command, started; what it prints goes to files, for a full pipe would stop it."""
    with output.open("w") as out, output.with_suffix(".err").open("w") as errors:
        command = [sys.executable, "-m", "temporacle", *map(str, arguments)]
        return subprocess.Popen(command, stdout=out, stderr=errors, env=environment(), **how)


def wait_for_size(path, size, process):
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.stat().st_size > size:
            return
        time.sleep(0.002)


def children_of(process):
    """The processes that a process has started, from whichever of its threads."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(pid) for thread in threads for pid in thread.read_text().split()]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_end(processes):
    """Whether all of them end soon; workers of a killed run look once a second whether they still have a parent."""
    deadline = time.monotonic() + 30
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(is_running, processes))


class Cluster:
    """A scheduler and workers, as they would run on several machines."""

    def __init__(self, folder, workers=2, preload=None, worker_port=None):
        self.folder = folder
        self.processes = []
        self.address_file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", HOST, "--port", "0", "--no-dashboard")
        deadline = time.monotonic() + 60
        while not self._is_written() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address = json.loads(self.address_file.read_text())["address"]
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
        if preload is not None:
            options += ["--preload", str(preload)]
        if worker_port:
            with socket.create_server((HOST, 0)) as server:
                port = server.getsockname()[1]
            self.worker_address = f"tcp://{HOST}:{port}"
            options += ["--worker-port", str(port), "--host", HOST]
        self.workers = [self._start("worker", *options) for _ in range(workers)]
        while not all(map(self._is_registered, range(1, workers + 1))) and time.monotonic() < deadline:
            time.sleep(0.05)

    def _is_written(self):
        return self.address_file.exists() and self.address_file.read_text().rstrip().endswith("}")

    def _is_registered(self, number):
        return "Registered to" in (self.folder / f"worker{number}.log").read_text()

    def _start(self, role, *options):
        command = [sys.executable, "-m", "dask", role, "--scheduler-file", str(self.address_file), *options]
        with (self.folder / f"{role}{len(self.processes)}.log").open("w") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(), cwd=self.folder)
        self.processes.append(process)
        return process

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()
