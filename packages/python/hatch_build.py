"""Adds files to a wheel. Environment variables of the build choose them:

TANZANITE_WHEEL        a platform (``linux-x64``): adds the executable for it; ``node``: adds the program for Node, for all
TANZANITE_EXECUTABLE   the file of the executable; by default ``executables/tanzanite-<platform>`` of the repository
TANZANITE_BUNDLE       the folder of the program for Node, as ``packages/python/bundle.mjs`` makes it
TANZANITE_RELEASE_URL  where the files of the release are, and
TANZANITE_SHA256SUMS   the file of their checksums, for the table of downloads
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Node 24 needs glibc 2.28 and macOS 13.5.
TAGS = {
    "linux-x64": "manylinux_2_28_x86_64",
    "linux-arm64": "manylinux_2_28_aarch64",
    "win-x64": "win_amd64",
    "darwin-x64": "macosx_13_0_x86_64",
    "darwin-arm64": "macosx_13_0_arm64",
}
PACKAGE = "tanzanite_emulator"


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: Dict[str, Any]) -> None:
        if version == "editable":
            return
        build_data["force_include"].update(self.program(build_data))
        url, sums = os.environ.get("TANZANITE_RELEASE_URL"), os.environ.get("TANZANITE_SHA256SUMS")
        if url and sums:
            table = {"version": self.metadata.version, "url": url, "files": files_in(Path(sums))}
            file = Path(tempfile.mkdtemp()) / "releases.json"
            file.write_text(json.dumps(table, indent=2) + "\n", "utf-8")
            build_data["force_include"][str(file)] = f"{PACKAGE}/releases.json"

    def program(self, build_data: Dict[str, Any]) -> Dict[str, str]:
        wheel = os.environ.get("TANZANITE_WHEEL")
        if not wheel:
            return {}
        if wheel == "node":
            bundle = Path(os.environ["TANZANITE_BUNDLE"])
            return {str(bundle): f"{PACKAGE}/bundle"}
        if wheel not in TAGS:
            raise ValueError(f"TANZANITE_WHEEL={wheel}: there is no such platform; {', '.join(TAGS)} and node can be made")
        ending = ".exe" if wheel.startswith("win") else ""
        usual = Path(self.root).parent.parent / "executables" / f"tanzanite-{wheel}{ending}"
        executable = Path(os.environ.get("TANZANITE_EXECUTABLE") or usual)
        if not executable.is_file():
            raise ValueError(f"there is no executable {executable}: npm run executable -- --platform {wheel} makes it")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[wheel]}"
        return {str(executable): f"{PACKAGE}/bundle/tanzanite{ending}"}


def files_in(sums: Path) -> Dict[str, Dict[str, str]]:
    """The lines of SHA256SUMS for executables: ``<digest>  tanzanite-linux-x64.tar.gz``."""
    files = {}
    for line in sums.read_text("utf-8").splitlines():
        digest, _, name = line.partition(" ")
        name = name.strip().lstrip("*")
        for platform in TAGS:
            if name in (f"tanzanite-{platform}.tar.gz", f"tanzanite-{platform}.zip"):
                files[platform] = {"name": name, "sha256": digest}
    return files
