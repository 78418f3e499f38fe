"""What a run's report says, from a report made by hand."""

from dataclasses import replace

from tests.chaos.report import Report, _versions, document, load, save, told

FAULT = {
    "number": 1, "kind": "worker killed", "target": "wagers-1 (static)", "at_s": 3.0,
    "healed_s": 5.0, "live_s": 2.5, "wait_s": 1.5,
}
REPORT = Report(
    seed=3,
    seconds=300.0,
    settings={"load": "8 rounds a second"},
    versions={"Apache Kafka": "4.4.0"},
    faults=[FAULT, FAULT | {"number": 2, "live_s": 4.0}, FAULT | {"kind": "floor killed"}],
    load_before=0.5,
    counts={"rounds_opened": 10, "rounds_settled": 9, "rounds_voided": 1, "records": 500},
    floor={},
    ended_by_themselves=["5 s: wagers-1, exit code 70: a hole"],
    sentences=[{"text": "money sums to zero", "exceptions": []}],
)


def test_a_clean_run_is_said_to_be_clean_with_its_spread_by_kind():
    assert REPORT.sound
    text = told(REPORT)
    assert "seed 3: clean: 3 faults of 2 kinds" in text
    assert "2.5 / 3.2 / 4.0" in text
    assert "exit code 70: a hole" in text


def test_a_sentence_that_does_not_hold_makes_the_run_not_clean_and_is_written_out():
    broken = replace(REPORT, sentences=[{"text": "money sums to zero", "exceptions": ["round 7"]}])
    assert not broken.sound
    for text in (told(broken), document([broken])):
        assert "NOT CLEAN" in text
        assert "round 7" in text


def test_what_never_was_live_again_is_not_hidden_in_an_average():
    never = replace(REPORT, faults=[FAULT, FAULT | {"live_s": None}])
    assert "NEVER" in told(never)
    assert "| never |" in document([never])


def test_a_document_names_seeds_settings_versions_and_every_fault(tmp_path):
    save(REPORT, tmp_path / "run.json")
    assert load(tmp_path / "run.json") == REPORT
    text = document([REPORT, replace(REPORT, seed=4)])
    for expected in ("## Seed 3", "## Seed 4", "8 rounds a second", "4.4.0", "wagers-1 (static)",
                     "| worker killed | 4 | 2.5 / 3.2 / 4.0 |", "make chaos SEED=n MINUTES=5"):
        assert expected in text


def test_runs_of_two_builds_in_one_document_are_told_of_both():
    runs = [replace(REPORT, versions={"build": name}) for name in ("0.1.0+a", "0.1.0+b", "0.1.0+a")]
    assert "- build: 0.1.0+a or 0.1.0+b\n" in document(runs)
    assert "build" in _versions()
