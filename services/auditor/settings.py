"""The auditor's settings: those of every process, from where it reads, and its patience."""

from dataclasses import dataclass

from pitledger.sources.environment import Environment
from services.runtime.settings import AUDITOR, Settings

BEGINNING, DAY = "beginning", "day"


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Times end in their unit."""

    process: Settings
    begin: str
    """"beginning": of the journal; "day": rounds that opened in the last 24 hours."""
    wait_s: int
    """A decision that is due and not on the journal after so long is a finding."""

    @classmethod
    def from_environment(cls, environment: Environment | None = None) -> "AuditSettings":
        """Raises SettingError."""
        env = environment or Environment()
        return cls(
            process=Settings.from_environment(AUDITOR, env),
            begin=env.choice("AUDIT_FROM", (BEGINNING, DAY), BEGINNING),
            wait_s=env.whole("AUDIT_WAIT_S", 60, least=1),
        )
