"""What an archive says that it is: `log.json`."""

import json
from dataclasses import dataclass

from services.verify.entries import Entry
from services.verify.faults import Bad, BadInput
from services.verify.files import Folder

_FORMAT = 1
_LONGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class About:
    """`partitions`: those of the journal. `data`: the file."""

    origin: str
    partitions: int
    data: bytes

    @classmethod
    def read(cls, files: Folder) -> "About":
        """Raises BadInput where there is no archive, Bad for one that is damaged."""
        data = files.read("log.json", _LONGEST)
        if data is None:
            if files.read("checkpoint", 1 << 20) is None:
                raise BadInput("is no archive: neither log.json nor checkpoint is there")
            raise Bad("log.json: is missing")
        return cls.parse("log.json", data)

    @classmethod
    def parse(cls, name: str, data: bytes) -> "About":
        """`name`: of the file that it lies in. Raises Bad."""
        try:
            about = json.loads(data if len(data) <= _LONGEST else b"")
            kinds = [type(about[each]) for each in ("format", "origin", "topic", "partitions")]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Bad(f"{name}: does not say what archive this is") from None
        if kinds != [int, str, str, int]:
            raise Bad(f"{name}: does not say what archive this is")
        if about["format"] != _FORMAT:
            raise Bad(f"{name}: format {about['format']} is not known here")
        if data != (json.dumps(about, indent=2) + "\n").encode():
            raise Bad(f"{name}: is not as it was written")
        return cls(about["origin"], about["partitions"], data)

    def check_partition(self, entry: Entry, partition: int) -> None:
        """Raises Bad."""
        if partition >= self.partitions:
            entry.bad(f"log.json knows {self.partitions} partitions")
