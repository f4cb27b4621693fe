"""A test suite for unittest. The variable SUITE chooses what it does: pass, fail, findings or hang."""

import os
import time
import unittest

from azure.data.tables import TableClient

mode = os.environ["SUITE"]


class Suite(unittest.TestCase):
    def test_an_entity_is_read_as_it_was_written(self) -> None:
        with TableClient.from_connection_string(os.environ["MY_TABLES"], "Suites") as table:
            table.create_table()
            table.create_entity({"PartitionKey": "a", "RowKey": "1", "age": 3})
            self.assertEqual(table.get_entity("a", "1")["age"], 4 if mode == "fail" else 3)
            if mode == "findings":
                found = list(table.query_entities("RowKey eq '1' or RowKey eq '2'"))
                self.assertEqual(len(found), 1)
        if mode == "hang":
            print("hanging", flush=True)
            time.sleep(600)


unittest.main()
