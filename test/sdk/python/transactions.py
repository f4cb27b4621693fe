"""Transactions: either all operations are carried out or none, and the error is that of the failed operation."""

import uuid

from azure.data.tables import TableTransactionError, UpdateMode

from checks import check, entity, equal, table


def new_partition(*row_keys):
    partition = uuid.uuid4().hex
    for row_key in row_keys:
        table.create_entity(entity(partition, row_key, a=1, b="old"))
    return partition


def rows_of(partition):
    """The properties of all entities in a partition, by row key."""
    found = table.query_entities("PartitionKey eq @pk", parameters={"pk": partition})
    return {
        each["RowKey"]: {name: value for name, value in each.items() if name not in ("PartitionKey", "RowKey")}
        for each in found
    }


def failure_of(operations):
    """Status, code and index of the operation that failed."""
    try:
        table.submit_transaction(operations)
    except TableTransactionError as error:
        return error.status_code, str(error.error_code), error.index
    raise AssertionError("the transaction did not fail")


@check("transaction-kinds")
def _():
    partition = new_partition("gone", "merged", "replaced")
    answers = table.submit_transaction(
        [
            ("create", entity(partition, "new", c=3)),
            ("delete", entity(partition, "gone")),
            ("update", entity(partition, "merged", c=3), {"mode": UpdateMode.MERGE}),
            ("update", entity(partition, "replaced", c=3), {"mode": UpdateMode.REPLACE}),
            ("upsert", entity(partition, "upserted", c=3), {"mode": UpdateMode.MERGE}),
        ]
    )
    equal(len(answers), 5)
    equal(answers[0]["etag"], table.get_entity(partition, "new").metadata["etag"])
    equal(
        rows_of(partition),
        {"merged": {"a": 1, "b": "old", "c": 3}, "new": {"c": 3}, "replaced": {"c": 3}, "upserted": {"c": 3}},
    )


@check("transaction-100")
def _():
    partition = new_partition()
    answers = table.submit_transaction([("create", entity(partition, f"{row:03}", a=row)) for row in range(100)])
    equal(len(answers), 100)
    equal([properties["a"] for properties in rows_of(partition).values()], list(range(100)))


@check("transaction-fails")
def _():
    partition = new_partition("taken")
    new = ("create", entity(partition, "new"))
    equal(failure_of([new, ("create", entity(partition, "taken"))]), (409, "EntityAlreadyExists", 1))
    operations = [new, ("upsert", entity(partition, "x")), ("update", entity(partition, "none"))]
    equal(failure_of(operations), (404, "ResourceNotFound", 2))
    equal(rows_of(partition), {"taken": {"a": 1, "b": "old"}})
