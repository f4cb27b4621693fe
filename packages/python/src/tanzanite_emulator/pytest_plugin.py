"""The pytest plugin: one emulator per run, also under pytest-xdist, and one account per test."""

from __future__ import annotations

import asyncio
import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import pytest

from ._account import Account
from ._control import Control
from ._emulator import Tanzanite
from ._errors import Refused, TanzaniteError
from ._faults import Rule, remove_fault
from ._seeds import Source

if TYPE_CHECKING:
    from azure.data.tables import TableServiceClient
    from azure.data.tables.aio import TableServiceClient as AsyncTableServiceClient

MARKER = "tanzanite"
MARKER_HELP = (
    "tanzanite(seed=…, restore=…, faults=…, clock=…): what the account of the test begins with: files or tables, a snapshot, "
    "rules of faults, a time. All of it is put back after the test."
)
MARKER_NAMES = ("seed", "restore", "faults", "clock")
URL, ERROR = "tanzanite_url", "tanzanite_error"


class Run:
    """The state of the plugin in this run, or in this worker."""

    def __init__(self, config: pytest.Config) -> None:
        worker: Mapping[str, Any] = getattr(config, "workerinput", {})
        self.url: Optional[str] = worker.get(URL)
        self.error: Optional[str] = worker.get(ERROR)
        self.emulator: Optional[Tanzanite] = None
        """The emulator that the tests of this process use."""
        self._started: List[Tanzanite] = []
        self._own: Optional[Tanzanite] = None
        self.seen: Dict[str, int] = {}
        """For each account, the number of its refusals before the test."""

    def start(self) -> Tanzanite:
        emulator = Tanzanite().start()
        self._started.append(emulator)
        return emulator

    def own(self) -> Tanzanite:
        """An emulator that no other worker uses."""
        if self._own is None:
            self._own = self.start()
            self._own.account().refusals()
        return self._own

    def stop(self) -> None:
        for emulator in self._started:
            emulator.stop()
        self._started.clear()


