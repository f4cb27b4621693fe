import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.data.tables import TableServiceClient

from testcontainers.community.tanzanite import TanzaniteContainer

REX = {"PartitionKey": "dog", "RowKey": "rex", "age": 3}


def service_of(connection_string: str) -> TableServiceClient:
    return TableServiceClient.from_connection_string(connection_string, retry_total=0)


def test_docker_run_tanzanite():
    with TanzaniteContainer() as tanzanite:
        pets = service_of(tanzanite.get_connection_string()).create_table("pets")
        pets.create_entity(REX)
        assert pets.get_entity("dog", "rex")["age"] == 3


def test_each_name_is_an_account():
    with TanzaniteContainer() as tanzanite:
        first = service_of(tanzanite.get_connection_string("first")).create_table("pets")
        second = service_of(tanzanite.get_connection_string("second")).create_table("pets")
        first.create_entity(REX)
        with pytest.raises(ResourceNotFoundError):
            second.get_entity("dog", "rex")
        assert tanzanite.get_table_endpoint("first").endswith("/first")
        assert tanzanite.get_account_key() in tanzanite.get_connection_string()


def test_seeded_tables(tmp_path):
    tmp_path.joinpath("pets.ndjson").write_text('{"PartitionKey":"dog","RowKey":"rex","age":3}\n')
    with TanzaniteContainer().with_seed(tmp_path) as tanzanite:
        pets = service_of(tanzanite.get_connection_string()).get_table_client("pets")
        assert pets.get_entity("dog", "rex")["age"] == 3


def test_faults_and_the_clock():
    with TanzaniteContainer() as tanzanite:
        tanzanite.control("POST", "clock", {"now": "2030-01-31T12:00:00Z"})
        fault = {"kind": "error", "code": "ServerBusy"}
        tanzanite.control("POST", "faults", {"match": {"operation": "InsertEntity"}, "when": {"first": 1}, "fault": fault})
        pets = service_of(tanzanite.get_connection_string()).create_table("pets")
        with pytest.raises(HttpResponseError) as refused:
            pets.create_entity(REX)
        assert refused.value.status_code == 503
        pets.create_entity(REX)
        assert pets.get_entity("dog", "rex").metadata["timestamp"].year == 2030


def test_flags_and_another_port():
    container = TanzaniteContainer(port=11002, control_token="a-token-for-this-test").with_flags("--table-delete-delay", "40")
    with container as tanzanite:
        service = service_of(tanzanite.get_connection_string())
        service.create_table("pets")
        service.delete_table("pets")
        with pytest.raises(HttpResponseError) as refused:
            service.create_table("pets")
        assert refused.value.status_code == 409
        with pytest.raises(RuntimeError, match="status 400"):
            tanzanite.control("POST", "clock", {"now": "yesterday"})
        tanzanite.control_token = "another-token-than-that"
        with pytest.raises(RuntimeError, match="status 401"):
            tanzanite.control("GET", "clock")
