"""The journal followed, cases folded, and what is missing of their answers written; one thread.

An answer is derived from facts, so that a second process, a restart or a repeat writes the same
bytes again or nothing. Nothing is written before the journal was read to its end.
"""

import time
from collections import Counter
from collections.abc import Mapping
from threading import Event
from typing import Any

from kafka.errors import KafkaError, LogTruncationError, OffsetOutOfRangeError

from pitledger.cases.case import Concluded
from pitledger.cases.journal import Cases
from pitledger.journal.record import JournalRecord, Stored, headers_of
from pitledger.sources.connection import BrokersAway, ConnectionFailed
from pitledger.sources.follow import Follower
from services.cases.from_archive import take_archive
from services.cases.index import CaseIndex
from services.cases.indexed_cases import IndexedCases
from services.cases.metrics import Standing
from services.cases.same_journal import require_same
from services.cases.settings import CasesSettings
from services.runtime import following, logs
from services.runtime.build import build
from services.runtime.following import JournalUnreadable
from services.runtime.same_topic import SameTopic
from services.storage.stores import open_store

SAVE_S = 5.0
SENT_S = 10.0


class LacksBeginning(Exception):
    """One line: the journal no longer has what cases may speak of, and no archive has it either."""


class Answering:
    """One reader, one index, one producer.

    Raises what CaseIndex and an archive raise; LacksBeginning, ConnectionFailed where reading
    begins; JournalUnreadable.
    """

    def __init__(self, settings: CasesSettings) -> None:
        self.turned_at = time.monotonic()
        self.follows = False
        self.written: Counter[str] = Counter()
        self.forged = 0
        self._settings = settings
        self._connection = settings.process.connection
        self._log = logs.get("cases")
        self._cases: IndexedCases | None = None
        self._follower: Follower | None = None
        self._producer: Any = None
        self._sent_at: dict[str, float] = {}
        self._caught_up = False
        self._waits_for = "begins"
        self._unwritable = ""  # why the last attempt to write failed
        # As of the last turn, for other threads.
        self._states_changed = True
        self._states: Counter[str] = Counter()
        self._unanswered = 0
        self._oldest_ms = 0

    def run(self, stop: Event) -> None:
        """Until told to stop."""
        connection = self._connection
        index = CaseIndex(
            self._settings.index or ":memory:", connection.topic, connection.partitions
        )
        try:
            topic = SameTopic(connection)
            follower = self._begin(index)
            try:
                self._follow(follower, topic, stop)
            finally:
                follower.close()
        finally:
            index.close()
            if self._producer is not None:
                self._producer.close(timeout=1)

    # ---- Reading ----

    def _begin(self, index: CaseIndex) -> Follower:
        began = time.monotonic()
        follower = following.follow(
            self._connection, lambda *asked: self._places(index, *asked)
        )
        self._cases = IndexedCases(index)
        self._follower, self.follows, self._waits_for = follower, True, ""
        self._log.info(
            "reads",
            seconds=round(time.monotonic() - began, 3),
            cases=sum(1 for _ in self._cases.cases.cases()),
        )
        return follower

    def _places(self, index: CaseIndex, consumer: Any, tps: list[Any]) -> Mapping[Any, int]:
        """Where each partition is read on; of what the journal lacks an archive must tell."""
        firsts = consumer.beginning_offsets(tps)
        if any(firsts[tp] > index.resume().get(tp.partition, 0) for tp in tps):
            self._take_archive(index)
        resume = index.resume()
        if self._connection.broker != "embedded":  # it says ends too low by a batch
            require_same(index, self._settings.index or self._settings.archive, consumer, tps)
            consumer.assign(tps)
        for tp in tps:
            if firsts[tp] > resume.get(tp.partition, 0):
                raise LacksBeginning(
                    f"{tp.topic} partition {tp.partition} begins at offset {firsts[tp]}, and what"
                    f" follows {resume.get(tp.partition, 0)} is not known: let PITLEDGER_ARCHIVE"
                    " name the archive that has it"
                )
        return {tp: resume.get(tp.partition, 0) for tp in tps}

    def _take_archive(self, index: CaseIndex) -> None:
        if not self._settings.archive:
            return
        connection, store = self._connection, open_store(self._settings.archive)
        rounds = take_archive(index, store, connection.topic, connection.partitions)
        self._log.info(
            "archive", at=self._settings.archive, rounds=rounds,
            not_checked="its signatures: pitledger-verify checks them",
        )  # fmt: skip

    def _follow(self, follower: Follower, topic: SameTopic, stop: Event) -> None:
        """Nothing is written, and nothing kept, of a topic that is not the one it began with."""
        indexed, saved_at = self._cases, time.monotonic()
        assert indexed is not None
        while not stop.is_set():
            for stored in self._poll(follower):
                self._states_changed |= indexed.take(stored)
            self._tell_of_forged(indexed)
            self.turned_at = now = time.monotonic()
            self._look(indexed.cases, follower)
            if self._caught_up:
                self._answer(indexed.cases, topic, now)
            self._count(indexed.cases)
            if now - saved_at >= SAVE_S:
                saved_at = now
                self._save(indexed, topic)
        self._save(indexed, topic)

    def _save(self, indexed: IndexedCases, topic: SameTopic) -> None:
        if topic.is_known():
            indexed.save()

    def _tell_of_forged(self, indexed: IndexedCases) -> None:
        for forged in indexed.forged():
            self.forged += 1
            self._log.error(
                "forged", table=forged.table_id, case=forged.case_id, kind=forged.kind,
                partition=forged.partition, offset=forged.offset, text=forged.text,
            )  # fmt: skip

    def _poll(self, follower: Follower) -> list[Stored]:
        """What is there now; a broker that is away is waited for."""
        try:
            records = follower.poll()
        except (OffsetOutOfRangeError, LogTruncationError) as error:
            raise JournalUnreadable(
                f"{self._connection.topic}: lost its end, or was made anew; a start says whether it"
                f" is the one that was read ({type(error).__name__})"
            ) from None
        except KafkaError as error:
            failure = self._connection.failure(error)
            if not (isinstance(failure, BrokersAway) or self._caught_up):
                raise failure from None  # a start that is refused is no waiting
            self._waits_for = self._told(str(failure), self._waits_for)
            return []
        self._waits_for = ""
        return records

    def _look(self, cases: Cases, follower: Follower) -> None:
        following.require_no_hole(follower, self._settings.process.hole_s)
        if follower.is_caught_up() and not self._caught_up:
            self._caught_up = True
            self._log.info("ready", unanswered=len(cases.unseen))

    # ---- Writing ----

    def _answer(self, cases: Cases, topic: SameTopic, now: float) -> None:
        """Write what is derived and not on the journal; again what was not read back in time."""
        due = [
            one
            for one in cases.unseen.values()
            if now - self._sent_at.get(one.event_id, -1e9) > self._settings.process.resend_s
        ]
        if due and topic.is_known():
            try:
                self._send(due)
                self._unwritable = ""
            except ConnectionFailed as problem:
                self._unwritable = self._told(str(problem), self._unwritable)
            except KafkaError as error:
                # Of what was on its way the same bytes may come twice. Another producer looks for
                # the brokers anew.
                self._producer.close(timeout=1)
                self._producer = None
                self._unwritable = self._told(self._connection.explain(error), self._unwritable)
        elif due:
            self._unwritable = self._told(topic.why, self._unwritable)
        self._sent_at = {
            event_id: at for event_id, at in self._sent_at.items() if event_id in cases.unseen
        }

    def _send(self, due: list[Concluded]) -> None:
        if self._producer is None:
            idempotent = self._settings.process.idempotent
            self._producer = self._connection.producer(idempotent=idempotent)
        sent = []
        for one in due:
            headers = headers_of(JournalRecord.FromString(one.value))
            sent.append(
                self._producer.send(
                    self._connection.topic,
                    one.value,
                    key=one.table_id.encode(),
                    partition=one.partition,
                    headers=[*headers, ("ce_build", build().encode())],
                )
            )
        for one, future in zip(due, sent, strict=True):
            future.get(SENT_S)
            self._sent_at[one.event_id] = time.monotonic()
            self.written[one.body] += 1
            self._log.info("written", kind=one.body, case=one.case_id, id=one.event_id)

    def _told(self, reason: str, before: str) -> str:
        """The reason, logged once; then a while passes."""
        if reason != before:
            self._log.error("no answer from Kafka", error=reason)
        time.sleep(following.RETRY_S)
        return reason

    # ---- How it stands, for other threads ----

    def standing(self) -> Standing:
        follower, since_ms = self._follower, self._oldest_ms
        return Standing(
            states=self._states,
            written=dict(self.written),
            forged=self.forged,
            unanswered=self._unanswered,
            unanswered_s=max(0.0, time.time() - since_ms / 1000) if since_ms else 0.0,
            caught_up=self._caught_up,
            silent_s=follower.silent_s() if follower else 0.0,
            lag_records=(follower.lag() or 0) if follower else 0,
        )

    def _count(self, cases: Cases) -> None:
        """In the thread that folds."""
        self._unanswered = len(cases.unseen)
        self._oldest_ms = min((one.at_ms for one in cases.unseen.values()), default=0)
        if self._states_changed:
            self._states_changed = False
            self._states = Counter(case.state.value for case in cases.cases())

    def reason(self) -> str:
        """Why a case may not be answered now, in one line; "" if all are."""
        follower = self._follower
        if self._waits_for or self._unwritable or follower is None:
            return self._waits_for or self._unwritable
        return following.reason(follower, self._caught_up)
