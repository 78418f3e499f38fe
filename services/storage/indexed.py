"""What an index of an archive has of each thing in it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IndexedRound:
    """A sealed round. `sha256`, `length`: of its transcript. Amounts in minor units of `currency`.

    `entry`: of its leaf; of one too long for a leaf, the document's that tells of it.
    """

    entry: int
    sha256: bytes
    length: int
    partition: int
    table_id: str
    round_id: str
    number: int
    gaming_day: str
    game: str
    opened_at_ms: int
    sealed_at_ms: int
    outcome: str  # "settled", "voided"; "": its bytes are not there, nor what they say
    first_offset: int
    last_offset: int
    closed_at: int | None
    """Offset of the RoundClosed that ended it, if one did."""
    occurred_at_us: int | None
    """When it opened, by the device's clock."""
    currency: str
    staked_minor: int | None
    returned_minor: int | None
    house_net_minor: int | None
    next_number: int | None
    """Of the round whose opening ended it, if one did."""

    @property
    def gone(self) -> bool:
        """Whether its bytes were not there, so that only its manifest is known."""
        return not self.game


@dataclass(frozen=True, slots=True)
class IndexedCase:
    """A record of a case, or one that claims to be.

    `round_id`: which round it speaks of; "": it names the case alone. `body`: of its record; None:
    its bytes are none.
    """

    entry: int
    partition: int
    offset: int
    broker_time_ms: int
    case_id: str
    round_id: str
    table_id: str
    event_id: str
    body: str | None


@dataclass(frozen=True, slots=True)
class IndexedBuild:
    """A process that started."""

    entry: int
    partition: int
    offset: int
    broker_time_ms: int
    processor: str
    build: str
    instance: str


@dataclass(frozen=True, slots=True)
class IndexedHold:
    """A table held, or released: then `releases` is the event id of the hold that ended."""

    entry: int
    partition: int
    offset: int
    table_id: str
    event_id: str
    releases: str
    holds: bool
