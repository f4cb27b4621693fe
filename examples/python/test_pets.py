"""pip install pytest "tanzanite-emulator[tables]", then pytest"""

import pytest
from pets import Pets


def test_a_pet_is_kept(table_service):
    pets = Pets(table_service)
    pets.add("dog", "rex", 3)
    assert pets.of_kind("dog") == ["rex"]


def test_another_test_sees_none_of_it(table_service):
    assert Pets(table_service).of_kind("dog") == []


@pytest.mark.tanzanite(seed="data/pets.ndjson")
def test_a_pet_grows_older(table_service):
    assert Pets(table_service).has_birthday("dog", "rex") == 4


@pytest.mark.tanzanite(
    seed="data/pets.ndjson",
    faults={"match": {"operation": "MergeEntity"}, "when": {"first": 1}, "fault": {"kind": "error", "code": "ServerBusy"}},
)
def test_a_birthday_survives_a_busy_service(table_account):
    with table_account.service(retry_backoff_factor=0) as service:
        assert Pets(service).has_birthday("cat", "tom") == 6
