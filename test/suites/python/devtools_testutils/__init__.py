"""Replaces the SDK's test helpers, which are not published. Tests run live: nothing is recorded or replayed."""

import functools
import inspect
import os
import zlib

import pytest
from azure.identity import DefaultAzureCredential
from azure.identity.aio import DefaultAzureCredential as AsyncDefaultAzureCredential


def is_live():
    return True


class AzureRecordedTestCase:
    is_live = True

    def get_resource_name(self, prefix):
        """A name that does not change during a test and differs between tests."""
        test = os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0]
        return f"{prefix}{zlib.crc32(test.encode()):08x}"

    def generate_sas(self, generate, *args, **kwargs):
        """Makes a signature with one of the SDK's functions. A recording would contain a fake value instead."""
        kwargs.pop("fake_value", None)
        return generate(*args, **kwargs)

    def sleep(self, seconds):
        """Does not wait. The tests wait for the service to apply a change; the emulator has applied it when it answers."""


class PowerShellPreparer:
    """Passes a test the values that deployment scripts write into environment variables of the same names."""

    def __init__(self, _service, **placeholders):
        self.names = placeholders

    def __call__(self, test):
        def arguments(given):
            return {**given, **{name: os.environ[name.upper()] for name in self.names}}

        if inspect.iscoroutinefunction(test):

            async def prepared(*args, **kwargs):
                return await test(*args, **arguments(kwargs))

        else:

            def prepared(*args, **kwargs):
                return test(*args, **arguments(kwargs))

        # With __wrapped__, pytest would take the parameters of the test for fixtures.
        functools.update_wrapper(prepared, test)
        del prepared.__wrapped__
        return prepared


def recorded_by_proxy(test):
    return test


class ResponseCallback:
    """A response hook that changes a status, and counts responses."""

    def __init__(self, status=None, new_status=None):
        self.status = status
        self.new_status = new_status
        self.first = True
        self.count = 0

    def override_status(self, response):
        self.count += 1
        if response.http_response.status_code == self.status:
            response.http_response.status_code = self.new_status
            self.first = False

    def override_first_status(self, response):
        if self.first:
            self.override_status(response)
        else:
            self.count += 1


@pytest.fixture(scope="session")
def test_proxy():
    """Replaces the fixture of the recording proxy, which does not run."""


def _nothing_to_record(*_args, **_kwargs):
    pass


add_general_regex_sanitizer = _nothing_to_record
add_body_key_sanitizer = _nothing_to_record
add_oauth_response_sanitizer = _nothing_to_record
remove_batch_sanitizers = _nothing_to_record
set_custom_default_matcher = _nothing_to_record


def get_credential(is_async=False):
    return (AsyncDefaultAzureCredential if is_async else DefaultAzureCredential)()
