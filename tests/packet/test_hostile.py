"""Whatever a record holds, an account of it is made, shows it, and is not led by it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.pb import facts_pb2
from services.cli.new_key import new_key
from services.packet import bundle
from services.packet.account import texts
from services.packet.bundle import Subject, packed
from services.packet.faults import NoPacket
from services.packet.page import page
from services.packet.paper import paper
from services.packet.paper_text import drawable
from services.packet.seen import TEXT_MAX, VALUE_MAX, cleaned, visible
from services.verify import zipped
from services.verify.zipped import read_zip
from tests.kit.table import SAIGON, Table
from tests.packet.html_text import Page
from tests.packet.pdf_text import text_of
from tests.packet.rounds import account, golden, played

HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": "\" onmouseover=\"alert(1)\" style=\"",
    "template": "{{ 7 * 7 }}{% include 'x' %}",
    "paragraph of reportlab": "<para><b>x</b><font color=red>&amp;</para>",
    "entity": "&lt;&#x202e;&",
    "bidi override": "\u202etneve\u202c",
    "terminal escape": "\x1b[31mred\x1b]0;title\x07\x9b1m",
    "nul and delete": "a\x00b\x7fc\x85",
    "new lines": "one\r\ntwo\n\nthree\u2028four",
    "no character": "\ufffe\U000e0001\U0010ffff",
    "Hebrew, Arabic": "\u05e9\u05dc\u05d5\u05dd 100 \u0645\u0631\u062d\u0628\u0627",
    "Chinese": "\u53d1\u724c\u5458",
    "Vietnamese": "B\u00e0i S\u00e0i G\u00f2n \u1ea7\u1ee3",
    "emoji": "\U0001f0a1\U0001f469\u200d\U0001f468",
    "combining": "Z" + "\u0301" * 40,
    "one long word": "W" * 5_000,
    "many words": "word " * 3_000,
}


def hostile_round(text: str):
    """The text wherever a device may write one."""
    table = Table(SAIGON)
    table.open(
        {1: text, 2: "p2"}, gaming_day=text, property_id=text, pit_id=text, dealer_id=text,
        supervisor_id=text, shuffler_id=text, shoe_id=text, deck_ids=[text, text],
    )
    table.wager(1, ante=1000, instrument=text)
    table.wager(1, ante=1000)
    table.wager(2, ante=1000)
    table.no_more_bets()
    table.fact("conduct_noted", facts_pb2.ConductNoted(kind=1, position=1, note=text), actor=text)
    table.fact("void_ordered", facts_pb2.VoidOrdered(
        reason=text, authorised_by=text, notified=[text]), source=text)
    return played(table)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(kind):
    told = account(hostile_round(HOSTILE[kind]))

    seen = Page.of(page(told))
    on_paper = text_of(paper(told))

    assert {tag for tag, _ in seen.tags}.isdisjoint(("script", "img", "font", "b", "para"))
    assert not any(name.startswith("on") or name == "style" for _, a in seen.tags for name in a)
    for text in texts(told):
        assert text.isprintable()
        assert "".join(text.split()) in seen.shown
        assert "".join(drawable(text).split()) in on_paper


def test_what_turns_the_direction_of_text_is_shown_as_its_code_point():
    told = account(hostile_round("\u202etneve"))

    assert any("‹U+202E›tneve" in text for text in texts(told))


def test_letters_from_right_to_left_are_isolated_on_the_page():
    data = page(account(hostile_round(HOSTILE["Hebrew, Arabic"]))).decode()

    assert "<bdi>שלום</bdi> 100 <bdi>مرحبا</bdi>" in data


def test_letters_from_right_to_left_are_code_points_on_paper():
    on_paper = text_of(paper(account(hostile_round(HOSTILE["Hebrew, Arabic"]))))

    assert "‹U+05E9›‹U+05DC›‹U+05D5›‹U+05DD›100‹U+0645›" in on_paper


def test_what_the_papers_font_lacks_is_a_code_point_there_and_the_paper_says_so():
    told = account(hostile_round(HOSTILE["Chinese"]))
    on_paper = text_of(paper(told))

    assert "‹U+53D1›‹U+724C›‹U+5458›" in on_paper
    assert "acharacterthatthisdocument'sfontlacks" in on_paper
    assert "发牌员" in Page.of(page(told)).shown


def test_a_paper_with_all_its_characters_says_nothing_of_lacking_ones():
    assert "fontlacks" not in text_of(paper(account(golden("saigon_example_of_the_regulation"))))


def test_a_megabyte_of_text_is_cut_and_says_how_long_it_was_and_hides_nothing_behind_it():
    table = Table(SAIGON)
    table.open({1: "p" * 900_000})
    table.wager(1, ante=1000)
    table.close_table()

    told = account(played(table))

    assert any("puts down Ante 10.00 USD" in text for text in texts(told))
    assert any("[cut here: 900,000 characters" in text for text in texts(told))
    assert len(page(told)) < 200_000
    assert paper(told).startswith(b"%PDF")


def test_a_thousand_seats_have_an_account():
    table = Table(SAIGON)
    table.open({position: f"patron-{position}" for position in range(1, 1001)})
    table.close_table()

    told = account(played(table))

    assert "patron-1000" in Page.of(page(told)).shown
    assert "patron-1000" in text_of(paper(told))


@settings(max_examples=300)
@given(st.text())
def test_visible_text_prints_and_is_the_same_when_it_is_shown_again(text):
    shown = visible(text)

    assert shown.isprintable()
    assert visible(shown) == shown


@given(st.text(st.characters(exclude_categories=("C", "Z", "M"))))
def test_text_that_prints_is_shown_as_it_is(text):
    assert visible(text) == text


def test_a_tower_of_marks_is_shown_as_code_points():
    assert visible("Z" + "\u0301" * 5) == "Z" + "\u0301" * 3 + "‹U+0301›" * 2


def test_long_text_is_cut_in_values_and_in_sentences():
    assert len(cleaned(("x" * 1_000_000,))[0]) < TEXT_MAX + 100
    assert VALUE_MAX < TEXT_MAX


@pytest.mark.parametrize("limit", ["FILES_MAX", "UNPACKED_MAX", "PACKED_MAX"])
def test_what_no_verifier_takes_is_not_handed_out(monkeypatch, limit):
    theirs = limit if limit == "PACKED_MAX" else f"_{limit}"
    assert getattr(bundle, limit) == getattr(zipped, theirs)
    subject = Subject("casino.example/floor", "round", "T1", 1, "2026-11-30T12:00:00Z", "build")
    files, key = {"README.txt": b"words"}, new_key(subject.origin)
    data = packed(subject, files, key)
    counts = {
        "FILES_MAX": len(read_zip(data, lambda _name: True)),
        "UNPACKED_MAX": sum(map(len, read_zip(data, lambda _name: True).values())),
        "PACKED_MAX": len(data),
    }
    for module, name in ((bundle, limit), (zipped, theirs)):
        monkeypatch.setattr(module, name, counts[limit])
    assert read_zip(packed(subject, files, key), lambda _name: True)
    monkeypatch.setattr(bundle, limit, counts[limit] - 1)
    with pytest.raises(NoPacket, match="no packet has more than"):
        packed(subject, files, key)


def test_what_shrinks_as_a_bomb_does_is_stored_and_verified():
    """Megabytes of the same byte lie in a remainder where somebody wrote them to the journal."""
    subject = Subject("casino.example/floor", "round", "T1", 1, "2026-11-30T12:00:00Z", "build")
    files = {"evidence/case-1.bytes": b"k" * (6 << 20), "evidence/case-1.entry": b"k" * 1000}
    data = packed(subject, files, new_key(subject.origin))
    unpacked = read_zip(data, lambda _name: True)
    assert {name: unpacked[name] for name in files} == files
