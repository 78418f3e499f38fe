"""The settings of cases: those of every process, an archive to know old rounds by, an index."""

from dataclasses import dataclass

from pitledger.sources.environment import Environment
from services.runtime.settings import CASES, Settings, archive_place


@dataclass(frozen=True, slots=True)
class CasesSettings:
    """Of one process."""

    process: Settings
    archive: str
    """Where the archive lies, as `open_store` takes it; "": none, the journal has everything."""
    index: str
    """The path of the index; "": in memory, and made again at every start."""

    @classmethod
    def from_environment(cls, environment: Environment | None = None) -> "CasesSettings":
        """Raises SettingError."""
        env = environment or Environment()
        return cls(
            process=Settings.from_environment(CASES, env),
            archive=archive_place(env),
            index=env.text("CASES_INDEX"),
        )