RUN = pytest.StashKey[Run]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARKER_HELP)
    config.stash[RUN] = Run(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    run = config.stash.get(RUN, None)
    if run is not None:
        run.stop()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Gives a worker of pytest-xdist the emulator of the run."""
    run = node.config.stash[RUN]
    if run.url is None and run.error is None:
        try:
            run.url = run.start().url
        except TanzaniteError as error:
            # The error is kept for the tests that use the emulator. Other tests run.
            run.error = str(error)
    node.workerinput[URL] = run.url
    node.workerinput[ERROR] = run.error


@pytest.fixture(scope="session")
def tanzanite(pytestconfig: pytest.Config) -> Tanzanite:
    """The emulator of the run."""
    run = pytestconfig.stash[RUN]
    try:
        if run.error is not None:
            raise TanzaniteError(run.error)
        if run.emulator is None:
            run.emulator = run.start() if run.url is None else Tanzanite.at(run.url, shared=True)
            # From this request on, the emulator keeps refusals.
            run.emulator.account().refusals()
        return run.emulator
    except TanzaniteError as error:
        raise failure(error) from None


@pytest.fixture
def table_account(request: pytest.FixtureRequest, _tanzanite_test: Optional[Account], tanzanite: Tanzanite) -> Account:
    """An account for this test only, prepared as its marker says."""
    return _tanzanite_test or in_one_line(tanzanite.account)


@pytest.fixture
def table_service(table_account: Account) -> "Iterator[TableServiceClient]":
    """A client of azure-data-tables for the account of this test."""
    with in_one_line(table_account.service) as service:
        yield service


@pytest.fixture
def async_table_service(table_account: Account) -> "Iterator[AsyncTableServiceClient]":
    """The same client for asyncio. It works with any plugin that runs asynchronous tests."""
    # The header keeps the client from holding idle connections. An idle connection would belong to the test's event loop, and this loop has
    # ended when the fixture closes the client.
    service = in_one_line(lambda: table_account.async_service(headers={"Connection": "close"}))
    yield service
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(service.close())
    finally:
        loop.close()


@pytest.fixture
def tanzanite_seed(request: pytest.FixtureRequest, table_account: Account) -> Callable[..., Dict[str, int]]:
    """Fills tables of the account of this test from files, folders and ``{"People": [{…}]}``."""
    folder = request.path.parent

    def seed(*sources: Source) -> Dict[str, int]:
        return table_account.seed(*(found(source, folder, request.config.rootpath) for source in sources))

    return seed


@pytest.fixture(autouse=True)
def _tanzanite_test(request: pytest.FixtureRequest) -> Iterator[Optional[Account]]:
    """Prepares what the marker says, and undoes what the test changed, even if it failed."""
    run = request.config.stash[RUN]
    if run.emulator is not None:
        run.emulator.accounts.clear()
        run.emulator.staged.clear()
        run.seen.clear()
    marks = marks_of(request)
    account = None
    emulator: Optional[Tanzanite] = None
    with private_clock(request, run, "clock" in marks):
        try:
            if marks:
                emulator = request.getfixturevalue("tanzanite")
                account = stage(request, run, emulator, marks)
            yield account
        finally:
            in_one_line(lambda: put_back(run))


def marks_of(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """Combines the marks of a test. Where two marks have the same member, the mark nearest to the test wins."""
    members: Dict[str, Any] = {}
    for mark in reversed(list(request.node.iter_markers(MARKER))):
        unknown = [name for name in mark.kwargs if name not in MARKER_NAMES]
        if mark.args or unknown:
            wrong = unknown[0] if unknown else repr(mark.args[0])
            raise failure(f"@pytest.mark.tanzanite takes {', '.join(MARKER_NAMES)} by name, not {wrong}")
        members.update(mark.kwargs)
    return members


class private_clock:
    """For a test that changes the clock while other workers share the emulator. During the test, ``tanzanite`` is another emulator."""

    def __init__(self, request: pytest.FixtureRequest, run: Run, turns_clock: bool) -> None:
        self._is_needed = turns_clock and run.url is not None
        self._request, self._run = request, run
        self._shared: Optional[Control] = None

    def __enter__(self) -> None:
        if not self._is_needed:
            return
        emulator: Tanzanite = self._request.getfixturevalue("tanzanite")
        try:
            own = self._run.own()
        except TanzaniteError as error:
            raise failure(error) from None
        self._shared = emulator.switch(own)

    def __exit__(self, *_: Any) -> None:
        if self._shared is not None and self._run.emulator is not None:
            self._run.emulator.switch_back(self._shared)


def stage(request: pytest.FixtureRequest, run: Run, emulator: Tanzanite, marks: Mapping[str, Any]) -> Account:
    try:
        account = account_for(run, emulator, marks.get("restore"))
        # The clock comes before the data: their timestamps follow it.
        turn_clock(emulator, marks.get("clock"))
        sources = marks.get("seed")
        if sources is not None:
            given = sources if isinstance(sources, (list, tuple)) else [sources]
            folder, root = request.path.parent, request.config.rootpath
            account.seed(*(found(source, folder, root) for source in given))
        rules = marks.get("faults")
        if rules is not None:
            account.faults.add(*rules_of(rules))
        return account
    except (TanzaniteError, TypeError, ValueError) as error:
        raise failure(f"@pytest.mark.tanzanite: {error}") from None


def rules_of(faults: Any) -> Sequence[Rule]:
    rules = faults if isinstance(faults, (list, tuple)) else [faults]
    if not all(isinstance(rule, Mapping) for rule in rules):
        raise TypeError(f"faults={faults!r} is neither a rule nor a list of rules")
    return rules


def account_for(run: Run, emulator: Tanzanite, snapshot: Optional[str]) -> Account:
    if snapshot is None:
        return emulator.account()
    account = emulator.snapshots.get(snapshot)
    if account is None:
        raise TanzaniteError(
            f"restore={snapshot!r} names no snapshot: save one with account.snapshot({snapshot!r}), in a fixture of the session or the module"
        )
    if not emulator.reaches(account):
        raise TanzaniteError(f"restore={snapshot!r} and clock cannot be combined under pytest-xdist: the snapshot is in the shared emulator")
    account.restore(snapshot)
    emulator.accounts.append(account)
    run.seen[account.name] = account.refusals().total
    return account


def turn_clock(emulator: Tanzanite, clock: Union[None, bool, str, datetime, timedelta]) -> None:
    if clock is None or clock is True:
        return
    if isinstance(clock, timedelta):
        emulator.clock.advance(clock)
    elif clock == "frozen":
        emulator.clock.freeze()
    elif isinstance(clock, (str, datetime)):
        emulator.clock.set(clock)
    else:
        raise TypeError(f"clock={clock!r} is neither a time, a timedelta, 'frozen' nor True")


def found(source: Source, folder: Path, root: Path) -> Source:
    """A path is relative to the folder of the test's file or, if nothing is there, to the root of the project."""
    if isinstance(source, Mapping):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"seed={source!r} is neither a path nor tables")
    beside = folder / source
    if beside.exists():
        return beside
    below = root / source
    if below.exists():
        return below
    places = f"in {root}" if folder == root else f"neither in {folder} nor in {root}"
    raise TanzaniteError(f"seed={str(source)!r} names no file or folder, {places}")


def in_one_line(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except TanzaniteError as error:
        raise failure(error) from None


def failure(reason: object) -> BaseException:
    """pytest reports this failure as one line, without a traceback."""
    return pytest.fail.Exception(str(reason), pytrace=False)


def put_back(run: Run) -> None:
    emulator = run.emulator
    if emulator is None or not (emulator.staged or emulator.accounts or emulator.clock.is_turned):
        return
    emulator.must_run()
    staged, emulator.staged[:] = list(emulator.staged), []
    for control, fault in staged:
        remove_fault(control, fault)
    emulator.put_clock_back()
    kept = list(emulator.snapshots.values())
    for account in emulator.accounts:
        if account not in kept:
            account.reset()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    run = item.config.stash.get(RUN, None)
    if report.failed and call.when in ("setup", "call") and run is not None and run.emulator is not None:
        text = describe_refusals(run)
        if text:
            report.sections.append(("tanzanite: requests that were refused", text))


def describe_refusals(run: Run) -> str:
    lines: List[str] = []
    emulator = run.emulator
    for account in list(emulator.accounts) if emulator else []:
        try:
            requests, dropped, _ = account.refusals(after=run.seen.get(account.name, 0))
        except (TanzaniteError, Refused):
            continue
        if dropped:
            lines.append(f"({dropped} earlier ones are left out)")
        lines.extend(str(request) for request in requests)
    return "\n".join(lines)


__all__ = ["async_table_service", "table_account", "table_service", "tanzanite", "tanzanite_seed"]
