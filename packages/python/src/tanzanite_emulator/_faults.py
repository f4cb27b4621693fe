"""Adds and removes fault rules, which docs/faults.md describes."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._control import Control, name_in_path
from ._errors import Refused

Rule = Mapping[str, Any]
"""``{"match": {"operation": "InsertEntity"}, "when": {"first": 2}, "fault": {"kind": "error", "code": "ServerBusy"}}``"""


class Faults:
    """The rules of an emulator, or of one account. The rules of an account apply only to its requests."""

    def __init__(
        self,
        control: Callable[[], Control],
        on_added: Callable[[Control, Sequence[str]], None],
        account: Optional[str] = None,
        needs_account: Callable[[], None] = lambda: None,
    ) -> None:
        self._control = control
        self._on_added = on_added
        self._account = account
        self._needs_account = needs_account

    def add(self, *rules: Rule) -> List[str]:
        """Adds the rules and returns their ids. If one is refused, none is added."""
        control = self._control()
        bodies = [self._scoped(rule) for rule in rules]
        ids: List[str] = list(control.ask("POST", "faults", bodies)["ids"]) if bodies else []
        self._on_added(control, ids)
        return ids

    def list(self) -> "List[Dict[str, Any]]":
        """The current rules, with the counts ``hits`` and ``matched``."""
        rules: List[Dict[str, Any]] = self._control().ask("GET", "faults")["rules"]
        if self._account is None:
            return rules
        return [rule for rule in rules if rule.get("match", {}).get("account") == self._account]

    def remove(self, fault: str) -> None:
        """Removes the rule with this id. Does nothing if it does not exist."""
        remove_fault(self._control(), fault)

    def clear(self) -> None:
        for rule in self.list():
            self.remove(rule["id"])

    def _scoped(self, rule: Rule) -> Rule:
        if self._account is not None:
            return {**rule, "match": {**rule.get("match", {}), "account": self._account}}
        if "account" not in rule.get("match", {}):
            self._needs_account()
        return rule


def remove_fault(control: Control, fault: str) -> None:
    try:
        control.ask("DELETE", f"faults/{name_in_path(fault)}")
    except Refused as refusal:
        if refusal.code != "FaultNotFound":
            raise
