"""What every check uses: the list of checks, the clients, and the response that the server sent."""

import json
import os
import traceback
import uuid

from azure.core.exceptions import HttpResponseError
from azure.data.tables import TableServiceClient

RUN = uuid.uuid4().hex[:8]

CONNECTION_STRING = os.environ["TABLES_CONNECTION_STRING"]

service = TableServiceClient.from_connection_string(CONNECTION_STRING)
table = service.get_table_client(f"py{RUN}")
registered = []


def check(name):
    """A decorator that makes a function the check of this scenario."""

    def register(function):
        registered.append((name, function))
        return function

    return register


def run_all():
    """Runs the checks in turn, and prints one JSON object per line, which the test reads."""
    table.create_table()
    for name, function in registered:
        report = {"check": name, "ok": True}
        try:
            function()
        except Exception:  # A check may fail in any way. Every failure is reported.
            report = {"check": name, "ok": False, "error": traceback.format_exc()}
        print(json.dumps(report), flush=True)
    table.delete_table()


def equal(seen, expected):
    """Compares values with their types: 5 is not equal to 5.0."""
    if type(seen) is not type(expected) or seen != expected:
        raise AssertionError(f"saw {seen!r}, expected {expected!r}")


def answer_of(call, *args, **kwargs):
    """The response that the server sent, '204' or '409 EntityAlreadyExists'. delete_table and delete_entity would hide a 404."""
    seen = []
    try:
        call(*args, raw_response_hook=lambda response: seen.append(response.http_response), **kwargs)
    except HttpResponseError as error:
        seen.append(error.response)
    if not seen:
        raise AssertionError("the call ended without an answer")
    response = seen[-1]
    if response.status_code < 400:
        return str(response.status_code)
    return f"{response.status_code} {json.loads(response.text())['odata.error']['code']}"


def entity(partition_key, row_key, **properties):
    return {"PartitionKey": partition_key, "RowKey": row_key, **properties}


def new_key():
    return "python", uuid.uuid4().hex


def properties_of(key):
    """The properties of a stored entity, without its keys."""
    found = table.get_entity(*key)
    return {name: value for name, value in found.items() if name not in ("PartitionKey", "RowKey")}
