"""Testcontainers for Python: pip install pytest testcontainers azure-data-tables, then pytest test_tables.py"""

import pytest
from azure.data.tables import TableServiceClient
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import HttpWaitStrategy

IMAGE = "tanzanite/tanzanite"
PORT = 10002
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


@pytest.fixture(scope="session")
def connection_string():
    container = (
        DockerContainer(IMAGE)
        .with_command(["--inMemoryPersistence", "--silent"])
        .with_exposed_ports(PORT)
        .waiting_for(HttpWaitStrategy(PORT, "/_emulator/ready").for_status_code(200))
    )
    with container:
        host = f"{container.get_container_host_ip()}:{container.get_exposed_port(PORT)}"
        yield (
            f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};"
            f"TableEndpoint=http://{host}/{ACCOUNT};"
        )


def test_an_entity_comes_back(connection_string):
    pets = TableServiceClient.from_connection_string(connection_string).create_table("pets")
    pets.create_entity({"PartitionKey": "dog", "RowKey": "rex", "age": 3})
    assert pets.get_entity("dog", "rex")["age"] == 3
