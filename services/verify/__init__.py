"""`pitledger-verify`: checks a sealed archive, with nothing but its files and a public key.

It is written from the specifications (RFC 6962; C2SP signed-note, tlog-checkpoint, tlog-tiles,
tlog-cosignature) and shares the generated contract with the writer, and no other code.
"""

from services.verify.program import main

__all__ = ["main"]
