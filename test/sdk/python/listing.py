"""Tables, and lists of entities: pages, their order and their ends."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from azure.data.tables import TableClient

from checks import CONNECTION_STRING, RUN, answer_of, check, entity, equal, service, table

ENTITY_COUNT = 2_500
INSERTS_AT_ONCE = 8
PARTITIONS = ["", "10", "9", "A", "B", "_", "a", "b", "Ä", "漢"]



@check("table-create")
def _():
    equal(answer_of(service.create_table, f"pyCreated{RUN}"), "201")
    service.delete_table(f"pyCreated{RUN}")


@check("table-create-again")
def _():
    equal(answer_of(table.create_table), "409 TableAlreadyExists")


@check("table-list")
def _():
    names = [f"pyList{letter}{RUN}" for letter in "ABC"]
    for name in names:
        service.create_table(name)
    pages = [[found.name for found in page] for page in service.list_tables(results_per_page=2).by_page()]
    equal([len(page) <= 2 for page in pages], [True] * len(pages))
    equal([name for page in pages for name in page if name in names], names)
    for name in names:
        service.delete_table(name)


@check("table-delete")
def _():
    name = f"pyDeleted{RUN}"
    service.create_table(name)
    equal(answer_of(service.delete_table, name), "204")
    equal(name in [found.name for found in service.list_tables()], False)


@check("table-delete-missing")
def _():
    equal(answer_of(service.delete_table, f"pyMissing{RUN}"), "404 ResourceNotFound")


@check("table-missing")
def _():
    missing = service.get_table_client(f"pyMissing{RUN}")
    equal(answer_of(missing.create_entity, entity("p", "r")), "404 TableNotFound")


@check("wrong-key")
def _():
    wrong = re.sub("AccountKey=[^;]+", "AccountKey=d3Jvbmcga2V5", CONNECTION_STRING)
    stranger = TableClient.from_connection_string(wrong, table.table_name)
    equal(answer_of(stranger.get_entity, "p", "r"), "403 AuthenticationFailed")


def key_of(number):
    """The keys of entity n. The stride scatters the order of inserts. Row keys without leading zeros sort in another order than numbers."""
    scattered = number * 7919 % ENTITY_COUNT
    return PARTITIONS[scattered % len(PARTITIONS)], str(scattered)


@cache
def many_pages():
    """The pages. Each is a list of ((PartitionKey, RowKey), number)."""
    many = service.create_table(f"pyMany{RUN}")
    with ThreadPoolExecutor(INSERTS_AT_ONCE) as pool:
        inserted = pool.map(lambda number: many.create_entity(entity(*key_of(number), n=number)), range(ENTITY_COUNT))
        equal(len(list(inserted)), ENTITY_COUNT)
    pages = many.list_entities(results_per_page=1000).by_page()
    result = [[((found["PartitionKey"], found["RowKey"]), found["n"]) for found in page] for page in pages]
    many.delete_table()
    return result


@check("page-size")
def _():
    equal([len(page) for page in many_pages() if len(page) > 1000], [])


@check("page-complete")
def _():
    listed = [found for page in many_pages() for found in page]
    equal(sorted(number for _, number in listed), list(range(ENTITY_COUNT)))
    equal([(key, number) for key, number in listed if key != key_of(number)], [])


@check("page-order")
def _():
    keys = [key for page in many_pages() for key, _ in page]
    equal([pair for pair in zip(keys, keys[1:]) if pair[0] >= pair[1]], [])


def page_lengths(name, keys, results_per_page):
    listed = service.create_table(f"{name}{RUN}")
    for key in keys:
        listed.create_entity(entity(*key))
    lengths = [len(list(page)) for page in listed.list_entities(results_per_page=results_per_page).by_page()]
    listed.delete_table()
    return lengths


@check("page-empty")
def _():
    equal(page_lengths("pyEmpty", [], None), [0])


@check("page-next-empty")
def _():
    keys = [("", ""), ("", "a"), ("", "b"), ("p", ""), ("p", "a")]
    equal(page_lengths("pyEnds", keys, 1), [1, 1, 1, 1, 1])


@check("page-full")
def _():
    equal(page_lengths("pyFull", [("", ""), ("", "a"), ("", "b"), ("", "c")], 2), [2, 2])
