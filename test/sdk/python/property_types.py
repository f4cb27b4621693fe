"""Every Edm type that the SDK can express is written and read back."""

import uuid
from datetime import datetime, timezone
from math import inf, isnan, nan

from azure.data.tables import EdmType, EntityProperty

from checks import check, entity, equal, new_key, properties_of, table



def read_back(value):
    key = new_key()
    table.create_entity(entity(*key, value=value))
    return properties_of(key).get("value")


def reads_back(*values):
    for value in values:
        equal(read_back(value), value)


@check("type-string")
def _():
    reads_back("plain", "", " \"quoted\" \\ 'single' ", "one\r\ntwo\ttab", "2024-05-01T10:00:00Z", "42")


@check("type-unicode")
def _():
    reads_back("Grüße, 漢字, עברית, 👩‍🚀 \u2028 \uffee")


@check("type-boolean")
def _():
    reads_back(True, False)


@check("type-int32")
def _():
    reads_back(0, 42, 2**31 - 1, -(2**31))


@check("type-int64")
def _():
    for number in (2**53 + 1, 2**63 - 1, -(2**63), 7):
        reads_back(EntityProperty(number, EdmType.INT64))


@check("type-double")
def _():
    reads_back(0.1, -2.5, 1.7976931348623157e308, 5e-324, 1234567890123456.8)


@check("type-double-whole")
def _():
    reads_back(5.0, 0.0, 1e15, 123456789012345680.0)


@check("type-double-special")
def _():
    reads_back(inf, -inf)
    equal(isnan(read_back(nan)), True)


@check("type-datetime")
def _():
    found = read_back(datetime(2024, 5, 1, 10, 0, 0, 250_000, tzinfo=timezone.utc))
    equal(found == datetime(2024, 5, 1, 10, 0, 0, 250_000, tzinfo=timezone.utc), True)
    for text in ("2024-05-01T10:00:00.1234567Z", "1601-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999Z"):
        equal(read_back(EntityProperty(text, EdmType.DATETIME)).tables_service_value, text)


@check("type-guid")
def _():
    reads_back(uuid.UUID("c9da6455-213d-42c9-9a79-3e9149a57833"))


@check("type-binary")
def _():
    reads_back(bytes(range(256)), b"")


@check("type-null")
def _():
    equal(read_back(None), None)
