"""Page and PDF: two renderings of one account, of which neither leaves anything out."""

import base64
import re
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import pytest

from pitledger.cards import shown
from services.packet.account import Hands, Steps, Table, texts
from services.packet.cards_drawn import BLACK, RED, face, name
from services.packet.page import page
from services.packet.paper import paper
from services.packet.paper_parts import TONES
from services.packet.paper_text import drawable
from tests.golden.rounds import ROUNDS
from tests.packet.html_text import Page
from tests.packet.pdf_text import contents_of, text_of
from tests.packet.rounds import account, golden

SOME = "saigon_card_corrected_after_the_exposure"


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name_", ROUNDS)
def test_every_sentence_and_figure_is_on_the_page_and_on_paper(name_):
    told = account(golden(name_))
    on_page, on_paper = Page.of(page(told)).shown, text_of(paper(told))

    for text in texts(told):
        assert bare(text) in on_page
        assert bare(drawable(text)) in on_paper


def test_each_card_of_the_account_is_drawn_on_the_page_with_its_name():
    told = account(golden(SOME))

    assert Page.of(page(told)).cards == [name(card) for card in _cards(told)]


def test_each_card_of_the_account_is_drawn_on_paper():
    """Each has a frame in a colour that nothing else is drawn in."""
    told = account(golden(SOME))
    frame = b".478431 .509804 .552941 RG"

    drawn = sum(content.count(frame) for content in contents_of(paper(told)))

    assert drawn == len(_cards(told)) > 60


def _cards(told) -> list[int]:
    found = []
    for section in told.sections:
        for block in section.blocks:
            match block:
                case Table():
                    found += [c for cells in block.rows for cell in cells for c in cell.cards]
                case Hands():
                    found += [c for hand in block.hands for _, group in hand.groups for c in group]
                case Steps():
                    found += [c for step in block.steps for c in step.cards]
                case _:
                    pass
    return found


@pytest.mark.parametrize("card", range(55))
def test_every_card_has_a_face_and_a_name(card):
    assert face(card).label
    assert name(card)
    if 1 <= card <= 52:
        assert face(card).label == shown(card)[:-1]
        assert face(card).suit


def test_the_page_is_alone_it_has_no_scripts_and_asks_for_nothing():
    seen = Page.of(page(account(golden(SOME))))
    names = {tag for tag, _ in seen.tags}

    assert names.isdisjoint(("script", "link", "img", "iframe", "object", "form", "base"))
    for _tag, attributes in seen.tags:
        assert not any(each.startswith("on") or each == "style" for each in attributes)
        for each in ("href", "src", "action"):
            assert (attributes.get(each) or "#").startswith("#")
    policy = next(a["content"] for t, a in seen.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_the_pages_style_is_the_one_that_its_policy_lets_in():
    text = page(account(golden(SOME))).decode()
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]

    assert base64.b64encode(sha256(style.encode()).digest()).decode() in text


def test_the_page_can_be_read_by_a_screen_reader():
    seen = Page.of(page(account(golden(SOME))))
    tags = [tag for tag, _ in seen.tags]

    assert ("html", {"lang": "en"}) in seen.tags
    assert tags.count("h1") == 1
    assert tags.count("table") == tags.count("caption") == tags.count("thead")
    heads = [a for t, a in seen.tags if t == "th"]
    assert heads
    assert all(a.get("scope") in ("col", "row") for a in heads)
    assert all(a.get("role") == "img" for t, a in seen.tags if t == "svg" and a.get("class"))
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert set(levels) == {1, 2, 3}
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_all_text_stands_out_from_whatever_is_behind_it():
    """A contrast of 4.5 at least, as WCAG 2 has it for text of any size."""
    style = re.search("<style>(.*?)</style>", page(account(golden(SOME))).decode(), re.DOTALL)[1]
    colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", style))
    inks = {colours[name] for name in re.findall(r"[ {;]color: var\(--([a-z]+)\)", style)}
    grounds = {colours["wash"], "#ffffff", *re.findall(r"background: (#[0-9a-f]{6})", style)}

    assert len(inks) >= 6
    assert len(grounds) >= 4
    for ink in inks | {BLACK, RED} | set(TONES.values()):
        assert all(contrast(ink, ground) >= 4.5 for ground in grounds), ink


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted(map(_luminance, (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_totals_are_printed_once_not_at_the_foot_of_every_page():
    style = page(account(golden(SOME))).decode().partition("@media print")[2]

    assert "tfoot { display: table-row-group; }" in style


def test_each_citation_leads_to_the_glossary():
    seen = Page.of(page(account(golden(SOME))))
    anchors = {a["id"] for _, a in seen.tags if "id" in a}
    links = {a["href"][1:] for t, a in seen.tags if t in ("a", "use")}

    assert links
    assert links <= anchors


def test_page_and_paper_are_the_same_bytes_each_time():
    told = account(golden(SOME))

    assert page(told) == page(told)
    assert paper(told) == paper(told)


def test_the_paper_is_dated_of_the_moment_at_which_its_account_was_made():
    told = account(golden(SOME))  # made at 1,800,000,000 s
    for date in (b"CreationDate", b"ModDate"):
        assert b"/" + date + b" (D:20270115080000+00'00')" in paper(told)
    later = replace(told, made_at_us=told.made_at_us + 1_000_000)
    assert b"/CreationDate (D:20270115080001+00'00')" in paper(later)


def test_the_paper_says_what_it_is_and_numbers_its_pages():
    data = paper(account(golden(SOME)))
    text = text_of(data)
    pages = data.count(b"/Type /Page\n")

    assert pages > 3
    assert f"page{pages}of{pages}" in text
    assert b"/Lang (en)" in data
    assert b"/Author (pitledger 0.1.0+abcd)" in data
    assert b"/Title (Account of a round: Saigon 5 Card, table T1, round number 1)" in data
