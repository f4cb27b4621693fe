"""The wheels of a release, made with stand-ins for the executables."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import List

PACKAGE = Path(__file__).resolve().parent.parent
EXECUTABLES = {
    "tanzanite-linux-x64": "manylinux_2_28_x86_64",
    "tanzanite-linux-arm64": "manylinux_2_28_aarch64",
    "tanzanite-win-x64.exe": "win_amd64",
    "tanzanite-darwin-x64": "macosx_13_0_x86_64",
    "tanzanite-darwin-arm64": "macosx_13_0_arm64",
}
URL = "https://127.0.0.1/releases/v0.1.0"


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(PACKAGE / "wheels.py"), *words], capture_output=True, text=True, cwd=PACKAGE)


def folders(path: Path, names: List[str]) -> List[str]:
    executables, release = path / "executables", path / "release"
    executables.mkdir()
    release.mkdir()
    for name in names:
        executables.joinpath(name).write_text(f"the program {name}")
    sums = f"{'a' * 64}  tanzanite-linux-x64.tar.gz\n{'b' * 64}  tanzanite-win-x64.zip\n"
    release.joinpath("SHA256SUMS").write_text(sums)
    return [str(executables), str(release), URL, str(path / "out")]


def test_there_is_one_for_each_platform_with_its_executable_and_one_for_node(tmp_path: Path) -> None:
    done = run(*folders(tmp_path, list(EXECUTABLES)))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    wheels = {path.name: zipfile.ZipFile(path) for path in tmp_path.joinpath("out").iterdir()}
    assert len(wheels) == len(EXECUTABLES) + 1
    for name, tag in EXECUTABLES.items():
        [wheel] = [wheel for file, wheel in wheels.items() if file.endswith(f"-py3-none-{tag}.whl")]
        program = "tanzanite_emulator/bundle/tanzanite" + (".exe" if name.endswith(".exe") else "")
        assert wheel.read(program) == f"the program {name}".encode()
        assert wheel.getinfo(program).external_attr >> 16 & 0o111 == 0o111
        table = json.loads(wheel.read("tanzanite_emulator/releases.json"))
        assert (table["url"], table["files"]["win-x64"]["sha256"]) == (URL, "b" * 64)
    [pure] = [wheel for file, wheel in wheels.items() if file.endswith("-py3-none-any.whl")]
    names = pure.namelist()
    assert "tanzanite_emulator/bundle/dist/cli.js" in names
    assert any(name.endswith(".node") for name in names)


def test_what_is_missing_is_one_line(tmp_path: Path) -> None:
    done = run(*folders(tmp_path, ["tanzanite-linux-x64"]))
    expected = f"wheels: there is no file {tmp_path.resolve() / 'executables' / 'tanzanite-linux-arm64'}\n"
    assert (done.returncode, done.stderr) == (2, expected)
    assert not tmp_path.joinpath("out").exists()
    assert run("only one").returncode == 2
