"""A build's name tells apart what could derive other bytes."""

import re
import subprocess
import sys

from services.runtime.build import DECIDES, build


def test_a_build_is_its_version_and_a_digest():
    assert re.fullmatch(r"\d+\.\d+\.\d+\+[0-9a-f]{8}", build())


def test_the_digest_covers_every_module_that_decides():
    code = (
        "import sys, pitledger.derive, pitledger.cases.journal\n"
        "print(*(m for m in sys.modules if 'pitledger.' in m))"
    )
    listed = subprocess.check_output([sys.executable, "-c", code], text=True)

    parts = {name.split(".")[1] for name in listed.split()}

    assert {"derive", "processors", "journal"} <= parts
    assert parts <= {name.removesuffix(".py") for name in DECIDES}
