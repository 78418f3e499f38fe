"""Apache Kafka without Docker: one KRaft node from jars that Maven resolves. Needs a JDK 17+.

`python -m services.broker.apache [PORT]` runs it in the foreground; data under `.run/kafka`.
"""

import base64
import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from services.broker.process import BrokerError, BrokerProcess, free_port, run_in_foreground

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "deploy" / "kafka"
HOME = ROOT / ".run" / "kafka"
LIBS = HOME / "libs"
JAVA_AT_LEAST = 17


class ApacheKafka(BrokerProcess):
    """`with ApacheKafka(data=tmp) as broker: broker.bootstrap`

    `data` is kept from run to run. `users` (name -> password) opens a second listener, at
    `sasl_bootstrap`, where clients log in by SCRAM-SHA-256 and access lists hold; the user
    `admin` may do everything.
    """

    name = "Apache Kafka"
    cluster_id = ""
    """Of the cluster that a node is formatted for; "": a new one of its own."""

    def __init__(
        self,
        port: int | None = None,
        data: Path = HOME / "data",
        users: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(port, data.with_name(data.name + ".log"))
        self.data = data
        self.users = dict(users or {})
        self.controller_port = free_port()
        self._sasl_port = free_port()

    @property
    def sasl_bootstrap(self) -> str:
        return f"127.0.0.1:{self._sasl_port}"

    def prepare(self) -> tuple[Sequence[str], Mapping[str, str]]:
        self._refuse_shared_data()
        java = find_java()
        resolve_jars()
        properties = self._write_properties()
        if not (self.data / "meta.properties").exists():
            self._format(java, properties)
        command = (
            java,
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-cp",
            str(LIBS / "*"),
            "kafka.Kafka",
            str(properties),
        )
        return command, {}

    def recipe(self) -> str:
        """The node's settings, with names in braces for the launcher to fill in."""
        return (RECIPES / "node.properties").read_text()

    def _refuse_shared_data(self) -> None:
        """Kafka holds a lock there as long as it runs, and would end with a page of Java."""
        with contextlib.suppress(FileNotFoundError), (self.data / ".lock").open("rb") as lock:
            try:
                fcntl.lockf(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                told = f"{self.name}: another broker runs on the data in {self.data}; stop it first"
                raise BrokerError(told) from None

    def _write_properties(self) -> Path:
        text = self.recipe()
        listeners = f"BROKER://{self.bootstrap}"
        if self.users:
            listeners += f",SASL://{self.sasl_bootstrap}"
            text += (RECIPES / "sasl.properties").read_text()
        for name, value in (
            ("listeners", listeners),
            ("controller_port", str(self.controller_port)),
            ("data", str(self.data.absolute())),
        ):
            text = text.replace("{" + name + "}", value)
        properties = self.data.with_name(self.data.name + ".properties")
        properties.parent.mkdir(parents=True, exist_ok=True)
        properties.write_text(text)
        return properties

    def _format(self, java: str, properties: Path) -> None:
        tool = (java, "-cp", str(LIBS / "*"), "kafka.tools.StorageTool")
        cluster = self.cluster_id or random_cluster_id()
        scram = [
            f"--add-scram=SCRAM-SHA-256=[name={name},password={password}]"
            for name, password in self.users.items()
        ]
        _run((*tool, "format", "-t", cluster, "-c", str(properties), *scram))


def random_cluster_id() -> str:
    """16 bytes in URL-safe base64, as Kafka's own tool makes them."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):  # the tool would take it for an option
            return text


def find_java() -> str:
    """Path of a Java 17+. Raises BrokerError with one line where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = (home and shutil.which("java", path=f"{home}/bin")) or shutil.which("java")
    if java is None:
        raise BrokerError(f"Apache Kafka needs a JDK {JAVA_AT_LEAST} or newer: no java was found")
    version = subprocess.run((java, "-version"), capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', version.stderr)
    if found is None or int(found[1]) < JAVA_AT_LEAST:
        text = found[1] if found else "unknown"
        raise BrokerError(f"Apache Kafka needs a JDK {JAVA_AT_LEAST} or newer: {java} is {text}")
    return java


def resolve_jars() -> None:
    """Have the server's jars in `.run/kafka/libs` (some 43 MB, once). Raises BrokerError.

    Several processes may ask at once: one fetches, the others wait for it.
    """
    recipe = (RECIPES / "pom.xml").read_text()
    stamp = LIBS / "pom.xml"
    HOME.mkdir(parents=True, exist_ok=True)
    with (HOME / "libs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # released as the file is closed
        if stamp.exists() and stamp.read_text() == recipe:
            return
        maven = _find_maven()
        shutil.rmtree(LIBS, ignore_errors=True)
        goal = "dependency:copy-dependencies"
        recipe_path = str(RECIPES / "pom.xml")
        _run((maven, "-q", "-B", "-f", recipe_path, goal, f"-DoutputDirectory={LIBS}"))
        stamp.write_text(recipe)


def _find_maven() -> str:
    maven = shutil.which("mvn")
    if maven is None:
        raise BrokerError("Apache Kafka's jars are resolved by Maven: no mvn was found")
    return maven


def why_not() -> str:
    """Which tool that Apache Kafka needs is missing here, in one line; "" if none."""
    try:
        find_java()
        _find_maven()
    except BrokerError as error:
        return str(error)
    return ""


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["no output"]
        errors = [line for line in lines if "ERROR" in line or "Exception" in line]
        name = next((word for word in command if "." not in word[:1]), command[0])
        raise BrokerError(f"{Path(name).name} failed: {(errors or lines)[0][:300]}")
    return done.stdout


if __name__ == "__main__":
    run_in_foreground(ApacheKafka, f"data in {HOME / 'data'}")
