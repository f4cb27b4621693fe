"""Checks the package with the Python that runs this: python check.py types|tests|example|docs

It installs its dependencies into .venv-<version>, once and again when tests/requirements.txt changes.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import venv
from importlib import metadata
from pathlib import Path
from typing import Mapping, Sequence

HERE = Path(__file__).parent
CHECKS: Mapping[str, "tuple[Path, Sequence[str]]"] = {
    "types": (HERE, ["-m", "mypy", "src", "tests", "hatch_build.py", "wheels.py"]),
    "tests": (HERE, ["-m", "pytest", "-q", "-n", "2"]),
    "example": (HERE.parent.parent / "examples" / "python", ["-m", "pytest", "-q", "-p", "no:cacheprovider"]),
}


def main() -> int:
    check = sys.argv[1] if len(sys.argv) == 2 else ""
    if check not in (*CHECKS, "docs"):
        print(f"check: name one of {', '.join(CHECKS)}, docs", file=sys.stderr)
        return 2
    python = prepare()
    if check == "docs":
        return run_docs(python)
    folder, words = CHECKS[check]
    return subprocess.call([str(python), *words], cwd=folder)


def prepare() -> Path:
    folder = HERE / f".venv-{sys.version_info[0]}.{sys.version_info[1]}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    needs = (HERE / "tests" / "requirements.txt").read_bytes() + (HERE / "pyproject.toml").read_bytes()
    stamp, digest = folder / "stamp", hashlib.sha256(needs).hexdigest()
    if not stamp.is_file() or stamp.read_text() != digest:
        has_pip = pip_version() >= 23
        venv.create(folder, with_pip=not has_pip, clear=True)
        pip = [sys.executable, "-m", "pip", "--python", str(python)] if has_pip else [str(python), "-m", "pip"]
        install = [*pip, "install", "-q", "--disable-pip-version-check", "--no-compile"]
        subprocess.check_call([*install, "-r", str(HERE / "tests" / "requirements.txt")])
        # The build backend is installed, so no second environment is needed.
        subprocess.check_call([*install, "--no-build-isolation", "--no-deps", "-e", str(HERE)])
        stamp.write_text(digest)
    return python


def pip_version() -> int:
    """The version of pip. From version 23, it can install into another environment, which takes less time than a second pip."""
    try:
        return int(metadata.version("pip").split(".")[0])
    except (metadata.PackageNotFoundError, ValueError):
        return 0


def run_docs(python: Path) -> int:
    """Runs the programs of README.md: those for pytest together as one file, with the data that they use, and the others one by one."""
    blocks = re.findall(r"^```python\n(.*?)^```", (HERE / "README.md").read_text("utf-8"), re.M | re.S)
    tests = [block for block in blocks if "def test_" in block or "fixture" in block]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        (folder / "data" / "pets.ndjson").write_text('{"PartitionKey":"dog","RowKey":"rex","age":3}\n')
        (folder / "test_readme.py").write_text("import pytest\n\n" + "\n".join(tests), "utf-8")
        code = subprocess.call([str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=folder)
        for block in blocks:
            if block not in tests:
                code = code or subprocess.call([str(python), "-c", block], cwd=folder)
    return code


if __name__ == "__main__":
    sys.exit(main())
