"""Settings from environment variables, with one clear line for each that is wrong."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

# fmt: off
SETTINGS = frozenset((
    "ARCHIVE", "ARCHIVE_EVERY_S", "ARCHIVE_KEY", "ARCHIVE_LEAVES", "ARCHIVE_ORIGIN",
    "ARCHIVE_WAIT_S", "AUDIT_FROM", "AUDIT_WAIT_S", "BOOTSTRAP", "BROKER", "CASES_INDEX",
    "CLAIM_WINDOW_DAYS", "CONNECT_S",
    "FETCH_WAIT_MS", "GATHER_MS", "GROUP", "HOLE_S", "HTTP_HOST", "HTTP_PORT", "IDEMPOTENCE",
    "INSTANCE", "LOG", "LOG_LEVEL", "MIN_INSYNC", "PACKET_KEY", "PARTITIONS", "QUARANTINE_TOPIC",
    "REPLICATION", "RESEND_S", "RETENTION", "S3_ENDPOINT", "SASL_MECHANISM", "SASL_PASSWORD",
    "SASL_PASSWORD_FILE", "SASL_USERNAME", "SECURITY", "STALL_S", "TLS_CA", "TLS_CERT",
    "TLS_HOSTNAME_CHECK", "TLS_KEY", "TLS_KEY_PASSWORD", "TLS_KEY_PASSWORD_FILE", "TOPIC",
    "WAIT_S",
))
# fmt: on
"""All that any process reads, without PITLEDGER_, but for the floor's own: FLOOR_<OPTION>."""

_OTHERS = ("FLOOR_", "SKIP_NOTHING")
"""The floor's options, and what the tests read."""

_DIGITS_MAX = 18
"""More are beyond every setting; Python reads some thousands, and raises for more."""


class SettingError(Exception):
    """One line: the variable, and what is wrong with it."""


class Environment:
    """Typed reads of `PITLEDGER_*`; an empty variable counts as absent."""

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables = os.environ if variables is None else variables
        self.warnings: list[str] = []
        """What is not wrong, but should be otherwise; one line each."""

    def warn_of_unknown(self) -> None:
        """Add a warning for each `PITLEDGER_*` that nothing reads: it may be misspelt."""
        for variable in sorted(self._variables):
            name = variable.removeprefix("PITLEDGER_")
            if name != variable and name not in SETTINGS and not name.startswith(_OTHERS):
                self.warnings.append(f"{variable}: there is no such setting; it is ignored")

    def text(self, name: str, default: str = "") -> str:
        return self._variables.get(_full(name), "").strip() or default

    def is_set(self, name: str) -> bool:
        return bool(self.text(name))

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.text(name, default)
        if value not in choices:
            raise SettingError(f"{_full(name)}={value}: must be one of {', '.join(choices)}")
        return value

    def whole(self, name: str, default: int, *, least: int = 0, most: int = 1 << 31) -> int:
        text = self.text(name)
        if not text:
            return default
        if not text.isascii() or not text.isdigit():
            raise SettingError(f"{_full(name)}={text}: must be a whole number")
        if len(text) > _DIGITS_MAX or not least <= int(text) <= most:
            raise SettingError(f"{_full(name)}={text}: must be from {least} to {most}")
        return int(text)

    def flag(self, name: str, default: bool) -> bool:
        return self.choice(name, ("on", "off"), "on" if default else "off") == "on"

    def file(self, name: str) -> Path | None:
        text = self.text(name)
        if text and not Path(text).is_file():
            raise SettingError(f"{_full(name)}={text}: there is no such file")
        return Path(text) if text else None

    def private_file(self, name: str) -> Path | None:
        """A file whose content is not for everybody; its group may be meant to read it."""
        path = self.file(name)
        if path is not None and path.stat().st_mode & stat.S_IROTH:
            self.warnings.append(f"{_full(name)}={path}: everybody may read it; use chmod o-r")
        return path

    def secret(self, name: str) -> str:
        """The text of the file `PITLEDGER_<name>_FILE`, else of `PITLEDGER_<name>`, as it is.

        Only the newline that ends a file is not part of it.
        """
        path = self.private_file(f"{name}_FILE")
        if path is None:
            return self._variables.get(_full(name), "")
        try:
            return path.read_text().removesuffix("\n").removesuffix("\r")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "is no text"
            raise SettingError(f"{_full(name)}_FILE={path}: {reason}") from None


def _full(name: str) -> str:
    return f"PITLEDGER_{name}"
