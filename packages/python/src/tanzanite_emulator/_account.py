"""An account of an emulator. Each test has its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from ._control import Control, name_in_path
from ._errors import Refused, TanzaniteError, escape_controls
from ._faults import Faults
from ._seeds import Source, seed

if TYPE_CHECKING:
    from azure.data.tables import TableServiceClient
    from azure.data.tables.aio import TableServiceClient as AsyncTableServiceClient

DEVELOPMENT_ACCOUNT = "devstoreaccount1"
# The key that every Azure SDK knows; with --accounts any, every account has it.
DEVELOPMENT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class Refusal(NamedTuple):
    """A request that was refused."""

    operation: str
    status: int
    code: str
    reason: str
    table: str
    partition_key: Optional[str]
    row_key: Optional[str]
    fault: Optional[str]
    """The fault rule that struck the request, if any."""

    def __str__(self) -> str:
        keys = "" if self.partition_key is None else f"({self.partition_key!r}, {self.row_key!r})"
        place = f" {self.table}{keys}" if self.table else ""
        staged = f" [staged by {self.fault}]" if self.fault else ""
        return escape_controls(f"{self.operation}{place}: {self.status} {self.code}: {self.reason}{staged}")


class Refusals(NamedTuple):
    """The refused requests of an account, in order. ``dropped`` is the number of earlier ones that are left out."""

    requests: Sequence[Refusal]
    dropped: int
    total: int
    """Pass this value as ``after`` in the next call."""


class Account:
    """An account. No other account sees its tables. The first request creates it."""

    def __init__(
        self,
        control: Control,
        name: str,
        executable: Optional[str],
        on_faults: Callable[[Control, Sequence[str]], None],
        on_snapshot: Callable[[str, Account], None],
    ) -> None:
        self.name = name
        self.key = DEVELOPMENT_KEY
        self.url = f"{control.url}/{name}"
        self._control = control
        self._executable = executable
        self._on_snapshot = on_snapshot
        self.faults = Faults(lambda: control, on_faults, account=name)
        """Fault rules for the requests of this account only."""

    def __repr__(self) -> str:
        return f"Account({self.url!r})"

    @property
    def connection_string(self) -> str:
        """The connection string for the Azure SDKs."""
        scheme = self.url.split(":", 1)[0]
        return (
            f"DefaultEndpointsProtocol={scheme};AccountName={self.name};AccountKey={self.key};"
            f"TableEndpoint={self.url};"
        )

    def service(self, **options: Any) -> TableServiceClient:
        """A client of azure-data-tables, with the options of its ``from_connection_string``."""
        try:
            from azure.data.tables import TableServiceClient
        except ImportError:
            raise TanzaniteError(NO_CLIENT) from None
        return TableServiceClient.from_connection_string(self.connection_string, **options)

    def async_service(self, **options: Any) -> AsyncTableServiceClient:
        """The same client for asyncio, which also needs aiohttp."""
        try:
            import aiohttp  # noqa: F401
            from azure.data.tables.aio import TableServiceClient
        except ImportError:
            raise TanzaniteError(NO_CLIENT) from None
        return TableServiceClient.from_connection_string(self.connection_string, **options)

    def seed(self, *sources: Source) -> Dict[str, int]:
        """Fills tables from files, folders of files, or ``{"People": [{…}]}``. It replaces tables that exist. If it
        fails, nothing has changed, with one exception: CSV files are loaded separately, so they or the other sources may fail alone.

        Returns the number of entities in each table. Raises SeedFailed.
        """
        return seed(self._control, self.name, sources, self._executable)

    def snapshot(self, name: str) -> None:
        """Saves the account under a name, for ``restore``."""
        self._control.ask("PUT", f"snapshots/{name_in_path(name)}", query=self._query)
        self._on_snapshot(name, self)

    def restore(self, name: str) -> None:
        """Brings the account back to the state that was saved. Tables that were created since then are removed."""
        self._control.ask("POST", f"snapshots/{name_in_path(name)}/restore", query=self._query)

    def reset(self, table: Optional[str] = None) -> None:
        """Removes everything in the account, or only the entities of one table."""
        body = {"account": self.name, **({} if table is None else {"table": table})}
        try:
            self._control.ask("POST", "reset", body)
        except Refused as refusal:
            # An account that no request has used does not exist yet, and is empty.
            if table is not None or refusal.code != "AccountNotFound":
                raise

    def refusals(self, after: int = 0) -> Refusals:
        """The last refused requests of this account, with the reasons. The emulator keeps refusals from the first call on."""
        answer = self._control.ask("GET", "refusals", query={**self._query, "after": str(after)})
        requests = [refusal_of(request) for request in answer["requests"]]
        return Refusals(requests, int(answer["dropped"]), int(answer["count"]))

    def advice(self) -> "List[Dict[str, Any]]":
        """What Microsoft's design guides say about the requests of this account: findings, the most severe first."""
        findings: List[Dict[str, Any]] = self._control.ask("GET", "advisor")["findings"]
        return [finding for finding in findings if finding["account"] == self.name]

    @property
    def _query(self) -> Dict[str, str]:
        return {"account": self.name}


NO_CLIENT = "azure-data-tables is not installed: pip install 'tanzanite-emulator[tables]'"


def refusal_of(request: Dict[str, Any]) -> Refusal:
    member = request.get("batch", {}).get("refused", {})
    reasons = request.get("why") or member.get("why") or [first_line(request.get("message"))]
    inner = f" (operation {member['index']} of the transaction, {member['operation']})" if member else ""
    warning = request.get("batch", {}).get("warning")
    if warning and not (request.get("code") or member):
        reasons = [warning]
    fault = request.get("fault", {})
    return Refusal(
        operation=str(request["operation"]) + inner,
        status=int(request["status"]),
        code=str(member.get("code") or request.get("code") or fault.get("kind") or ""),
        reason=" ".join(reason for reason in reasons if reason),
        table=str(request.get("table", "")),
        partition_key=request.get("partitionKey"),
        row_key=request.get("rowKey"),
        fault=fault.get("rule"),
    )


def first_line(message: Any) -> str:
    """The message of an error: the lines after the first have a request id and a time."""
    return str(message or "").split("\n", 1)[0]
