"""The SDK dates and signs its requests by the machine's clock, even if the emulator's clock was changed."""

import json
import urllib.request
from contextlib import contextmanager
from urllib.parse import urlsplit

from checks import answer_of, check, entity, equal, new_key, table
from shared_access import endpoint, holder, token_for

DAY_MS = 86_400_000
address = f"{urlsplit(endpoint).scheme}://{urlsplit(endpoint).netloc}/_emulator/clock"


def ask(method, body=None):
    data, headers = None, {}
    if body is not None:
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    request = urllib.request.Request(address, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@contextmanager
def advanced(milliseconds):
    ask("POST", {"advanceMs": milliseconds})
    try:
        yield
    finally:
        ask("DELETE")


@check("clock")
def turned_clock():
    key = new_key()
    reader = holder(token_for("r"))
    table.create_entity(entity(*key))
    before = table.get_entity(*key).metadata["timestamp"]
    equal(answer_of(reader.get_entity, *key), "200")
    with advanced(DAY_MS):
        equal(answer_of(table.upsert_entity, entity(*key)), "204")
        equal(answer_of(reader.get_entity, *key), "403 AuthenticationFailed")
    later = table.get_entity(*key).metadata["timestamp"]
    equal((later - before).days, 1)
    equal(answer_of(reader.get_entity, *key), "200")
