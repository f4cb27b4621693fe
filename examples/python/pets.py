"""A program that keeps pets in a table. Its tests are in test_pets.py."""

from azure.core import MatchConditions
from azure.data.tables import TableServiceClient, UpdateMode


class Pets:
    def __init__(self, service: TableServiceClient) -> None:
        self._table = service.create_table_if_not_exists("pets")

    def add(self, kind: str, name: str, age: int) -> None:
        self._table.create_entity({"PartitionKey": kind, "RowKey": name, "age": age})

    def of_kind(self, kind: str) -> "list[str]":
        found = self._table.query_entities("PartitionKey eq @kind", parameters={"kind": kind})
        return [pet["RowKey"] for pet in found]

    def has_birthday(self, kind: str, name: str) -> int:
        pet = self._table.get_entity(kind, name)
        pet["age"] += 1
        self._table.update_entity(
            pet, UpdateMode.MERGE, etag=pet.metadata["etag"], match_condition=MatchConditions.IfNotModified
        )
        return int(pet["age"])
