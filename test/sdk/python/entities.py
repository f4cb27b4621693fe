"""Inserts, reads, writes, conditions and deletes of entities, and the keys they may have."""

from datetime import datetime, timezone
from uuid import UUID

from azure.core import MatchConditions
from azure.data.tables import EdmType, EntityProperty, UpdateMode

from checks import RUN, answer_of, check, entity, equal, new_key, properties_of, service, table



@check("get-etag")
def _():
    key = new_key()
    inserted = table.create_entity(entity(*key, a=1))
    metadata = table.get_entity(*key).metadata
    equal(metadata["etag"], inserted["etag"])
    text = metadata["timestamp"].tables_service_value.replace(":", "%3A")
    equal(metadata["etag"], f"W/\"datetime'{text}'\"")


@check("insert-echo")
def _():
    inserted = table.create_entity(entity(*new_key(), a=1, b="two"), response_preference="return-content")
    equal({name: inserted["content"][name] for name in ("a", "b")}, {"a": 1, "b": "two"})
    equal(answer_of(table.create_entity, entity(*new_key()), response_preference="return-no-content"), "204")


@check("insert-existing")
def _():
    taken = entity(*new_key())
    equal(answer_of(table.create_entity, taken), "201")
    equal(answer_of(table.create_entity, taken), "409 EntityAlreadyExists")


@check("get-missing")
def _():
    equal(answer_of(table.get_entity, *new_key()), "404 ResourceNotFound")


@check("get-select")
def _():
    key = new_key()
    inserted = table.create_entity(entity(*key, a=1, b="two", c=True))
    found = table.get_entity(*key, select=["b", "absent"])
    equal(dict(found), {"b": "two", "absent": None})
    equal(found.metadata["etag"], inserted["etag"])


@check("list-select")
def _():
    small = service.create_table(f"pySelect{RUN}")
    first = small.create_entity(entity("p", "1", a=1, b="two"))
    second = small.create_entity(entity("p", "2", a=2))
    found = list(small.list_entities(select=["RowKey", "b"]))
    equal([dict(each) for each in found], [{"RowKey": "1", "b": "two"}, {"RowKey": "2", "b": None}])
    equal([each.metadata["etag"] for each in found], [first["etag"], second["etag"]])
    small.delete_table()


@check("list-filter")
def _():
    partition = "it's"
    values = {
        "text": "O'Neil",
        "flag": True,
        "int": 5,
        "long": EntityProperty(2**53 + 1, EdmType.INT64),
        "double": 1.5,
        "when": datetime(2024, 5, 1, 10, 0, 0, 250_000, tzinfo=timezone.utc),
        "guid": UUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
        "bytes": bytes([1, 2, 254]),
    }
    table.create_entity(entity(partition, "all", **values))
    for name in values:
        table.create_entity(entity(partition, name, **{**values, name: None}))
    conditions = " and ".join(f"{name} eq @{name}" for name in values)
    parameters = {**values, "partition": partition, "long": values["long"].value}
    found = table.query_entities(f"PartitionKey eq @partition and {conditions}", parameters=parameters)
    equal([each["RowKey"] for each in found], ["all"])


# Writes


def insert_old():
    key = new_key()
    table.create_entity(entity(*key, a=1, b="old"))
    return key


@check("update-replace")
def _():
    key = insert_old()
    equal(answer_of(table.update_entity, entity(*key, b="new", c=3), mode=UpdateMode.REPLACE), "204")
    equal(properties_of(key), {"b": "new", "c": 3})


@check("update-merge")
def _():
    key = insert_old()
    equal(answer_of(table.update_entity, entity(*key, b="new", c=3), mode=UpdateMode.MERGE), "204")
    equal(properties_of(key), {"a": 1, "b": "new", "c": 3})


@check("update-missing")
def _():
    for mode in UpdateMode:
        equal(answer_of(table.update_entity, entity(*new_key(), a=1), mode=mode), "404 ResourceNotFound")


