"""A cluster of its own on this machine: a master and workers as processes, which tests may kill."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Java that lives for minutes and shares few cores with others should neither compile much nor collect in parallel.
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_BEGUN = re.compile(r"spark://[^\s:]+:(\d+)")


class Cluster:
    """A standalone master on a free port; everything that it starts ends with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.master = ""

    def __enter__(self) -> Cluster:
        log = self._start("master", "org.apache.spark.deploy.master.Master", "--port", "0", "--webui-port", "0")
        self.master = f"spark://127.0.0.1:{_waited(log, _BEGUN)[1]}"
        return self

    def __exit__(self, *error: object) -> None:
        for process in reversed(self._processes):
            end(process)

    def workers(self, count: int, *, apart: bool = False) -> list[subprocess.Popen[bytes]]:
        """Start workers of one core each, and wait until the master knows them.

        What is mounted later in the name space of workers ``apart``, they and their executors alone see.
        """
        logs = []
        for _ in range(count):
            name = f"worker{len(self._processes)}"
            work = self._folder / name
            options = ["--cores", "1", "--memory", "768m", "--webui-port", "0", "--work-dir", str(work), self.master]
            logs.append(self._start(name, "org.apache.spark.deploy.worker.Worker", *options, apart=apart))
        for log in logs:
            _waited(log, re.compile("Successfully registered with master"))
        return self._processes[-count:]

    def _start(self, name: str, *command: str, apart: bool = False) -> Path:
        import pyspark

        main, *options = command
        tool = Path(pyspark.__file__).parent / "bin" / "spark-class"
        log = self._folder / f"{name}.log"
        with log.open("wb") as target:
            # A group of its own, so that a worker takes its executors with it.
            process = subprocess.Popen(
                [*(["unshare", "--mount"] if apart else []), str(tool), main, "--host", "127.0.0.1", *options],
                stdout=target,
                stderr=subprocess.STDOUT,
                env=environment(),
                start_new_session=True,
            )
        self._processes.append(process)
        return log


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that this module has started, with its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def environment() -> dict[str, str]:
    """Return the environment that Spark's processes need to find Java, Python and the project."""
    from reasoner.spark.platform.session import java_home

    home = java_home()
    return {
        **os.environ,
        **({"JAVA_HOME": str(home)} if home is not None else {}),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": BRIEF,
    }


def _waited(log: Path, pattern: re.Pattern[str], seconds: float = 90) -> re.Match[str]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := pattern.search(log.read_text(errors="replace")):
            return found
        time.sleep(0.2)
    raise TimeoutError(f"{log.name} does not say {pattern.pattern}:\n{log.read_text(errors='replace')[-2000:]}")
