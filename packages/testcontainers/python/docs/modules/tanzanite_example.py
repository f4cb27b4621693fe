from azure.data.tables import TableServiceClient

from testcontainers.community.tanzanite import TanzaniteContainer


def basic_example():
    with TanzaniteContainer() as tanzanite:
        service = TableServiceClient.from_connection_string(tanzanite.get_connection_string())
        pets = service.create_table("pets")
        pets.create_entity({"PartitionKey": "dog", "RowKey": "rex", "age": 3})
        print(f"Age: {pets.get_entity('dog', 'rex')['age']}")


def account_example():
    with TanzaniteContainer() as tanzanite:
        # Every account name is accepted, so each test can have its own account
        service = TableServiceClient.from_connection_string(tanzanite.get_connection_string("worker1"))
        print(f"Tables: {list(service.list_tables())}")


def control_example():
    with TanzaniteContainer() as tanzanite:
        # The first insert fails, and the emulator's clock is a day ahead
        fault = {"kind": "error", "code": "ServerBusy"}
        rule = {"match": {"operation": "InsertEntity"}, "when": {"first": 1}, "fault": fault}
        tanzanite.control("POST", "faults", rule)
        tanzanite.control("POST", "clock", {"advanceMs": 86_400_000})
        print(f"Clock: {tanzanite.control('GET', 'clock')}")


if __name__ == "__main__":
    basic_example()
    account_example()
    control_example()
