"""The pytest plugin. Each test runs pytest on a file of tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import List

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")

HEAD = "import pytest\nDOG = {'PartitionKey': 'dog', 'RowKey': 'rex', 'age': 3}\n"
BUSY = "{'match': {'operation': 'InsertEntity'}, 'fault': {'kind': 'error', 'code': 'EntityTooLarge'}}"


def run(pytester: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    pytester.makepyfile(HEAD + text)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *words)


def test_ten_lines_are_enough(pytester: pytest.Pytester) -> None:
    run(
        pytester,
        """
def test_one(table_service):
    table_service.create_table("pets").create_entity(DOG)
    assert table_service.get_table_client("pets").get_entity("dog", "rex")["age"] == 3

def test_two(table_service, table_account):
    assert list(table_service.list_tables()) == []
    assert "AccountName=" in table_account.connection_string
""",
    ).assert_outcomes(passed=2)


def test_a_seed_is_found_beside_the_test_and_below_the_root(pytester: pytest.Pytester) -> None:
    pytester.makefile(".ndjson", pets=json.dumps({"PartitionKey": "dog", "RowKey": "rex", "age": 3}))
    pytester.mkdir("data").joinpath("cats.json").write_text('[{"PartitionKey": "cat", "RowKey": "tom"}]')
    pytester.mkdir("tests")
    pytester.path.joinpath("tests/test_below.py").write_text(
        HEAD
        + """
@pytest.mark.tanzanite(seed=["data", "pets.ndjson", {"more": [DOG]}])
def test_seeded(table_service):
    assert sorted(table.name for table in table_service.list_tables()) == ["cats", "more", "pets"]

def test_by_hand(table_service, tanzanite_seed):
    assert tanzanite_seed("data", {"more": [DOG]}) == {"cats": 1, "more": 1}
"""
    )
    pytester.runpytest_subprocess("--rootdir", str(pytester.path)).assert_outcomes(passed=2)


WRONG_MARKS = {
    "seed='absent.ndjson'": "*@pytest.mark.tanzanite: seed='absent.ndjson' names no file or folder*",
    "restore='absent'": "*restore='absent' names no snapshot: save one with*",
    "faults={'fault': {}}": "*@pytest.mark.tanzanite: *kind*",
    "faults=['x']": "*@pytest.mark.tanzanite: faults=?'x'? is neither a rule nor a list of rules*",
    "seed=3": "*@pytest.mark.tanzanite: seed=3 is neither a path nor tables*",
    "clock=3": "*clock=3 is neither a time*",
    "clock='yesterday'": "*@pytest.mark.tanzanite: *the time must be a date*",
    "sead='x'": "*takes seed, restore, faults, clock by name, not sead*",
    "'x'": "*takes seed, restore, faults, clock by name, not 'x'*",
}


def test_a_mark_that_does_not_fit_is_one_line(pytester: pytest.Pytester) -> None:
    tests = [f"@pytest.mark.tanzanite({mark})\ndef test_{at}(table_service): pass\n" for at, mark in enumerate(WRONG_MARKS)]
    result = run(pytester, "".join(tests) + "def test_last(table_service): pass")
    result.assert_outcomes(errors=len(WRONG_MARKS), passed=1)
    for message in WRONG_MARKS.values():
        result.stdout.fnmatch_lines([message])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*During handling*")


STAGED = f"""
import datetime
@pytest.fixture(scope="session", autouse=True)
def base(tanzanite):
    account = tanzanite.account()
    account.seed({{"pets": [DOG]}})
    account.snapshot("base")

@pytest.mark.tanzanite(restore="base")
@pytest.mark.parametrize("n", range(3))
def test_restored(table_service, n):
    pets = table_service.get_table_client("pets")
    assert len(list(pets.list_entities())) == 1
    pets.delete_entity("dog", "rex")
    table_service.create_table("more")

@pytest.mark.tanzanite(faults={BUSY}, clock="2030-01-31T12:00:00Z")
def test_staged(table_service, tanzanite):
    assert tanzanite.clock.read().now.year == 2030
    tanzanite.faults.add({{**{BUSY}, "match": {{"account": "someone"}}}})
    table_service.create_table("pets").create_entity(DOG)

@pytest.mark.tanzanite(clock="2030-01-31T12:00:00Z", seed={{"pets": [DOG]}})
def test_dated(table_service):
    found = table_service.get_table_client("pets").get_entity("dog", "rex")
    assert found.metadata["timestamp"].year == 2030

@pytest.mark.tanzanite(clock=datetime.timedelta(days=1))
def test_advanced(table_service, tanzanite):
    assert tanzanite.clock.read().offset >= datetime.timedelta(hours=23)
    tanzanite.clock.freeze()
    raise RuntimeError

def test_after(table_service, tanzanite):
    assert tanzanite.faults.list() == []
    assert abs(tanzanite.clock.read().offset) < datetime.timedelta(seconds=5)
    table_service.create_table("pets").create_entity(DOG)