@check("upsert-insert")
def _():
    for mode in UpdateMode:
        key = new_key()
        equal(answer_of(table.upsert_entity, entity(*key, c=3), mode=mode), "204")
        equal(properties_of(key), {"c": 3})


@check("upsert-replace")
def _():
    key = insert_old()
    equal(answer_of(table.upsert_entity, entity(*key, c=3), mode=UpdateMode.REPLACE), "204")
    equal(properties_of(key), {"c": 3})


@check("upsert-merge")
def _():
    key = insert_old()
    equal(answer_of(table.upsert_entity, entity(*key, c=3), mode=UpdateMode.MERGE), "204")
    equal(properties_of(key), {"a": 1, "b": "old", "c": 3})


# Conditions and deletes


def two_etags(key):
    """A condition with the ETag of the insert, which is stale after a write, and a condition with the ETag after the write."""
    stale = table.create_entity(entity(*key, a=1))["etag"]
    current = table.update_entity(entity(*key, a=1))["etag"]
    equal(current != stale, True)
    return [{"etag": etag, "match_condition": MatchConditions.IfNotModified} for etag in (stale, current)]


@check("update-stale")
def _():
    for mode in UpdateMode:
        key = new_key()
        stale, current = two_etags(key)
        seen = answer_of(table.update_entity, entity(*key, a=2), mode=mode, **stale)
        equal(seen, "412 UpdateConditionNotSatisfied")
        found = table.get_entity(*key)
        equal((found["a"], found.metadata["etag"]), (1, current["etag"]))


@check("update-current")
def _():
    for mode in UpdateMode:
        key = new_key()
        _, current = two_etags(key)
        updated = table.update_entity(entity(*key, a=2), mode=mode, **current)
        equal(updated["etag"] != current["etag"], True)
        found = table.get_entity(*key)
        equal((found["a"], found.metadata["etag"]), (2, updated["etag"]))


@check("delete-stale")
def _():
    key = new_key()
    stale, _ = two_etags(key)
    equal(answer_of(table.delete_entity, *key, **stale), "412 UpdateConditionNotSatisfied")
    equal(answer_of(table.get_entity, *key), "200")


@check("delete-current")
def _():
    key = new_key()
    _, current = two_etags(key)
    equal(answer_of(table.delete_entity, *key, **current), "204")
    equal(answer_of(table.get_entity, *key), "404 ResourceNotFound")


@check("delete-any")
def _():
    key = insert_old()
    equal(answer_of(table.delete_entity, *key), "204")
    equal(answer_of(table.get_entity, *key), "404 ResourceNotFound")


@check("delete-missing")
def _():
    equal(answer_of(table.delete_entity, *new_key()), "404 ResourceNotFound")


# Keys

KEYS = {
    "key-quotes": ("O'Neil", "''"),
    "key-address": ("a',RowKey='b", "') and (x eq '"),
    "key-percent": ("100%", "%25%2F%"),
    "key-plus": (" a+b c ", "+ %20+"),
    "key-punctuation": ("~!@$^&*()_-=[]{}|;:\",.<>`", "&=$@:,;"),
    "key-unicode": ("Grüße 漢字", "👩‍🚀 \uffee"),
    "key-empty": ("", ""),
    "key-empty-partition": ("", "row"),
    "key-empty-row": ("partition", ""),
}


def check_keys(key):
    table.create_entity(entity(*key, a=1))
    equal(dict(table.get_entity(*key)), entity(*key, a=1))
    table.update_entity(entity(*key, a=2), mode=UpdateMode.REPLACE)
    table.upsert_entity(entity(*key, b=3), mode=UpdateMode.MERGE)
    equal(dict(table.get_entity(*key)), entity(*key, a=2, b=3))
    listed = [(found["PartitionKey"], found["RowKey"]) for found in table.list_entities()]
    equal(listed.count(key), 1)
    table.delete_entity(*key)
    equal(answer_of(table.get_entity, *key), "404 ResourceNotFound")


for name, pair in KEYS.items():
    check(name)(lambda pair=pair: check_keys(pair))
