"""Tests azure-data-tables for Python, unmodified, against the server of TABLES_CONNECTION_STRING."""

# Importing a module registers its checks.
import entities  # noqa: F401
import listing  # noqa: F401
import property_types  # noqa: F401
import shared_access  # noqa: F401
import transactions  # noqa: F401
import clock  # noqa: F401, I001: must be last: timestamps stay in the future to which it sets the clock
from checks import run_all

run_all()
