"""An emulator for tests: its process, its control plane, and its accounts."""

from __future__ import annotations

import secrets
from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

from ._account import DEVELOPMENT_ACCOUNT, Account
from ._clock import Clock
from ._control import Control
from ._errors import TanzaniteError
from ._faults import Faults
from ._process import EmulatorProcess, start_process
from ._version import VERSION


class Tanzanite:
    """Starts an emulator, in memory and on a free port, and stops it at the end of the block::

        with Tanzanite() as tanzanite:
            service = tanzanite.account().service()

    ``executable``: a path or a command to use instead of searching. ``version``: another version than the package's, or ``any``.
    ``port``: a port, which must be free. ``flags``: further flags of ``tanzanite start``. ``timeout``: seconds to wait until it is ready.
    """

    def __init__(
        self,
        *,
        executable: Optional[str] = None,
        version: str = VERSION,
        port: int = 0,
        flags: Sequence[str] = (),
        timeout: float = 60,
    ) -> None:
        self._options = (executable, version, ("--tablePort", str(port), *flags), timeout)
        self._process: Optional[EmulatorProcess] = None
        self._reached: Optional[Control] = None
        self._is_shared = False
        self.staged: List[Tuple[Control, str]] = []
        """Ids of the fault rules that were added, so that they can be removed."""
        self.accounts: List[Account] = []
        """Accounts that were created, so that their refusals can be reported."""
        self.snapshots: Dict[str, Account] = {}
        """Maps the name of a snapshot to the account that was last saved under it. A marker's ``restore`` uses this."""
        self.clock = Clock(self._reach, self._refuse_shared_clock)
        """The time of the emulator, which all accounts share."""
        self.faults = Faults(self._reach, self._note_faults, needs_account=self._refuse_shared_fault)
        """Fault rules for all accounts; ``account().faults`` has those of one account."""

    @classmethod
    def at(cls, url: str, *, shared: bool = False) -> Tanzanite:
        """An emulator that already runs, with ``--accounts any``. ``shared``: other processes use it; its clock and faults cannot change."""
        emulator = cls()
        emulator._reached = Control(url)
        emulator._is_shared = shared
        return emulator

    def start(self) -> Tanzanite:
        """Raises ExecutableNotFound, DownloadFailed and StartFailed."""
        if self._reached is None:
            executable, version, flags, timeout = self._options
            self._process = start_process(executable, version, flags, timeout)
            self._reached = Control(str((self._process.ready or {})["url"]))
        return self

    def stop(self) -> None:
        """Stops the emulator. May be called again."""
        process, self._process = self._process, None
        if process is not None:
            self._reached = None
            process.stop()

    def __enter__(self) -> Tanzanite:
        return self.start()

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """``http://127.0.0.1:49152``"""
        return self._reach().url

    @property
    def connection_string(self) -> str:
        """The connection string of the development account, ``devstoreaccount1``."""
        return self._account(DEVELOPMENT_ACCOUNT).connection_string

    def account(self, name: Optional[str] = None) -> Account:
        """A new account, or the account with this name: 3 to 24 lower-case letters and digits."""
        account = self._account(name or f"test{secrets.token_hex(10)}")
        self.accounts.append(account)
        return account

    def reset(self) -> None:
        """Empties all accounts, resets the clock and removes all faults."""
        self._refuse_shared("reset() empties the accounts of all workers; reset() of an account empties that one")
        control = self._reach()
        control.ask("POST", "reset", {})
        control.ask("POST", "reset", {"clock": True, "faults": True})

    def advice(self) -> Dict[str, Any]:
        """The advisor's report about all accounts."""
        report: Dict[str, Any] = self._reach().ask("GET", "advisor")
        return report

    def switch(self, other: Tanzanite) -> Control:
        """Makes this object represent another emulator until the returned value is passed to ``switch_back``."""
        before, self._reached, self._is_shared = self._reach(), other._reach(), False
        return before

    def switch_back(self, before: Control) -> None:
        self._reached, self._is_shared = before, True

    def reaches(self, account: Account) -> bool:
        return account.url.startswith(f"{self.url}/")

    def must_run(self) -> None:
        """Raises TanzaniteError with the reason if the emulator has ended by itself."""
        self._reach()

    def put_clock_back(self) -> None:
        """Resets the clock if this object changed it."""
        if self.clock.is_turned:
            self.clock.release()

    def _account(self, name: str) -> Account:
        return Account(self._reach(), name, self._options[0], self._note_faults, self._note_snapshot)

    def _reach(self) -> Control:
        if self._reached is None:
            raise TanzaniteError("the emulator does not run: use `with Tanzanite() as tanzanite`, or start()")
        reason = self._process and self._process.end_reason
        if reason:
            raise TanzaniteError(f"the emulator has ended, with all data: {reason}")
        return self._reached

    def _note_faults(self, control: Control, ids: Sequence[str]) -> None:
        self.staged.extend((control, fault) for fault in ids)

    def _note_snapshot(self, name: str, account: Account) -> None:
        self.snapshots[name] = account

    def _refuse_shared(self, reason: str) -> None:
        if self._is_shared:
            raise TanzaniteError(f"the emulator is that of all workers of pytest-xdist: {reason}")

    def _refuse_shared_clock(self) -> None:
        self._refuse_shared("mark a test that turns the clock with @pytest.mark.tanzanite(clock=True)")

    def _refuse_shared_fault(self) -> None:
        self._refuse_shared("add the rule by table_account.faults, or let its match name an account")
