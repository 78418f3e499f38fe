"""The floor: many independent tables from one seed."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random

from pitledger.journal.record import DECISION_TYPES, TYPE_BYTES, Headers
from pitledger.pb.cards_pb2 import DealingMethod
from services.floor.faults import ORDINARY, Rates
from services.floor.pen import OutgoingFact
from services.floor.table import UNBOUNDED, TableScript
from services.floor.terms import GAMES, METHODS, plain_terms, varied_terms

_HOLDS = (TYPE_BYTES["table_held"], TYPE_BYTES["table_released"])
_OPENED = TYPE_BYTES["round_opened"]
_PREFIX = {"saigon5": "saigon", "five_card_hi_lo": "hilo"}


class Floor:
    """Tables of the given games in turn, `rounds` in all; deterministic for a seed.

    The same seed, times and observed decisions give the same bytes; each table has a generator of
    its own, derived from the seed and the table's id, so no table bears on another.
    `positions`, `method`: None: each table its own. `plain`: all tables alike, by the default
    submissions (the benchmark). `pace_us`: least time between two openings at one table; the first
    openings are spread over it.
    """

    def __init__(
        self, seed: int, tables: int, games: Sequence[str] = GAMES, rates: Rates = ORDINARY, *,
        rounds: int | None = None, positions: int | None = None,
        method: DealingMethod | None = None, plain: bool = False, first_round_number: int = 1,
        pace_us: int = 0, patience_us: int = 20_000_000,
    ) -> None:
        self.scripts: list[TableScript] = []
        for index in range(tables):
            game = games[index % len(games)]
            table_id = f"{_PREFIX.get(game, game)}-{index + 1:03d}"
            rng = Random(sha256(f"{seed}/{table_id}".encode()).digest())
            dealt = method or METHODS[(seed + index // len(games)) % len(METHODS)]
            if plain:
                terms = plain_terms(table_id, game, positions or 6, dealt)
            else:
                terms = varied_terms(table_id, game, positions, dealt, rng)
            share = UNBOUNDED if rounds is None else (rounds + tables - 1 - index) // tables
            self.scripts.append(TableScript(
                terms, rates, rng, rounds=share, first_round_number=first_round_number,
                patience_us=patience_us, pace_us=pace_us, phase_us=pace_us * index // tables,
            ))
        self._by_key = {script.terms.table_id.encode(): script for script in self.scripts}

    @property
    def done(self) -> bool:
        """Whether every table has played its rounds."""
        return all(script.done for script in self.scripts)

    @property
    def rounds_opened(self) -> int:
        return sum(script.rounds_opened for script in self.scripts)

    def step(self, now_us: int) -> list[OutgoingFact]:
        """The next facts of all tables, each table's in order."""
        return [fact for script in self.scripts for fact in script.step(now_us)]

    def observe(self, key: bytes, headers: Headers, value: bytes) -> TableScript | None:
        """Show a record of the journal; the table whose decision or hold it is, if any."""
        script = self._by_key.get(key)
        if script is None:
            return None
        for name, content in headers:
            if name == "ce_type":
                if content in DECISION_TYPES:
                    return script if script.observe(value) else None
                if content in _HOLDS:
                    return script if script.observe_hold(headers, value) else None
                return None
        return None

    def remember(self, key: bytes, headers: Headers, value: bytes, broker_time: int) -> None:
        """Show a record of before the floor began, with its broker time (ms).

        Of those holds bear on it, and the round in which a console died.
        """
        script = self._by_key.get(key)
        if script is None:
            return
        for name, content in headers:
            if name == "ce_type" and content in _HOLDS:
                script.observe_hold(headers, value)
            elif name == "ce_type" and content == _OPENED:
                script.remember_opening(headers, value, broker_time)
