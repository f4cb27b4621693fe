"""Calls the control plane of an emulator over HTTP. It ignores proxies from the environment."""

from __future__ import annotations

import json
import os
from http.client import HTTPConnection, HTTPException
from typing import Any, List, Mapping, Optional, Tuple, Union
from urllib.parse import quote, urlencode, urlsplit

from ._errors import Refused, TanzaniteError

TIMEOUT_SECONDS = 60

Body = Union[Mapping[str, Any], List[Any], bytes, None]


class Control:
    """Sends requests to the emulator at an address such as ``http://127.0.0.1:49152``."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._netloc = urlsplit(self.url).netloc

    def ask(
        self,
        method: str,
        path: str,
        body: Body = None,
        query: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Returns the JSON of the response, or None if the response has no body. Raises Refused."""
        target = f"/_emulator/{path}"
        if query:
            target += "?" + urlencode(query, quote_via=quote)
        headers = {"Accept": "application/json"}
        token = os.environ.get("TANZANITE_CONTROL_TOKEN")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        content = body
        if isinstance(body, bytes):
            headers["Content-Type"] = "application/x-ndjson"
        elif body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode("utf-8")
        status, text = self._send(method, target, content, headers)
        if status >= 400:
            raise refusal_of(status, text)
        return json.loads(text) if text else None

    def _send(
        self, method: str, target: str, content: Any, headers: Mapping[str, str]
    ) -> Tuple[int, bytes]:
        connection = HTTPConnection(self._netloc, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, target, body=content, headers=dict(headers))
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException) as error:
            raise TanzaniteError(
                f"the emulator at {self.url} does not answer: {error}"
            ) from None
        finally:
            connection.close()


def name_in_path(name: str) -> str:
    return quote(name, safe="")


def refusal_of(status: int, text: bytes) -> Refused:
    try:
        error = json.loads(text)["error"]
        return Refused(
            str(error["message"]),
            status=status,
            code=str(error["code"]),
            line=error.get("line"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return Refused(f"the emulator answered {status}", status=status, code="Unknown")
