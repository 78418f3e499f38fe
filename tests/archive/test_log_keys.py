"""Which keys an archive's are, by the statements that tie them: no more than one in each place."""

import itertools

import pytest

from pitledger.archive import statements
from pitledger.archive.log_keys import LogKeys
from pitledger.archive.note import Checkpoint, Note
from pitledger.archive.statements import Statement
from pitledger.archive.store import BadArchive
from services.cli.new_key import new_key

ORIGIN = "casino.example/floor"
KEYS = [new_key(ORIGIN) for _ in range(7)]
PUBLIC = [key.public for key in KEYS]
OFFICER = new_key("casino.example/disputes")
THIEF = new_key(ORIGIN)


def rotation(old, new, origin=ORIGIN):
    return Statement.parse(statements.rotate(origin, old, new))


def lets(key, origin=ORIGIN):
    return Statement.parse(statements.packets(origin, key, OFFICER.public))


def takes_back(key):
    return Statement.parse(statements.revoke_packets(ORIGIN, key, OFFICER.public))


CHAIN = [rotation(old, new) for old, new in itertools.pairwise(KEYS)]


def checked(said, known):
    keys = LogKeys.of(said, known.public)
    keys.check(ORIGIN)
    return keys


@pytest.mark.parametrize("at", range(len(KEYS)))
def test_of_a_long_chain_each_key_knows_all_and_trusts_those_behind_it(at):
    for said in (CHAIN, CHAIN[::-1], CHAIN[1::2] + CHAIN[::2]):
        keys = checked(said, KEYS[at])
        assert (list(keys.line), keys.in_force) == (PUBLIC, PUBLIC[-1])
        assert list(keys.trusted) == PUBLIC[at:]


def test_a_key_of_which_nothing_is_said_is_alone():
    keys = checked([], THIEF)
    assert keys.line == keys.trusted == (THIEF.public,)


@pytest.mark.parametrize("at", range(len(KEYS)))
def test_a_sibling_key_is_refused_whichever_key_is_known(at):
    """A thief of the second key lets his own follow it as well."""
    for said in ([*CHAIN, rotation(KEYS[1], THIEF)], [rotation(KEYS[1], THIEF), *CHAIN]):
        with pytest.raises(BadArchive, match=rf"keys/\w+: a second key follows {ORIGIN}"):
            LogKeys.of(said, PUBLIC[at])


def test_two_keys_whose_place_one_took_are_refused():
    with pytest.raises(BadArchive, match="follows a second key"):
        LogKeys.of([*CHAIN, rotation(THIEF, KEYS[-1])], PUBLIC[0])


@pytest.mark.parametrize("length", [2, 3, len(KEYS)])
def test_keys_in_a_circle_are_refused(length):
    said = [*CHAIN[: length - 1], rotation(KEYS[length - 1], KEYS[0])]
    for known in PUBLIC[:length]:
        with pytest.raises(BadArchive, match="in a circle"):
            LogKeys.of(said, known)


@pytest.mark.parametrize("known", [KEYS[0], KEYS[-1]])
def test_what_is_said_of_another_archives_keys_counts_for_nothing_here(known):
    """One key may sign two archives: what it says of one it does not say of the other."""
    for foreign in (rotation(KEYS[-1], THIEF, "casino.example/other"),
                    lets(KEYS[-1], "casino.example/other")):
        with pytest.raises(BadArchive, match=r"is about a key of casino\.example/other"):
            checked([*CHAIN, foreign], known)


def test_what_strangers_say_is_refused():
    for said in (rotation(THIEF, OFFICER), lets(THIEF)):
        with pytest.raises(BadArchive, match="keys/"):
            checked([*CHAIN, said], KEYS[0])


def test_a_rotation_lacks_neither_signature():
    whole = statements.rotate(ORIGIN, KEYS[0], KEYS[1]).decode().splitlines(keepends=True)
    for lines in (whole[:-1], [*whole[:-2], whole[-1]]):
        with pytest.raises(BadArchive, match="not signed by both its keys"):
            LogKeys.of([Statement.parse("".join(lines).encode())], PUBLIC[0])


def test_the_last_key_alone_signs_and_only_what_it_or_one_before_it_has_signed():
    def newest(by):
        return Note.parse(Checkpoint(ORIGIN, 1, bytes(32)).signed(by))

    last = checked(CHAIN, KEYS[-1])
    for signed in (None, newest(KEYS[0]), newest(KEYS[-1])):
        last.check_in_force(ORIGIN, signed)
    with pytest.raises(BadArchive, match="is not the key that signs it"):
        last.check_in_force(ORIGIN, newest(THIEF))
    with pytest.raises(BadArchive, match="signs no more"):
        checked(CHAIN, KEYS[0]).check_in_force(ORIGIN, newest(KEYS[0]))


def test_an_officer_is_let_sign_by_the_key_in_force_until_any_took_it_back():
    def may(*said):
        return checked([*CHAIN, *said], KEYS[0]).let_sign_packets(OFFICER.public)

    assert not may()
    assert may(lets(KEYS[-1]))
    assert not may(lets(KEYS[0])), "a key that may have been stolen"
    for key in (KEYS[-1], KEYS[0]):
        assert not may(lets(KEYS[-1]), takes_back(key))
    assert not checked([lets(KEYS[0])], KEYS[0]).let_sign_packets(THIEF.public)
