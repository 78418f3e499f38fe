"""Generate `pitledger/pb/` from `proto/`; with --check, say whether it is current.

protoc writes modules that import each other as `pitledger.v1`; their one home here is
`pitledger.pb`, so the import lines are rewritten.
"""

import pathlib
import re
import sys
import tempfile

import grpc_tools
from grpc_tools import protoc

ROOT = pathlib.Path(__file__).resolve().parent
HOME = ROOT.parent / "pitledger" / "pb"
INIT = '"""Generated from proto/ by proto/generate.py. Do not edit."""\n'


def generate() -> dict[str, str]:
    """Return the text of each generated file by its name."""
    sources = sorted(str(p.relative_to(ROOT)) for p in ROOT.rglob("*.proto"))
    well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    files = {"__init__.py": INIT}
    with tempfile.TemporaryDirectory() as out:
        arguments = ["protoc", f"-I{ROOT}", f"-I{well_known}", f"--python_out={out}"]
        if protoc.main([*arguments, f"--pyi_out={out}", *sources]):
            sys.exit("proto/generate.py: protoc failed")
        for path in sorted(pathlib.Path(out, "pitledger", "v1").iterdir()):
            text = path.read_text()
            text = re.sub(r"from pitledger\.v1 import (\w+)", r"from pitledger.pb import \1", text)
            files[path.name] = text
    return files


def main() -> None:
    files = generate()
    on_disk = {p.name: p.read_text() for p in HOME.glob("*.py*") if p.suffix in (".py", ".pyi")}
    if "--check" in sys.argv:
        stale = sorted(n for n in files.keys() | on_disk.keys() if files.get(n) != on_disk.get(n))
        if stale:
            sys.exit("proto/generate.py: not current, run `make proto`: " + ", ".join(stale))
        return
    HOME.mkdir(parents=True, exist_ok=True)
    for name in on_disk.keys() - files.keys():
        (HOME / name).unlink()
    for name, text in files.items():
        (HOME / name).write_text(text)


if __name__ == "__main__":
    main()