"""


@pytest.mark.parametrize("words", [[], ["-n", "2"]])
def test_what_was_staged_is_put_back_after_a_failure_too(pytester: pytest.Pytester, words: List[str]) -> None:
    result = run(pytester, STAGED, *words)
    result.assert_outcomes(passed=5, failed=2)
    result.stdout.fnmatch_lines(
        ["*tanzanite: requests that were refused*", "InsertEntity pets('dog', 'rex'): 400 EntityTooLarge: *staged by*"]
    )


def test_a_report_has_only_what_its_own_test_met(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_passes(table_service):
    with pytest.raises(Exception):
        table_service.get_table_client("quiet").create_entity(DOG)
def test_fails(table_service):
    list(table_service.get_table_client("pets").query_entities("age eq"))
def test_fails_by_itself(table_service):
    assert False
""",
    )
    result.assert_outcomes(passed=1, failed=2)
    assert result.stdout.str().count("requests that were refused") == 1
    result.stdout.fnmatch_lines(["QueryEntities pets: 400 InvalidInput: *"])
    result.stdout.no_fnmatch_line("*quiet*")


def test_a_client_for_asyncio(pytester: pytest.Pytester) -> None:
    run(
        pytester,
        """
import asyncio
def test_one(async_table_service):
    async def use():
        pets = await async_table_service.create_table("pets")
        await pets.create_entity(DOG)
        return [table.name async for table in async_table_service.list_tables()]
    assert asyncio.run(use()) == ["pets"]
""",
        "-W",
        "error",
    ).assert_outcomes(passed=1)


SHARED = """
import datetime, os
@pytest.mark.parametrize("n", range(200))
def test_one(table_service, tanzanite, n):
    assert list(table_service.list_tables()) == []
    table_service.create_table("pets").create_entity({"PartitionKey": "a", "RowKey": str(n)})
    with open(os.environ["PYTEST_XDIST_WORKER"], "a") as file:
        print(tanzanite.url, file=file)
@pytest.mark.parametrize("n", range(8))
def test_clock(tanzanite, n):
    with pytest.raises(Exception, match="mark a test that turns the clock"):
        tanzanite.clock.advance(1)
    with pytest.raises(Exception, match="table_account.faults"):
        tanzanite.faults.add({"fault": {"kind": "error", "code": "ServerBusy"}})
    with pytest.raises(Exception, match="all workers"):
        tanzanite.reset()
"""


def test_eight_workers_share_one_emulator_and_200_tests_have_an_account_each(pytester: pytest.Pytester) -> None:
    run(pytester, SHARED, "-n", "8").assert_outcomes(passed=208)
    files = [pytester.path / f"gw{at}" for at in range(8)]
    urls = [line for file in files if file.exists() for line in file.read_text().split()]
    assert (len(urls), len(set(urls))) == (200, 1)


@pytest.mark.parametrize("words", [[], ["-n", "2"]])
def test_without_an_emulator_only_the_tests_that_need_one_fail(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, words: List[str]
) -> None:
    monkeypatch.setenv("TANZANITE", "absent")
    result = run(pytester, "def test_one(table_service): pass\ndef test_two(): pass", *words)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*TANZANITE names absent, and there is no such file or command*"])


def test_an_emulator_that_ends_is_one_line_in_each_test_that_uses_it(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_ends(table_service, tanzanite):
    process = tanzanite._process._process
    process.kill()
    process.wait()
def test_after(table_service): pass
@pytest.mark.tanzanite(seed={"pets": [DOG]})
def test_seeded(): pass
def test_alone(): pass
""",
    )
    result.assert_outcomes(passed=2, errors=3)
    assert result.stdout.str().count("\nthe emulator has ended, with all data: signal 9 ended it\n") == 2
    result.stdout.fnmatch_lines(["@pytest.mark.tanzanite: the emulator has ended, with all data: signal 9 ended it"])
    result.stdout.no_fnmatch_line("*During handling*")


def test_without_a_test_that_needs_one_nothing_is_started(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANZANITE", "absent")
    run(pytester, "def test_two(): pass", "--strict-markers").assert_outcomes(passed=1)


HANGS = """
import os, time
@pytest.mark.parametrize("n", range(4))
def test_hangs(table_service, n):
    table_service.create_table("pets")
    with open("reached", "a") as file:
        print(n, file=file)
    time.sleep(600)
"""


def emulators_of(run: Path) -> List[int]:
    """The emulator processes that have the working folder of the run."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes()
            if b"--until-stdin-ends" in words and os.readlink(process / "cwd") == str(run):
                found.append(int(process.name))
        except (OSError, ValueError):
            continue
    return found


def wait_for(condition: object) -> None:
    for _ in range(1200):
        if condition():  # type: ignore[operator]
            return
        time.sleep(0.05)
    pytest.fail("it did not come to that in a minute")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_is_killed_or_interrupted_leaves_no_process(
    pytester: pytest.Pytester, sent: signal.Signals, workers: int
) -> None:
    pytester.makepyfile(HEAD + HANGS)
    words = ["-n", str(workers)] if workers else []
    folder = pytester.path.resolve()
    program = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        wait_for(lambda: (folder / "reached").exists())
        assert len(emulators_of(folder)) == 1
        if sent == signal.SIGINT:
            # The signal goes to every process of the group, as from a terminal.
            os.killpg(program.pid, sent)
        else:
            program.send_signal(sent)
        program.wait(60)
        wait_for(lambda: emulators_of(folder) == [])
    finally:
        try:
            os.killpg(program.pid, signal.SIGKILL)
        except OSError:
            pass
        program.wait()
