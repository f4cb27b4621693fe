"""An emulator that is used without the pytest plugin: `with Tanzanite()`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import List

import pytest
from azure.core.exceptions import HttpResponseError
from tanzanite_emulator import Account, Refusal, Refused, StartFailed, Tanzanite, TanzaniteError

DOG = {"PartitionKey": "dog", "RowKey": "rex", "age": 3}
BUSY = {"match": {"operation": "InsertEntity"}, "fault": {"kind": "error", "code": "EntityTooLarge"}}


def fill(account: Account) -> None:
    with account.service() as service:
        service.create_table("pets").create_entity(DOG)


def tables(account: Account) -> List[str]:
    with account.service() as service:
        return [table.name for table in service.list_tables()]


def test_an_account_sees_no_other(emulator: Tanzanite, account: Account) -> None:
    fill(account)
    assert tables(account) == ["pets"]
    assert tables(emulator.account()) == []


def test_the_connection_string_is_that_of_the_development_account(emulator: Tanzanite) -> None:
    assert "AccountName=devstoreaccount1;" in emulator.connection_string
    assert emulator.url in emulator.connection_string


def test_a_snapshot_comes_back(account: Account) -> None:
    fill(account)
    account.snapshot("base/1")
    account.reset()
    assert tables(account) == []
    account.restore("base/1")
    assert tables(account) == ["pets"]
    with pytest.raises(Refused, match="absent") as refusal:
        account.restore("absent")
    assert (refusal.value.status, refusal.value.code) == (404, "SnapshotNotFound")


def test_a_reset_of_an_account_that_was_never_used_is_nothing(account: Account) -> None:
    account.reset()


def test_a_fault_of_an_account_strikes_no_other(emulator: Tanzanite, account: Account) -> None:
    with account.service() as service:
        service.create_table("pets")
    [fault] = account.faults.add(BUSY)
    fill(emulator.account())
    with account.service() as service, pytest.raises(HttpResponseError, match="EntityTooLarge"):
        service.get_table_client("pets").create_entity(DOG)
    assert [rule["hits"] for rule in account.faults.list()] == [1]
    account.faults.remove(fault)
    account.faults.remove(fault)
    assert account.faults.list() == []


def test_a_rule_that_does_not_fit_is_refused_and_nothing_is_added(emulator: Tanzanite) -> None:
    with pytest.raises(Refused, match="kind"):
        emulator.faults.add(BUSY, {"fault": {"kind": "none"}})
    assert emulator.faults.list() == []


def test_the_clock_is_turned_and_released() -> None:
    with Tanzanite() as emulator:
        clock = emulator.clock
        moment = datetime(2030, 1, 31, 12, tzinfo=timezone.utc)
        clock.freeze()
        assert clock.set(moment).now == moment
        assert clock.set("2030-02-01T00:00:00Z").is_frozen
        later = clock.advance(timedelta(hours=1))
        assert (later.now - moment, clock.advance(0.5).now - later.now) == (timedelta(hours=13), timedelta(seconds=0.5))
        assert not clock.resume().is_frozen
        assert abs(clock.release().offset) < timedelta(seconds=5)


def test_a_refusal_holds_nothing_that_a_terminal_interprets() -> None:
    refusal = Refusal("QueryEntities", 400, "InvalidInput", "a\nb c\u202ed é", "pe\x1b[31mts", None, None, None)
    assert str(refusal) == "QueryEntities pe\\u001b[31mts: 400 InvalidInput: a\\u000ab c\\u202ed é"


def test_refusals_have_the_reason(account: Account) -> None:
    fill(account)
    with account.service() as service:
        pets = service.get_table_client("pets")
        with pytest.raises(HttpResponseError):
            list(pets.query_entities("age eq"))
        with pytest.raises(HttpResponseError):
            pets.submit_transaction([("create", {**DOG, "RowKey": "a"}), ("create", DOG)])
    requests, dropped, total = account.refusals()
    assert (len(requests), dropped, total) == (2, 0, 2)
    assert str(requests[0]).startswith("QueryEntities pets: 400 InvalidInput: ")
    assert "operation 1 of the transaction, InsertEntity" in requests[1].operation
    assert requests[1].code == "EntityAlreadyExists"
    assert account.refusals(after=total).requests == []


def test_advice_is_of_one_account(emulator: Tanzanite, account: Account) -> None:
    fill(account)
    with account.service() as service:
        for _ in range(30):
            list(service.get_table_client("pets").query_entities("age eq 3"))
    assert {finding["account"] for finding in account.advice()} <= {account.name}
    assert emulator.advice()["requests"] >= 30


def test_a_reset_empties_all_accounts() -> None:
    with Tanzanite() as emulator:
        fill(emulator.account("first1"))
        emulator.faults.add(BUSY)
        emulator.clock.advance(3600)
        emulator.reset()
        assert tables(emulator.account("first1")) == []
        assert emulator.faults.list() == []
        assert abs(emulator.clock.read().offset) < timedelta(seconds=5)


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(StartFailed, match=f"did not start: .*{port}") as failure:
            Tanzanite(port=port).start()
    assert "\n" not in str(failure.value)


def test_a_flag_that_does_not_exist_is_one_line() -> None:
    with pytest.raises(StartFailed, match="did not start: tanzanite: unknown flag --none"):
        Tanzanite(flags=["--none"]).start()


def test_settings_of_flags_are_in_force() -> None:
    with Tanzanite(flags=["--profile", "strict"]) as emulator:
        assert emulator.account()._control.ask("GET", "capacity")["throttle"] == "enforce"


def test_a_server_of_the_project_does_not_move_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tanzanite.json").write_text('{"tablePort": 1, "location": "data"}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TANZANITE_STORE", "postgres://user@192.0.2.1/none")
    with Tanzanite() as emulator:
        assert tables(emulator.account()) == []
    assert os.listdir(tmp_path) == ["tanzanite.json"]


def test_an_emulator_that_has_stopped_says_so() -> None:
    emulator = Tanzanite().start()
    account = emulator.account()
    emulator.stop()
    emulator.stop()
    with pytest.raises(TanzaniteError, match="does not run"):
        emulator.account()
    with pytest.raises(TanzaniteError, match="does not answer"):
        account.snapshot("base")


PARENT = """
import os, sys
from tanzanite_emulator import Tanzanite
emulator = Tanzanite().start()
print(emulator._process._process.pid, flush=True)
{then}
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return True
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    for _ in range(1200):
        if not is_running(pid):
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} is still there")


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill(pid, 0) ends a process there")
@pytest.mark.parametrize("then", ["os.kill(os.getpid(), 9)", "os._exit(3)", "sys.exit(0)", "raise KeyboardInterrupt"])
def test_no_process_outlives_the_program(then: str) -> None:
    program = subprocess.run([sys.executable, "-c", PARENT.format(then=then)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_until_gone(int(program.stdout))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_leaves_it_alone() -> None:
    fork = "pid = os.fork()\nif pid == 0:\n    emulator.stop(); os._exit(0)\nos.waitpid(pid, 0); print(emulator.clock.read().now.year)"
    program = subprocess.run([sys.executable, "-W", "ignore", "-c", PARENT.format(then=fork)], stdout=subprocess.PIPE)
    assert len(program.stdout.split()) == 2
