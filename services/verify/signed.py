"""The checkpoints of an archive, and who signed them."""

from collections.abc import Sequence
from dataclasses import replace

from services.verify.faults import Bad, BadInput
from services.verify.files import Folder
from services.verify.keys import Keys
from services.verify.note import LONGEST, BadNote, Checkpoint, Key, Note, checkpoint_text


def newest_of(files: Folder, origin: str, keys: Keys, witnesses: Sequence[Key]) -> Checkpoint:
    """The newest signed checkpoint, cosigned by all witnesses. Raises Bad, BadInput."""
    name = _newest_name(files)
    checkpoint = checked(name, files.must_read(name, LONGEST), keys)
    check_trusted(name, checkpoint, keys)
    if checkpoint.origin != origin:
        raise BadInput(f"{name}: is of {checkpoint.origin}, and log.json of {origin}")
    again = read_signed(files, checkpoint.size, origin, keys).note
    note = checkpoint.note
    if again.text != note.text:
        raise Bad(f"checkpoints/{checkpoint.size}: is another one than {name}")
    # A cosignature may have come to one of the two files only.
    both = replace(note, signatures=(*note.signatures, *again.signatures))
    check_witnesses(name, both, witnesses)
    return checkpoint


def check_witnesses(name: str, note: Note, witnesses: Sequence[Key]) -> None:
    """That all of them cosigned it. Raises Bad."""
    for witness in witnesses:
        if not note.is_signed_by(witness):
            raise Bad(f"{name}: has no good cosignature of {witness.handle}")


def read_signed(files: Folder, size: int, origin: str, keys: Keys) -> Checkpoint:
    """One of `checkpoints/`, by its name. Raises Bad."""
    name = f"checkpoints/{size}"
    try:
        checkpoint = checked(name, files.must_read(name, LONGEST), keys)
    except BadInput as problem:
        raise Bad(str(problem)) from None
    if (checkpoint.origin, checkpoint.size) != (origin, size):
        raise Bad(f"{name}: is of {checkpoint.origin} and {checkpoint.size} entries")
    return checkpoint


def checked(name: str, data: bytes, keys: Keys) -> Checkpoint:
    """A checkpoint that one of the log's keys signed.

    Raises Bad, and BadInput: it is not theirs at all.
    """
    try:
        checkpoint = Checkpoint.parse(data)
    except BadNote as problem:
        raise Bad(f"{name}: {problem}") from None
    note = checkpoint.note
    signers = [key for key in keys.log if note.by(key)]
    if not signers:
        raise _not_theirs(name, note, keys)
    for key in signers:
        if not note.is_signed_by(key):
            raise Bad(f"{name}: the signature of {key.handle} is not good")
    return checkpoint


def check_trusted(name: str, newest: Checkpoint, keys: Keys) -> None:
    """That of the keys that have signed it one is trusted for what is newest. Raises BadInput."""
    if not any(map(newest.note.by, keys.trusted)):
        raise _not_theirs(name, newest.note, keys)


def _not_theirs(name: str, note: Note, keys: Keys) -> BadInput:
    by = ", ".join(sorted({each.handle for each in note.signatures}))
    return BadInput(f"{name}: is not signed by this key of {keys.given.handle}, but by {by}")


def turn_of(checkpoint: Checkpoint, keys: Keys) -> int:
    """Which of the log's keys signed it; of several the one that came last."""
    return max(turn for turn, key in enumerate(keys.log) if checkpoint.note.by(key))


def _newest_name(files: Folder) -> str:
    """`checkpoint`; but where a writer was stopped between two signed files, the newer one.

    `pending` is the tree that is about to be signed. All of it is in place before that is written.
    """
    pending = files.read("pending", LONGEST)
    if pending is not None:
        try:
            _origin, size, _root = checkpoint_text(pending.decode())
        except (BadNote, UnicodeDecodeError):
            raise Bad("pending: is no checkpoint") from None
        if files.read(f"checkpoints/{size}", LONGEST) is not None:
            return f"checkpoints/{size}"
    return "checkpoint"
