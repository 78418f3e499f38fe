"""The tables of an export and their columns: one description for every format and the document.

Types: `text`, `texts` (a list), `bytes`, `bool`, `int32`, `int64`, `uint64`, `instant_us` and
`instant_ms` (UTC), `json` (protobuf's JSON mapping), `headers` (name, value), `comparisons`
(measure, player, other). Amounts are `int64` minor units; their names end in `_minor`.
"""

from dataclasses import dataclass

FORMAT = 1
"""Of an export; it rises where a column changes its meaning or goes."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Every column may be null: not applicable, or not on record."""

    name: str
    type: str
    about: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table: what a row is, and its columns in order."""

    name: str
    about: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def _columns(text: str) -> tuple[Column, ...]:
    """`name type about` a line."""
    rows = (line.split(None, 2) for line in text.strip().splitlines())
    return tuple(Column(name, kind, about) for name, kind, about in rows)


_ENVELOPE = """
gaming_day text of the round; of what names none, the day for which the table is open
table_id text the table
round_id text the round
event_id text the record's id: a fact's, or a decision's
partition int32 where it lies on the journal
offset int64 where it lies there; null: a decision that the facts derive and that is not recorded
occurred_at instant_us when it happened, by the device; a decision's: of the fact that caused it
"""
_ANSWERED = """
accepted bool whether it was taken
refusal text why not
"""
_CARDS = "card text As, Td, 2c; Jk the joker; ?? a card of no deck of the house; -- none\n"
_CURRENCY = "currency text ISO 4217\n"


def _table(name: str, about: str, own: str, envelope: str = _ENVELOPE) -> Table:
    return Table(name, about, _columns(envelope.strip() + "\n" + own.strip()))


RECORDS = Table(
    "records",
    "Every record of the journal, as it lies there.",
    _columns("""
gaming_day text of its round; of what names none, the day for which its table is open
partition int32 where it lies
offset int64 where it lies there
broker_time instant_ms when the broker took it
key bytes the message's key
headers headers the message's headers
type text its `ce_type` header
event_id text its id; this and what follows is null where the bytes are no record
table_id text the table
round_id text the round, if it names one
case_id text the case, if it names one
occurred_at instant_us when it happened, by the device
source text the device or the processor
actor text the person, by an opaque id
causation_id text a decision's: the fact that caused it
table_seq int64 the console's number within the round
decision bool whether its type is a decision's
note text why it has no effect; empty: it has
body json what it says
value bytes the message's bytes
"""),
)

ROUNDS = _table(
    "rounds",
    "One row a round. Its event is the `RoundOpened`; the money is that of its outcome.",
    """
round_number uint64 rising by table
game text `saigon5`, `five_card_hi_lo`
submission_name text of the rules submission
submission_sha256 text of the submission's bytes, hexadecimal
adjudication_version int64 by which it is judged
property_id text the property
pit_id text the pit
currency text ISO 4217
dealer_id text the dealer
supervisor_id text the supervisor
shuffler_id text the shuffler
shoe_id text the shoe
deck_ids texts the decks
dealing_method text `manual_shoe`, `hand`, `automated_shoe`
rounds_since_stub_count int64 before this round
shuffler_confirms_count bool whether the shuffler counts the deck
opened_broker_time instant_ms when the broker took the opening
state text `settled`, `voided`, `open`
ended_at instant_us when the fact that ended it happened
ended_by_type text which fact that was: `RoundClosed`, `VoidOrdered`, `TableClosed`, `RoundOpened`
ended_by_event_id text its id
ended_by_offset int64 its offset
outcome_event_id text of the `RoundSettled` or `RoundVoided`
outcome_offset int64 its offset
revision int64 of the payout that was booked
void_reason text why it is void
staked_minor int64 all stakes of its lines
returned_minor int64 what went back to the positions
positions_net_minor int64 the positions' net
house_net_minor int64 the house's net
pot_net_minor int64 the Pot's net, which is 0; the three nets sum to zero
pot_minor int64 what lay in the Pot
pot_best_point_count int64 the count that won it; 0: nobody was eligible
decisions_derived int64 how many its facts derive
decisions_recorded int64 how many of these are on the journal
unjudged text why this build does not judge it
""",
)

SEATS = _table("seats", "Who sat where, by the `RoundOpened`.", """
position int64 from 1, farthest to the dealer's left
patron_id text an opaque id
""")

WAGERS = _table(
    "wagers",
    "Each stake that was asked for, each circle that was asked back.",
    f"""
