"""A broker as a child process: started, ready when it answers metadata, stopped."""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

import kafka
from kafka.errors import KafkaError

READY_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 15.0
_GIVEN = set[int]()
"""Ports that `free_port` told this process of."""


class BrokerError(Exception):
    """One line that says why a broker could not be started."""


class BrokerProcess:
    """Context manager of one broker process; its output goes to a log file."""

    name = "broker"

    def __init__(self, port: int | None, log: Path) -> None:
        self.port = port or free_port()
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def prepare(self) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command line, and what to add to the environment. Raises BrokerError."""
        raise NotImplementedError

    def start(self) -> Self:
        """Start the process and wait until it answers metadata. Raises BrokerError."""
        self.spawn()
        try:
            self.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def spawn(self) -> None:
        """Start the process, and do not wait for it. Raises BrokerError."""
        if not _is_free(self.port):
            raise BrokerError(f"{self.name}: port {self.port} is taken")
        command, environment = self.prepare()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            # A session of its own: Ctrl-C in the terminal reaches the parent alone, which stops
            # the clients before the broker.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **environment},
                start_new_session=True,
            )

    def wait(self) -> int:
        """Wait until the broker ends by itself; its exit code."""
        assert self._process is not None
        return self._process.wait()

    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        assert self._process is not None
        return self._process.poll()

    def suspend(self) -> None:
        """SIGSTOP: it answers nobody, and its connections stay."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """SIGCONT: it goes on as if no time had passed."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Ask it to end, and kill it if it does not in time."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        process.send_signal(signal.SIGCONT)  # a suspended one would not hear
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """kill -9, as a crash does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait_until_ready(self) -> None:
        """Wait until it answers metadata. Raises BrokerError."""
        assert self._process is not None
        deadline = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise BrokerError(
                    f"{self.name} ended with code {self._process.returncode}; see {self.log}"
                )
            if answers_metadata(self.bootstrap):
                return
            time.sleep(0.1)
        raise BrokerError(
            f"{self.name} gave no metadata within {READY_TIMEOUT_S:.0f} s; see {self.log}"
        )


def answers_metadata(bootstrap: str) -> bool:
    """Whether a broker answers a metadata request: an open port proves nothing."""
    host, port = bootstrap.rsplit(":", 1)
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
        try:
            admin = kafka.KafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=2000)
        except KafkaError:
            return False
        try:
            return bool(admin.describe_cluster()["brokers"])
        except KafkaError:
            return False
        finally:
            admin.close()
    return False


def run_in_foreground(make: Callable[[int], BrokerProcess], note: str) -> None:
    """Run a broker on the port of the command line (9092) until it ends, or Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(description="Runs a broker until it is told to stop.")
    parser.add_argument("port", nargs="?", type=_port, default=9092, help="(9092)")
    port = parser.parse_args().port
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        with make(port) as broker:
            print(f"{broker.name} listens on {broker.bootstrap}; {note}", flush=True)
            print("stop with Ctrl-C", flush=True)
            sys.exit(broker.wait())
    except BrokerError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65_536):
        raise argparse.ArgumentTypeError(f"{text}: a port from 1 to 65535 is needed")
    return int(text)


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on now, and that this process was
    not given before: a broker asks for several ahead of listening on any.
    """
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port not in _GIVEN:
            _GIVEN.add(port)
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
