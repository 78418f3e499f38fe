"""What Prometheus is shown: agreed names, and labels that have few values."""

from prometheus_client.parser import text_string_to_metric_families

from services.auditor.metrics import FINDINGS, Metrics, Standing, Tally

STANDING = Standing(
    records={"fact": 3, "decision": 2, "foreign": 1, "not_a_fact": 0},
    caught_up=True,
    silent_s=0.5,
    lag_records=7,
    open_rounds=2,
    oldest_unsettled_s=12.5,
    held_tables=1,
    conservation_broken=False,
    rounds_lacking={"audit": 2, "replay": 3},
)
LABELS = {
    "pitledger_audit_rounds_total": {"game", "state"},
    "pitledger_audit_money_minor_units": {"game", "party", "currency"},
    "pitledger_audit_stakes_minor_units_total": {"game", "wager", "currency"},
    "pitledger_audit_returned_minor_units_total": {"game", "wager", "currency"},
    "pitledger_audit_wagers_refused_total": {"reason"},
    "pitledger_audit_records_total": {"kind"},
    "pitledger_audit_quarantined_total": {"reason"},
    "pitledger_audit_findings_total": {"kind"},
    "pitledger_audit_replay_different_total": set(),
    "pitledger_audit_replay_unjudged_total": set(),
    "pitledger_audit_rounds_lacking": {"by"},
    "pitledger_audit_held_breaches_total": set(),
    "pitledger_audit_after_the_end_total": set(),
    "pitledger_audit_caught_up": set(),
    "pitledger_audit_silent_seconds": set(),
    "pitledger_audit_lag_records": set(),
    "pitledger_audit_open_rounds": set(),
    "pitledger_audit_oldest_unsettled_seconds": set(),
    "pitledger_audit_held_tables": set(),
    "pitledger_audit_conservation_broken": set(),
    "pitledger_build_info": {"processor", "build"},
}


def samples(tally):
    text = Metrics(tally, lambda: STANDING).text().decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if not sample.name.startswith("process_"):
                yield sample.name, frozenset(sample.labels.items()), sample.value


def full_tally():
    tally = Tally(different=4, unjudged=7, held_breaches=5, after_the_end=6)
    tally.rounds["saigon5", "opened"] = 9
    tally.money["saigon5", "house", "USD"] = -(2**53 - 1)
    tally.staked["saigon5", "ante", "USD"] = 100
    tally.returned["saigon5", "ante", "USD"] = 50
    tally.refused["REFUSAL_ABOVE_MAXIMUM"] = 1
    tally.quarantined["undecodable"] = 2
    tally.findings["missing"] = 3
    return tally


def test_names_and_labels_are_the_agreed_ones():
    assert {name: {key for key, _ in labels} for name, labels, _ in samples(full_tally())} == LABELS


def test_values_are_those_counted():
    found = {(name, labels): value for name, labels, value in samples(full_tally())}

    def value(name, **labels):
        return found[f"pitledger_audit_{name}", frozenset(labels.items())]

    money = value("money_minor_units", game="saigon5", party="house", currency="USD")
    assert money == -(2**53 - 1)
    assert value("rounds_total", game="saigon5", state="opened") == 9
    assert value("findings_total", kind="missing") == 3
    assert value("replay_different_total") == 4
    assert value("replay_unjudged_total") == 7
    assert value("rounds_lacking", by="replay") == 3
    assert value("records_total", kind="foreign") == 1
    assert value("oldest_unsettled_seconds") == 12.5


def test_what_never_was_is_nought_so_that_an_alert_sees_the_first():
    found = {(name, labels): value for name, labels, value in samples(Tally())}
    for kind in FINDINGS:
        assert found["pitledger_audit_findings_total", frozenset({("kind", kind)})] == 0
    for name in ("replay_different", "replay_unjudged", "held_breaches", "after_the_end"):
        assert found[f"pitledger_audit_{name}_total", frozenset()] == 0