action text `wager`, `withdrawal`
item int32 its place in the request, from 1
position int64 the position
patron_id text who asked
kind text `ante`, `bonus`, `pot`, `tie`, `poker_bonus`
amount_minor int64 what was asked for
{_CURRENCY}instrument text `value_chip`, `plaque` and others
{_ANSWERED.strip()}
limit_minor int64 the limit that it met
citations texts paragraphs for the refusal
answer_event_id text of the `RequestAnswered`
""",
)

CIRCLES = _table(
    "circles",
    "What `BettingClosed` decides: circles that stand, chips that go back before the deal.",
    f"""
position int64 the position
kind text the wager
stake_minor int64 the circle's sum
{_CURRENCY}stands bool whether it plays
wager_ids texts event ids of the requests that make it up
return_reason text why it goes back
limit_minor int64 the limit that it met
citations texts paragraphs
""",
)

CARDS = _table(
    "cards",
    "Each card as it was drawn, as a supervisor corrected it, and as it was dealt.",
    f"""
what text `drawn`, `corrected` (facts), `dealt` (the deal as decided, once for each revision)
revision int64 of the deal
position int64 to whom; 0: the dealer
place int32 its place in the hand, from 1 in the order of the deal
ordinal int64 its place in the whole deal, from 1
{_CARDS}""",
)

HANDS = _table(
    "hands",
    "Each hand as its player set it, as the dealer exposed his, and as it was judged.",
    f"""
what text `set`, `exposed` (facts), `evaluated` (once for each revision)
revision int64 of the evaluation
position int64 whose; 0: the dealer
first texts the three-card or high hand
second texts the two-card or low hand
{_ANSWERED.strip()}
set_by text `player` (of position 0: the dealer), `rule`, `correction`
first_total int64 total of the first hand
second_total int64 total of the second hand
joker_points int64 what the joker counts; 0: no joker
qualifies bool Saigon 5 Card
point_count int64 Saigon 5 Card
misset bool Saigon 5 Card
busted bool Five Card Hi-Lo
foul bool Five Card Hi-Lo
poker text rank of the five cards
poker_rank int64 of its largest group or highest card
joker_in_poker bool whether the joker took part
rulings texts house rulings that were used
""",
)

LINES = _table(
    "lines",
    "What each circle was paid: each revision of the payout that was due, and what was booked.",
    f"""
what text `payout_due`, `round_settled`, `round_voided`
booked bool whether it is the round's outcome: the sum of these is what was paid
revision int64 of the payout
line int32 its place in the paying order, from 1
position int64 the position
patron_id text who sits there
kind text the wager
wager_ids texts event ids of the requests that make the circle up
counterparty text `house`, `pot`
stake_minor int64 the circle's sum
{_CURRENCY}outcome text `win`, `lose`, `return`
reason text the rule's case
odds_win int64 odds, what is paid
odds_stake int64 odds, for how much
payout_unit_minor int64 payouts are multiples of this
payout_rounding text `down`, `up`, `nearest`: stake * odds_win / odds_stake to the unit
uncut_profit_minor int64 after rounding, before the payout limit
profit_minor int64 what the position won; negative: lost
returned_minor int64 stake and profit
comparisons comparisons what was compared
citations texts paragraphs
rulings texts house rulings that were used, `setting=choice`
explanation text the line as a sentence
""",
)

ANSWERS = _table(
    "answers",
    "Each answer to a request, item by item; chips that a withdrawal gives back.",
    f"""
