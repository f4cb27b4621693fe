"""Inserts, reads, writes, conditions and deletes of entities, and the keys they may have."""

from azure.core import MatchConditions
from azure.data.tables import UpdateMode

from checks import RUN, answer_of, check, entity, equal, new_key, properties_of, service, table



@check("returns the ETag of the insert in a get, made from the timestamp")
def _():
    key = new_key()
    inserted = table.create_entity(entity(*key, a=1))
    metadata = table.get_entity(*key).metadata
    equal(metadata["etag"], inserted["etag"])
    text = metadata["timestamp"].tables_service_value.replace(":", "%3A")
    equal(metadata["etag"], f"W/\"datetime'{text}'\"")


@check("echoes the inserted entity only if the client prefers content")
def _():
    inserted = table.create_entity(entity(*new_key(), a=1, b="two"), response_preference="return-content")
    equal({name: inserted["content"][name] for name in ("a", "b")}, {"a": 1, "b": "two"})
    equal(answer_of(table.create_entity, entity(*new_key()), response_preference="return-no-content"), "204")


@check("answers 409 EntityAlreadyExists if the key exists")
def _():
    taken = entity(*new_key())
    equal(answer_of(table.create_entity, taken), "201")
    equal(answer_of(table.create_entity, taken), "409 EntityAlreadyExists")


@check("answers 404 ResourceNotFound when the entity is missing")
def _():
    equal(answer_of(table.get_entity, *new_key()), "404 ResourceNotFound")


@check("returns only the selected properties in a get, null for one that the entity lacks")
def _():
    key = new_key()
    inserted = table.create_entity(entity(*key, a=1, b="two", c=True))
    found = table.get_entity(*key, select=["b", "absent"])
    equal(dict(found), {"b": "two", "absent": None})
    equal(found.metadata["etag"], inserted["etag"])


@check("returns only the selected properties in a list")
def _():
    small = service.create_table(f"pySelect{RUN}")
    first = small.create_entity(entity("p", "1", a=1, b="two"))
    second = small.create_entity(entity("p", "2", a=2))
    found = list(small.list_entities(select=["RowKey", "b"]))
    equal([dict(each) for each in found], [{"RowKey": "1", "b": "two"}, {"RowKey": "2", "b": None}])
    equal([each.metadata["etag"] for each in found], [first["etag"], second["etag"]])
    small.delete_table()


# Writes


def insert_old():
    key = new_key()
    table.create_entity(entity(*key, a=1, b="old"))
    return key


@check("replaces an entity: omitted properties are removed")
def _():
    key = insert_old()
    equal(answer_of(table.update_entity, entity(*key, b="new", c=3), mode=UpdateMode.REPLACE), "204")
    equal(properties_of(key), {"b": "new", "c": 3})


@check("merges into an entity: omitted properties stay")
def _():
    key = insert_old()
    equal(answer_of(table.update_entity, entity(*key, b="new", c=3), mode=UpdateMode.MERGE), "204")
    equal(properties_of(key), {"a": 1, "b": "new", "c": 3})


@check("answers 404 ResourceNotFound to an update of a missing entity")
def _():
    for mode in UpdateMode:
        equal(answer_of(table.update_entity, entity(*new_key(), a=1), mode=mode), "404 ResourceNotFound")


@check("inserts by an upsert when the entity is new")
def _():
    for mode in UpdateMode:
        key = new_key()
        equal(answer_of(table.upsert_entity, entity(*key, c=3), mode=mode), "204")
        equal(properties_of(key), {"c": 3})


@check("replaces by an upsert (replace) when the entity exists")
def _():
    key = insert_old()
    equal(answer_of(table.upsert_entity, entity(*key, c=3), mode=UpdateMode.REPLACE), "204")
    equal(properties_of(key), {"c": 3})


@check("merges by an upsert (merge) when the entity exists")
def _():
    key = insert_old()
    equal(answer_of(table.upsert_entity, entity(*key, c=3), mode=UpdateMode.MERGE), "204")
    equal(properties_of(key), {"a": 1, "b": "old", "c": 3})


# Conditions and deletes


def two_etags(key):
    """The condition on the ETag of the insert, now stale, and the one on the ETag after a write."""
    stale = table.create_entity(entity(*key, a=1))["etag"]
    current = table.update_entity(entity(*key, a=1))["etag"]
    equal(current != stale, True)
    return [{"etag": etag, "match_condition": MatchConditions.IfNotModified} for etag in (stale, current)]


@check("answers 412 UpdateConditionNotSatisfied to a stale update, and keeps the entity")
def _():
    for mode in UpdateMode:
        key = new_key()
        stale, current = two_etags(key)
        seen = answer_of(table.update_entity, entity(*key, a=2), mode=mode, **stale)
        equal(seen, "412 UpdateConditionNotSatisfied")
        found = table.get_entity(*key)
        equal((found["a"], found.metadata["etag"]), (1, current["etag"]))


@check("updates if the ETag is current, and returns a new one")
def _():
    for mode in UpdateMode:
        key = new_key()
        _, current = two_etags(key)
        updated = table.update_entity(entity(*key, a=2), mode=mode, **current)
        equal(updated["etag"] != current["etag"], True)
        found = table.get_entity(*key)
        equal((found["a"], found.metadata["etag"]), (2, updated["etag"]))


@check("answers 412 UpdateConditionNotSatisfied to a stale delete, and keeps the entity")
def _():
    key = new_key()
    stale, _ = two_etags(key)
    equal(answer_of(table.delete_entity, *key, **stale), "412 UpdateConditionNotSatisfied")
    equal(answer_of(table.get_entity, *key), "200")


@check("deletes when the ETag is current")
def _():
    key = new_key()
    _, current = two_etags(key)
    equal(answer_of(table.delete_entity, *key, **current), "204")
    equal(answer_of(table.get_entity, *key), "404 ResourceNotFound")


@check("deletes without a condition")
def _():
    key = insert_old()
    equal(answer_of(table.delete_entity, *key), "204")
    equal(answer_of(table.get_entity, *key), "404 ResourceNotFound")


@check("answers 404 ResourceNotFound if the entity to delete is missing")
def _():
    equal(answer_of(table.delete_entity, *new_key()), "404 ResourceNotFound")


# Keys

KEYS = {
    "single quotes": ("O'Neil", "''"),
    "the address syntax itself": ("a',RowKey='b", "') and (x eq '"),
    "percent signs": ("100%", "%25%2F%"),
    "plus signs and spaces": (" a+b c ", "+ %20+"),
    "punctuation": ("~!@$^&*()_-=[]{}|;:\",.<>`", "&=$@:,;"),
    "Unicode and emoji": ("Grüße 漢字", "👩‍🚀 \uffee"),
    "the empty string": ("", ""),
    "the empty string and text": ("", "row"),
    "text and the empty string": ("partition", ""),
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
    check(f"finds, changes and deletes an entity whose keys hold {name}")(lambda pair=pair: check_keys(pair))
