"""The journal followed and sealed, batch by batch, in one thread; others may look how it stands."""

import time
from collections.abc import Callable
from threading import Event

from kafka.errors import KafkaError, LogTruncationError, OffsetOutOfRangeError

from pitledger.archive.collect import ClockWentBack
from pitledger.archive.log import About, LogWriter
from pitledger.archive.saved_positions import Keeping
from pitledger.journal.record import Stored
from pitledger.sources.follow import POLL_RECORDS_MAX, Follower
from services.archivist.cuts import Cuts
from services.archivist.indexing import Indexing
from services.archivist.metrics import Standing
from services.archivist.sealing import Sealing
from services.archivist.settings import ArchiveSettings
from services.archivist.waiting import KINDS, Watch, kind_of, told
from services.runtime import following, logs
from services.runtime.following import JournalUnreadable
from services.runtime.same_topic import MadeAnew, SameTopic
from services.runtime.shell import SILENT_S
from services.runtime.silence import TELL_S
from services.storage.stores import open_store


class Archiving:
    """One reader and one archive's writer.

    Raises what LogWriter, Cuts and a store raise; ConnectionFailed where reading begins;
    JournalUnreadable.
    """

    def __init__(self, settings: ArchiveSettings) -> None:
        self.turned_at = time.monotonic()
        self.follows = False
        self._settings = settings
        self._connection = settings.process.connection
        self._log = logs.get("archivist")
        self._watch = Watch(self._log, settings.wait_s)
        self._writer: LogWriter | None = None
        self._keeping: Keeping | None = None
        self._indexing: Indexing | None = None
        self._sealing: Sealing | None = None
        self._follower: Follower | None = None
        self._before_ms: dict[int, int] = {}
        self._read_to_ms: dict[int, int] = {}
        self._records = 0
        self._open_rounds = 0
        self._caught_up = False
        self._all_sealed_at = time.monotonic()
        self._waits_for = "begins"
        self._unsigned = ""
        """Why the last checkpoint that was due was not signed."""
        self._told_at: float | None = None  # that no broker answers; None: one does

    def run(self, stop: Event) -> None:
        """Until told to stop; then what is complete is sealed."""
        settings, connection = self._settings, self._connection
        about = About(settings.origin, connection.topic, connection.partitions)
        store = open_store(settings.archive)
        self._writer = LogWriter(store, settings.key, about)
        self._keeping = Keeping(store)
        self._indexing = Indexing(store, self._log)
        self._log.info(
            "archive",
            at=settings.archive,
            origin=self._writer.about.origin,
            size=self._writer.size,
        )
        while not stop.is_set():
            topic = SameTopic(self._connection)
            sealing, follower = self._begin(self._writer, topic)
            try:
                self._follow(sealing, follower, topic, stop)
            except ClockWentBack as went:
                before = self._before_ms.get(went.partition, went.before_ms)
                self._before_ms[went.partition] = min(before, went.before_ms)
                self._log.warning("clock went back", partition=went.partition, to=went.before_ms)
            except MadeAnew:
                self._log.warning("topic made anew", topic=connection.topic)
            finally:
                follower.close()

    # ---- Reading ----

    def _begin(self, writer: LogWriter, topic: SameTopic) -> tuple[Sealing, Follower]:
        began = time.monotonic()
        sealing = Sealing(
            writer, self._connection.partitions, self._settings.leaves_max, topic.is_known
        )
        follower = following.follow(
            self._connection, Cuts(sealing, self._connection, self._before_ms)
        )
        self._sealing, self._follower = sealing, follower
        self._waits_for = ""
        self.follows = True
        self._log.info("reads", seconds=round(time.monotonic() - began, 3))
        return sealing, follower

    def _follow(self, sealing: Sealing, follower: Follower, topic: SameTopic, stop: Event) -> None:
        sealed_at = time.monotonic()
        while not stop.is_set():
            records = self._poll(follower)
            for stored in records:
                sealing.take(stored)
                self._read_to_ms[stored.partition] = stored.broker_time
            self._records += len(records)
            self.turned_at = now = time.monotonic()
            self._tell(follower, now)
            if now - sealed_at >= self._settings.every_s:
                sealed_at = now
                self._seal(sealing, follower, topic)
        self._seal(sealing, follower, topic)

    def _poll(self, follower: Follower) -> list[Stored]:
        """What is there now; a broker that is away is waited for."""
        try:
            records = follower.poll()
        except (OffsetOutOfRangeError, LogTruncationError) as error:
            raise JournalUnreadable(
                f"{self._connection.topic}: lost its end, or was made anew; a start says where it"
                f" does not continue the archive ({type(error).__name__})"
            ) from None
        except KafkaError as error:
            reason = self._connection.explain(error)
            if reason != self._waits_for:
                self._log.error("unreadable", error=reason)
            self._waits_for = reason
            time.sleep(following.RETRY_S)
            return []
        self._waits_for = ""
        return records

    def _seal(self, sealing: Sealing, follower: Follower, topic: SameTopic) -> None:
        lag = follower.lag()
        # Of a floor that plays there is always something on its way.
        up_to_date = not self._unread() and lag is not None and lag < POLL_RECORDS_MAX
        is_signed = sealing.seal()
        up_to_date &= is_signed
        if topic.why not in ("", self._unsigned):
            self._log.error("unsealed", error=topic.why)
        self._unsigned = "" if is_signed else topic.why
        assert self._writer is not None
        assert self._keeping is not None
        self._keeping.keep(self._writer.size)
        waiting = sealing.waiting()
        self._open_rounds = len(waiting)
        self._watch.look(waiting, self._known_ms(up_to_date))
        if up_to_date:
            self._all_sealed_at = self.turned_at
            assert self._indexing is not None
            self._indexing.update()

    def _known_ms(self, up_to_date: bool) -> Callable[[int], int]:
        """Up to which broker time a partition was read."""
        now_ms = time.time_ns() // 1_000_000
        return lambda partition: now_ms if up_to_date else self._read_to_ms.get(partition, 0)

    def _tell(self, follower: Follower, now: float) -> None:
        following.require_no_hole(follower, self._settings.process.hole_s)
        if follower.is_caught_up() and not self._caught_up:
            self._caught_up = True
            self._log.info("ready")
        if follower.silent_s() <= SILENT_S:
            if self._told_at is not None:
                self._log.info("Kafka answers again")
            self._told_at = None
        elif self._told_at is None or now - self._told_at >= TELL_S:
            self._told_at = now
            self._log.warning("no answer from Kafka", reason=self.reason())

    # ---- How it stands, for other threads ----

    def standing(self) -> Standing:
        sealing, follower, named = self._sealing, self._follower, self._watch.named
        return Standing(
            records=self._records,
            rounds=sealing.sealed.rounds if sealing else 0,
            remainders=sealing.sealed.remainders if sealing else 0,
            checkpoints=sealing.sealed.checkpoints if sealing else 0,
            size=self._writer.size if self._writer else 0,
            open_rounds=self._open_rounds,
            waiting={kind: sum(kind_of(each) == kind for each in named) for kind in KINDS},
            caught_up=self._caught_up,
            unsealed_s=time.monotonic() - self._all_sealed_at,
            silent_s=follower.silent_s() if follower else 0.0,
            lag_records=(follower.lag() or 0) if follower else 0,
        )

    def named(self) -> list[dict[str, object]]:
        """Rounds that wait although they should not."""
        return [told(each) for each in self._watch.named]

    def lag(self) -> int | None:
        return self._follower.lag() if self._follower else None

    def reason(self) -> str:
        """Why what is complete is not sealed, in one line; "" if it is, or will be in time."""
        return self._unread() or self._unsigned

    def _unread(self) -> str:
        follower = self._follower
        if self._waits_for or follower is None:
            return self._waits_for
        return following.reason(follower, self._caught_up)