what text `answer`, `returned`
request_event_id text the fact that asked
item int32 its place, from 1
position int64 of chips given back
kind text the wager, if it is about one
{_ANSWERED.strip()}
asked_minor int64 what was asked for, the circle's sum with it
amount_minor int64 chips given back
{_CURRENCY}limit_minor int64 the limit that it met
citations texts paragraphs
""",
)

PAYMENTS = _table("payments", "What a dealer paid or took, as it was recorded.", f"""
position int64 the position
kind text the wager
amount_minor int64 positive: paid; negative: taken
{_CURRENCY}source text who recorded it
""")

IRREGULARITIES = _table(
    "irregularities",
    "What was wrong with a deal, and what a person reported.",
    f"""
what text `deal_irregular`, `ruled_to_stand` (decisions), `reported`, `conduct` (facts)
revision int64 of the deal
kind text what it is
ordinal int64 the card's place in the deal; 0: none
position int64 0: the dealer, or no hand
{_CARDS}found int64 what was found
expected int64 what should have been
reported_by text event id of the report
note text what the person wrote
""",
)

RULINGS = _table(
    "rulings",
    "What supervisors ordered and ruled, and what else ended or changed a round by hand.",
    f"""
what text `void_ordered`, `deal_ruled`, `card_corrected`, `abandonment_ruled`, `player_left`, ...
actor text the person
position int64 the position; 0: the round
ordinal int64 of a corrected card
{_CARDS}reading text of an abandonment: `plays`, `losing`, `returned`
revision int64 that a `round_closed` names
reason text as given
authorised_by text of a void
notified texts of a void
{_ANSWERED.strip()}
""",
)

_WITHOUT_ROUND = _ENVELOPE.replace("round_id text the round\n", "")

TABLE_EVENTS = _table(
    "table_events",
    "Tables opened, closed, held and released; limits, dealers; software that started.",
    """
what text `table_opened`, `table_closed`, `posted_limits_changed`, `processor_started`, ...
source text the device
actor text the person
property_id text the property
pit_id text the pit
dealer_id text who takes over
supervisor_id text who supervises
submission_name text of the rules submission
submission_sha256 text of its bytes, hexadecimal
reason text as given
about_id text of a hold: the record or case that it is about
held_id text of a release: the hold
processor text which process started
build text which software
instance text which of its instances
body json all that it says
""",
)

_CASE = """
case_id text the case
what text the record's body, such as `dispute_opened`
source text who wrote it
actor text the person
decision bool whether it is concluded, not reported
causation_id text a decision's: the fact that caused it
round_id text the round that it speaks of
settlement_event_id text the settlement that it speaks of
fact_event_id text of an answer: the fact that is answered
refusal text of an answer: why not; null: accepted
position int64 the position
kind text the wager
amount_minor int64 the amount; of an adjustment positive: to the position
currency text ISO 4217
finding text of a resolution
reason text as given
proposal_event_id text the proposal that it is about
booked_day text of what is approved or posted: the gaming day on which it is booked
line_id text of what is posted: the line
counterparty text of what is posted: `house`, `pot`
body json all that it says
"""

CASES = _table(
    "cases", "Disputes: each record of a case that is no adjustment.", _CASE, _WITHOUT_ROUND
)
ADJUSTMENTS = _table(
    "adjustments",
    "Corrections: proposed, approved, declined, posted (a row a line).",
    _CASE,
    _WITHOUT_ROUND,
)

TABLES = (
    RECORDS, ROUNDS, SEATS, WAGERS, CIRCLES, CARDS, HANDS, LINES, ANSWERS, PAYMENTS,
    IRREGULARITIES, RULINGS, TABLE_EVENTS, CASES, ADJUSTMENTS,
)
BY_NAME = {table.name: table for table in TABLES}
