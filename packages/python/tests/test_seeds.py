"""Files, folders and dictionaries that fill an account."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, Dict
from uuid import UUID

import pytest
from azure.data.tables import EdmType, EntityProperty
from tanzanite_emulator import Account, SeedFailed

DOG = {"PartitionKey": "dog", "RowKey": "rex", "age": 3}
LINE = json.dumps(DOG) + "\n"


def entity(account: Account, table: str = "pets") -> Dict[str, Any]:
    with account.service() as service:
        return dict(service.get_table_client(table).get_entity("dog", "rex"))


def tables(account: Account) -> int:
    with account.service() as service:
        return len(list(service.list_tables()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pets.ndjson", LINE),
        ("pets.jsonl", "\ufeff" + LINE.replace("\n", "\r\n") + "\n"),
        ("pets.json", json.dumps([DOG])),
        ("pets.json", json.dumps({"odata.metadata": "", "value": [DOG]})),
        ("pets.csv", "PartitionKey,RowKey,age,age@type\ndog,rex,3,Edm.Int32\n"),
    ],
)
def test_a_file_of_each_kind(account: Account, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    assert account.seed(tmp_path / name) == {"pets": 1}
    assert entity(account)["age"] == 3


def test_a_folder_with_access_policies(account: Account, tmp_path: Path) -> None:
    (tmp_path / "pets.ndjson").write_text(LINE)
    (tmp_path / "none.ndjson").write_text("")
    (tmp_path / "tables.json").write_text('{"pets": [{"id": "reader", "permission": "r", "expiry": "2030-01-31T00:00:00Z"}]}')
    (tmp_path / "README.md").write_text("")
    assert account.seed(tmp_path) == {"none": 0, "pets": 1}
    with account.service() as service:
        assert list(service.get_table_client("pets").get_table_access_policy()) == ["reader"]


def test_dictionaries_hold_what_the_client_takes(account: Account) -> None:
    values = {
        "text": "süß\u2028",
        "whole": 3,
        "large": 2**40,
        "ratio": 1.0,
        "endless": math.inf,
        "yes": True,
        "at": datetime(2030, 1, 31, 12, 30, 0, 5, tzinfo=timezone.utc),
        "id": UUID("a1b2c3d4-0000-4000-8000-000000000000"),
        "bytes": b"\x00\xff",
        "given": EntityProperty(5, EdmType.INT64),
    }
    assert account.seed({"pets": [{**DOG, **values, "none": None}]}) == {"pets": 1}
    found = entity(account)
    assert "none" not in found
    assert found["large"] == EntityProperty(2**40, EdmType.INT64)
    for name in ("text", "whole", "ratio", "endless", "yes", "id", "bytes", "given", "at"):
        assert found[name] == values[name], name


def test_a_large_table_comes_in_parts(account: Account) -> None:
    text = "x" * 30_000
    entities = [{"PartitionKey": "a", "RowKey": str(row), "text": text} for row in range(400)]
    assert account.seed({"large": entities}) == {"large": 400}


def test_a_table_that_exists_is_replaced(account: Account) -> None:
    account.seed({"pets": [DOG, {**DOG, "RowKey": "old"}], "others": [DOG]})
    account.seed({"pets": [DOG]})
    with account.service() as service:
        assert len(list(service.get_table_client("pets").list_entities())) == 1
        assert len(list(service.get_table_client("others").list_entities())) == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pets.ndjson", LINE + "{\n", r"pets\.ndjson, line 2: "),
        ("pets.ndjson", LINE + LINE, r"pets\.ndjson, line 2: "),
        ("pets.json", "[", r"pets\.json is not JSON"),
        ("pets.json", "3", r"pets\.json is neither an array"),
        ("pets.json", json.dumps([DOG, {}]), r"pets\.json, entity 2: "),
        ("p.ndjson", LINE, r"p\.ndjson: "),
        ("pets.csv", "PartitionKey\ndog\n", r"pets\.csv"),
        ("pets.txt", "", r"pets\.txt is no \.ndjson"),
    ],
)
def test_what_is_refused_names_its_place_and_changes_nothing(
    account: Account, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "first.ndjson").write_text(LINE)
    with pytest.raises(SeedFailed, match=message) as error:
        account.seed(tmp_path / "first.ndjson", tmp_path / name)
    assert "\n" not in str(error.value)
    assert tables(account) == 0


def test_what_is_not_there_is_named(account: Account, tmp_path: Path) -> None:
    with pytest.raises(SeedFailed, match="there is no file or folder"):
        account.seed(tmp_path / "absent.ndjson")
    with pytest.raises(SeedFailed, match="holds no file of a table"):
        account.seed(tmp_path)


@pytest.mark.parametrize("value", [date(2030, 1, 31), [], object()])
def test_a_value_that_a_table_cannot_hold_is_named(account: Account, value: object) -> None:
    with pytest.raises(SeedFailed, match="table pets: property wrong is of type"):
        account.seed({"pets": [{**DOG, "wrong": value}]})
    assert tables(account) == 0


def test_many_seeds_at_the_same_time_wait_for_each_other(account: Account) -> None:
    import threading

    failures = []

    def fill(at: int) -> None:
        try:
            account.seed({f"table{at}": [DOG] * 1})
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=fill, args=(at,)) for at in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (failures, tables(account)) == ([], 40)
