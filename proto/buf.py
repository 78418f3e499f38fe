"""Lint `proto/` with buf, and hold it against the version before: nothing may break readers.

buf comes from npm, as package-lock.json pins it; without npm this says that it is skipped
(with PITLEDGER_SKIP_NOTHING set it fails). The version before is that of `main`; on `main`
itself, where there is no change, the one that the last change of `proto/` replaced.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUF = HERE / "node_modules" / ".bin" / "buf"
INSTALLED = HERE / "node_modules" / ".package-lock.json"
SCHEMA = "proto/pitledger"


def main() -> None:
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
    before, reason = version_before()
    if not before:
        print(f"buf breaking: skipped, {reason}")
        return
    with tempfile.TemporaryDirectory() as directory:
        archive = pathlib.Path(directory, "before.tar")
        run("git", "-C", "..", "archive", "-o", str(archive), before, SCHEMA, "proto/buf.yaml")
        shutil.unpack_archive(archive, directory)
        run(str(BUF), "breaking", "--against", f"{directory}/proto")
    print(f"buf breaking: nothing breaks against {before[:10]}")


def version_before() -> tuple[str, str]:
    """The commit to compare with; else "" and why there is none."""
    if not git("rev-parse", "HEAD"):
        return "", "this is no git clone"
    main = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main")
    base = main or git("rev-parse", "HEAD")
    if git("diff", "--stat", base, "--", SCHEMA):
        return base, ""
    changes = git("log", "-2", "--format=%H", base, "--", SCHEMA).split()
    if len(changes) < 2:
        return "", "this clone has no earlier version of proto/"
    return changes[1], ""


def git(*arguments: str) -> str:
    """What git answers; "" where it refuses."""
    command = ("git", "-C", str(HERE.parent), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def run(*command: str) -> None:
    if code := subprocess.run(command, cwd=HERE, check=False).returncode:
        sys.exit(f"proto/buf.py: {pathlib.Path(command[0]).name} {command[1]} failed ({code})")


def skip(what: str, reason: str) -> None:
    if os.environ.get("PITLEDGER_SKIP_NOTHING"):
        sys.exit(f"{what}: {reason}")
    print(f"{what}: skipped, {reason}")


if __name__ == "__main__":
    main()
