"""Each signature that the SDK makes allows what it says, and nothing else."""

import uuid
from datetime import datetime, timedelta, timezone

from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import HttpResponseError
from azure.data.tables import (
    AccountSasPermissions,
    ResourceTypes,
    TableAccessPolicy,
    TableClient,
    TableSasPermissions,
    TableServiceClient,
    generate_account_sas,
    generate_table_sas,
)

from checks import CONNECTION_STRING, answer_of, check, entity, equal, table

parts = dict(part.split("=", 1) for part in CONNECTION_STRING.split(";"))
endpoint = parts["TableEndpoint"]
credential = AzureNamedKeyCredential(parts["AccountName"], parts["AccountKey"])


def in_hours(hours):
    return datetime.now(timezone.utc) + timedelta(hours=hours)


def holder(token):
    return TableClient(endpoint, table.table_name, credential=AzureSasCredential(token))


def service_holder(token):
    return TableServiceClient(endpoint, credential=AzureSasCredential(token))


def token_for(permission, **others):
    return generate_table_sas(
        credential,
        table.table_name,
        permission=TableSasPermissions(_str=permission),
        expiry=others.pop("expiry", in_hours(1)),
        **others,
    )


def answers_to(client, partition):
    """The responses to a get, an insert, an update and a delete."""
    return [
        answer_of(client.get_entity, partition, "1"),
        answer_of(client.create_entity, entity(partition, uuid.uuid4().hex)),
        answer_of(client.update_entity, entity(partition, "1", n=2)),
        answer_of(client.delete_entity, partition, "1"),
    ]


def new_partition():
    partition = uuid.uuid4().hex
    table.create_entity(entity(partition, "1", n=1))
    return partition


REFUSED = "403 AuthorizationPermissionMismatch"


@check("sas-table")
def _():
    equal(answers_to(holder(token_for("r")), new_partition()), ["200", REFUSED, REFUSED, REFUSED])
    equal(answers_to(holder(token_for("a")), new_partition()), [REFUSED, "201", REFUSED, REFUSED])
    equal(answers_to(holder(token_for("raud")), new_partition()), ["200", "201", "204", "204"])


@check("sas-range")
def _():
    inside, outside = new_partition(), new_partition()
    client = holder(token_for("raud", start_pk=inside, end_pk=inside))
    equal([found["PartitionKey"] for found in client.list_entities()], [inside])
    failure = "403 AuthorizationFailure"
    equal(answers_to(client, outside), ["404 ResourceNotFound", failure, failure, failure])
    equal(answers_to(client, inside), ["200", "201", "204", "204"])


@check("sas-expired")
def _():
    client = holder(token_for("raud", expiry=in_hours(-1)))
    equal(answers_to(client, new_partition()), ["403 AuthenticationFailed"] * 4)


@check("sas-account")
def _():
    def account_holder(resources, permission):
        permissions = AccountSasPermissions.from_string(permission)
        token = generate_account_sas(credential, ResourceTypes.from_string(resources), permissions, in_hours(1))
        return token

    tables = service_holder(account_holder("c", "rl")).list_tables()
    equal(table.table_name in [found.name for found in tables], True)
    refused = "403 AuthorizationResourceTypeMismatch"
    equal(answers_to(holder(account_holder("c", "rwdlau")), new_partition()), [refused] * 4)
    equal(answers_to(holder(account_holder("o", "r")), new_partition()), ["200", REFUSED, REFUSED, REFUSED])
    try:
        list(service_holder(account_holder("o", "rl")).list_tables())
    except HttpResponseError as error:
        equal(error.status_code, 403)
    else:
        raise AssertionError("the list was given")


@check("sas-https")
def _():
    permissions = AccountSasPermissions(read=True)
    token = generate_account_sas(credential, ResourceTypes(object=True), permissions, in_hours(1), protocol="https")
    equal(answer_of(holder(token).get_entity, "p", "1"), "403 AuthorizationProtocolMismatch")


@check("sas-policy")
def _():
    policy = TableAccessPolicy(expiry=in_hours(1), permission="r")
    table.set_table_access_policy({"readers": policy})
    client = holder(generate_table_sas(credential, table.table_name, policy_id="readers"))
    equal(answers_to(client, new_partition()), ["200", REFUSED, REFUSED, REFUSED])
    table.set_table_access_policy({})
    equal(answer_of(client.get_entity, "p", "1"), "403 AuthenticationFailed")
