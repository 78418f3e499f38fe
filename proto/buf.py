"""Lint `proto/` with buf, and hold it against every released contract: nothing may break readers.

buf comes from npm, as package-lock.json pins it; without npm this says that it is skipped
(with PITLEDGER_SKIP_NOTHING set it fails). `released/N.binpb` is the contract as it was when
adjudication version N was released, `released/cases-N.binpb` when version N of cases was:
`python proto/buf.py --release N` (or `cases-N`) writes it, once.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUF = HERE / "node_modules" / ".bin" / "buf"
INSTALLED = HERE / "node_modules" / ".package-lock.json"
RELEASED = HERE / "released"


def main(arguments: list[str]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        skip("buf lint and buf breaking", "no npm (Node.js) was found")
        return
    if not INSTALLED.exists() or INSTALLED.stat().st_mtime < max(
        (HERE / name).stat().st_mtime for name in ("package.json", "package-lock.json")
    ):
        run(npm, "ci", "--silent")
        INSTALLED.touch()
    run(str(BUF), "lint")
    print("buf lint: clean")
    for image in sorted(RELEASED.glob("*.binpb")):
        run(str(BUF), "breaking", "--against", str(image))
        print(f"buf breaking: nothing breaks against release {image.stem}")
    match arguments:
        case []:
            pass
        case ["--release", name] if re.fullmatch(r"(cases-)?[1-9]\d*", name):
            release(RELEASED / f"{name}.binpb")
        case _:
            sys.exit("proto/buf.py: takes nothing, or --release N, or --release cases-N")


def release(image: pathlib.Path) -> None:
    """Keep the contract as it is now. What was released is never written again."""
    if image.exists():
        sys.exit(f"proto/buf.py: {image.name} was released; another version needs another number")
    image.parent.mkdir(exist_ok=True)
    run(str(BUF), "build", "--exclude-source-info", "-o", str(image))
    print(f"released: {image.name}")


def run(*command: str) -> None:
    if code := subprocess.run(command, cwd=HERE, check=False).returncode:
        sys.exit(f"proto/buf.py: {pathlib.Path(command[0]).name} {command[1]} failed ({code})")


def skip(what: str, reason: str) -> None:
    if os.environ.get("PITLEDGER_SKIP_NOTHING"):
        sys.exit(f"{what}: {reason}")
    print(f"{what}: skipped, {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
