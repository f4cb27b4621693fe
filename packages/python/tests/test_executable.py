"""Where the package finds the emulator, and the message if it finds none."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import List

import pytest
from tanzanite_emulator import ExecutableNotFound, StartFailed, Tanzanite, __version__, _executable
from tanzanite_emulator._executable import find_commands

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs of these tests are scripts with #!")


@pytest.fixture(autouse=True)
def nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without an emulator."""
    monkeypatch.delenv("TANZANITE", raising=False)
    monkeypatch.delenv("TANZANITE_DOWNLOAD", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_executable, "bundled_words", lambda: None)


def program(path: Path, version: str, body: str = "") -> Path:
    """Prints the ready line of an emulator with this version, and ends when its standard input ends."""
    line = f'{{"url":"http://127.0.0.1:1","port":1,"version":"{version}"}}'
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\nprint('''{line}''', flush=True)\nsys.stdin.read()\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def origins() -> List[str]:
    return [command.origin for command in find_commands()]


def test_nothing_is_found() -> None:
    with pytest.raises(ExecutableNotFound, match="there is no emulator to start: put tanzanite on the PATH") as error:
        Tanzanite().start()
    assert "\n" not in str(error.value)


def test_the_variable_names_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TANZANITE", str(program(tmp_path / "my emulator", __version__)))
    with Tanzanite() as emulator:
        assert emulator.url == "http://127.0.0.1:1"


def test_the_variable_names_a_command_with_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = program(tmp_path / "emulator.py", __version__)
    monkeypatch.setenv("TANZANITE", f"{sys.executable} '{script}'")
    with Tanzanite() as emulator:
        assert emulator.url == "http://127.0.0.1:1"


@pytest.mark.parametrize("text", ["absent", "/absent/tanzanite", "'"])
def test_the_variable_names_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    program(tmp_path / "tanzanite", __version__)
    monkeypatch.setenv("TANZANITE", text)
    with pytest.raises(ExecutableNotFound, match="TANZANITE names .*, and there is no such file or command"):
        Tanzanite().start()


def test_a_variable_without_a_word_names_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_path = program(tmp_path / "tanzanite", __version__)
    monkeypatch.setenv("TANZANITE", " ")
    assert origins() == [f"{on_path} on the PATH"]


def test_a_program_of_javascript_needs_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cli.js").write_text("")
    with pytest.raises(ExecutableNotFound, match="which needs Node"):
        Tanzanite(executable=str(tmp_path / "cli.js")).start()


def test_the_path_comes_before_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_path = program(tmp_path / "tanzanite", __version__)
    monkeypatch.setattr(_executable, "bundled_words", lambda: ["inside"])
    assert origins() == [f"{on_path} on the PATH", "the one in this package"]


def test_another_version_on_the_path_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path / "tanzanite", "0.0.1")
    inside = program(tmp_path / "inside", __version__)
    monkeypatch.setattr(_executable, "bundled_words", lambda: [str(inside)])
    with Tanzanite() as emulator:
        assert emulator.url == "http://127.0.0.1:1"


def test_another_version_is_named(tmp_path: Path) -> None:
    found = program(tmp_path / "tanzanite", "0.0.1")
    with pytest.raises(ExecutableNotFound) as error:
        Tanzanite().start()
    assert str(error.value) == f"this package wants Tanzanite {__version__}: {found} on the PATH is 0.0.1"
    with Tanzanite(version="any"):
        pass
    with Tanzanite(version="0.0.1"):
        pass


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("a warning\\ntanzanite: the reason", "tanzanite: the reason"),
        ("Error: crash\\n    at file:1\\n\\nNode.js v22", "Error: crash"),
        ("\\x1b[31mred", "\\u001b[31mred"),
        ("", "it ended with exit code 2"),
    ],
)
def test_a_program_that_ends_is_named_with_the_reason(tmp_path: Path, said: str, reason: str) -> None:
    path = program(tmp_path / "tanzanite", __version__, f"print('{said}', file=sys.stderr); sys.exit(2)")
    with pytest.raises(StartFailed) as error:
        Tanzanite(executable=str(path)).start()
    assert str(error.value) == f"{path} did not start: {reason}"


@pytest.mark.parametrize("noise", ["'[' * 50_000", "'null'", "'{\"url\": 3, \"port\": 1}'", "'\\udcff' * 9"])
def test_what_is_not_a_ready_line_is_passed_over(tmp_path: Path, noise: str) -> None:
    path = program(tmp_path / "tanzanite", __version__, f"sys.stdout.reconfigure(errors='surrogateescape'); print({noise})")
    with Tanzanite(executable=str(path)) as emulator:
        assert emulator.url == "http://127.0.0.1:1"


def test_a_line_without_an_end_is_not_kept(tmp_path: Path) -> None:
    endless = "[print('x' * 1_000_000, end='', file=to) for to in (sys.stdout, sys.stderr) for _ in range(64)]; print()"
    path = program(tmp_path / "tanzanite", __version__, endless)
    tracemalloc.start()
    try:
        with Tanzanite(executable=str(path)):
            assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_program_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    path = program(tmp_path / "tanzanite", __version__, "sys.stdin.read(); sys.exit(0)")
    with pytest.raises(StartFailed, match="was not ready after 0.1 seconds"):
        Tanzanite(executable=str(path), timeout=0.1).start()


def test_a_file_that_may_not_be_run_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "tanzanite"
    path.write_text("")
    with pytest.raises(StartFailed, match="cannot be run"):
        Tanzanite(executable=str(path)).start()


def test_the_module_is_the_command(tmp_path: Path) -> None:
    path = tmp_path / "tanzanite"
    path.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\nsys.exit(7)\n")
    path.chmod(0o700)
    words = [sys.executable, "-m", "tanzanite_emulator", "top", "--json"]
    done = subprocess.run(words, env={**os.environ, "TANZANITE": str(path)}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (7, "['top', '--json']\n")
    none = subprocess.run(words, env={**os.environ, "TANZANITE": "absent"}, capture_output=True, text=True)
    assert (none.returncode, none.stderr.count("\n")) == (2, 1)
