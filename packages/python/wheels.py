"""Builds the wheels of a release: one for each platform with an executable, and the one that runs on Node.

    python wheels.py EXECUTABLES RELEASE URL OUT

EXECUTABLES is the folder with the output of ``npm run executable``, and RELEASE that with the output of
``node scripts/release.mjs files``. URL is the address of the release's files, and OUT is the folder for the wheels. Needs hatchling,
Node and a built clone. An error prints one line; the exit code is 2.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, Sequence

from hatch_build import TAGS

HERE = Path(__file__).resolve().parent
USAGE = "name the folder of the executables, the folder of the release, its address, and the folder for the wheels"


def main(words: Sequence[str]) -> int:
    try:
        if len(words) != 4:
            raise ValueError(USAGE)
        executables, release, url, out = Path(words[0]).resolve(), Path(words[1]).resolve(), words[2], Path(words[3]).resolve()
        sums = release / "SHA256SUMS"
        found = {platform: executable_of(executables, platform) for platform in TAGS}
        missing = [str(path) for path in (*found.values(), sums) if not path.is_file()]
        if missing:
            raise ValueError(f"there is no file {missing[0]}")
        common = {"TANZANITE_RELEASE_URL": url, "TANZANITE_SHA256SUMS": str(sums)}
        for platform, path in found.items():
            # The workflow's download loses the file's mode, and pip restores the mode that the wheel has.
            path.chmod(0o755)
            build(out, {**common, "TANZANITE_WHEEL": platform, "TANZANITE_EXECUTABLE": str(path)})
        with tempfile.TemporaryDirectory() as folder:
            run(["node", str(HERE / "bundle.mjs"), folder], {})
            build(out, {**common, "TANZANITE_WHEEL": "node", "TANZANITE_BUNDLE": folder})
        return 0
    except (ValueError, OSError) as error:
        print(f"wheels: {error}", file=sys.stderr)
        return 2


def executable_of(folder: Path, platform: str) -> Path:
    return folder / f"tanzanite-{platform}{'.exe' if platform.startswith('win') else ''}"


def build(out: Path, variables: Dict[str, str]) -> None:
    run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)], variables)


def run(command: Sequence[str], variables: Dict[str, str]) -> None:
    """Shows the output of a command only if it fails."""
    done = subprocess.run(command, cwd=HERE, env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise ValueError(f"{' '.join(command[:4])} ended with {done.returncode}: {lines[-1]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
