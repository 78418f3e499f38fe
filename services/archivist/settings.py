"""The archivist's settings: those of every process, the archive, its key, its cadence."""

from dataclasses import dataclass
from pathlib import Path

from pitledger.archive.note import COSIGNATURE, BadNote, SecretKey
from pitledger.sources.environment import Environment, SettingError
from services.runtime.settings import ARCHIVIST, Settings, archive_place


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """Times end in their unit."""

    process: Settings
    archive: str
    """As `open_store` takes it."""
    key: SecretKey
    origin: str
    """Empty: that of the archive; of a new one, the key's name."""
    every_s: int
    """What is complete is sealed after so long."""
    leaves_max: int
    """Or as soon as so many leaves are complete."""
    wait_s: int
    """A round that is over and lacks decisions for so long is named."""

    @classmethod
    def from_environment(cls, environment: Environment | None = None) -> "ArchiveSettings":
        """Raises SettingError."""
        env = environment or Environment()
        process = Settings.from_environment(ARCHIVIST, env)
        archive = archive_place(env)
        if not archive:
            raise SettingError(
                "PITLEDGER_ARCHIVE: say where the archive lies: a folder, or s3://BUCKET/PREFIX"
            )
        key = _key(env.private_file("ARCHIVE_KEY"))
        return cls(
            process=process,
            archive=archive,
            key=key,
            origin=env.text("ARCHIVE_ORIGIN"),
            every_s=env.whole("ARCHIVE_EVERY_S", 60, least=1),
            leaves_max=env.whole("ARCHIVE_LEAVES", 4_096, least=1, most=1 << 20),
            wait_s=env.whole("ARCHIVE_WAIT_S", 60, least=1),
        )


def _key(path: Path | None) -> SecretKey:
    if path is None:
        raise SettingError(
            "PITLEDGER_ARCHIVE_KEY: name the file of the key that signs, as made by"
            " `pitledger keys new`"
        )
    try:
        key = SecretKey.parse(path.read_text())
    except OSError as error:
        raise SettingError(f"PITLEDGER_ARCHIVE_KEY={path}: {error.strerror}") from None
    except (BadNote, UnicodeDecodeError) as problem:
        raise SettingError(f"PITLEDGER_ARCHIVE_KEY={path}: {problem}") from None
    if key.kind == COSIGNATURE:
        raise SettingError(f"PITLEDGER_ARCHIVE_KEY={path}: is the key of a witness")
    return key
