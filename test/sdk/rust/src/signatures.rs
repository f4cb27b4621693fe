//! Account signatures that the crate makes. It cannot make signatures for a table.

use azure_core::auth::Secret;
use azure_core::{Method, Request, Url};
use azure_data_tables::clients::TableServiceClient;
use azure_storage::prelude::StorageCredentials;
use azure_storage::shared_access_signature::account_sas::{
    AccountSasPermissions, AccountSasResource, AccountSasResourceType, AccountSharedAccessSignature,
};
use azure_storage::shared_access_signature::{SasProtocol, SasToken};
use futures::StreamExt;
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::checks::*;
use crate::transactions::insert_rows;

const MISMATCH: &str = "403 AuthorizationResourceTypeMismatch";
const REFUSED: &str = "403 AuthorizationPermissionMismatch";
const UNKNOWN: &str = "403 AuthenticationFailed";

pub async fn run() {
    check("sas-expired", async {
        let expired = holder(AccountSasResourceType::Object, -1, None);
        assert_eq!(answers_to(&expired).await, [UNKNOWN; 4]);
    })
    .await;
    check("sas-account", async {
        let of_tables = holder(AccountSasResourceType::Container, 1, None);
        assert_eq!(list_answer(&of_tables).await, "done");
        assert_eq!(answers_to(&of_tables).await, [MISMATCH; 4]);
        let of_entities = holder(AccountSasResourceType::Object, 1, None);
        assert_eq!(list_answer(&of_entities).await, MISMATCH);
        assert_eq!(answers_to(&of_entities).await, ["done", REFUSED, REFUSED, REFUSED]);
    })
    .await;
    check("sas-https", async {
        let https = holder(AccountSasResourceType::Container, 1, Some(SasProtocol::Https));
        assert_eq!(list_answer(&https).await, "403 AuthorizationProtocolMismatch");
    })
    .await;
    check("clock", turned_clock()).await;
}

/// A client that has only a signature with the permissions to read and list.
fn holder(resource: AccountSasResourceType, hours: i64, protocol: Option<SasProtocol>) -> TableServiceClient {
    let permissions = AccountSasPermissions {
        read: true,
        list: true,
        ..Default::default()
    };
    let expiry = OffsetDateTime::now_utc() + Duration::hours(hours);
    let key = Secret::from(part_of("AccountKey"));
    let table = AccountSasResource::Table;
    let signature =
        AccountSharedAccessSignature::new(part_of("AccountName"), key, table, resource, expiry, permissions);
    // For both protocols, the crate writes "http,https". The service documents "https,http".
    let token = match protocol {
        Some(protocol) => signature.protocol(protocol).token(),
        None => signature.token(),
    };
    let token = token.unwrap();
    service_with(StorageCredentials::sas_token(token).unwrap())
}

/// The responses to get, insert, merge and delete.
async fn answers_to(client: &TableServiceClient) -> [String; 4] {
    let partition = insert_rows(&["1"]).await;
    let (table, key) = (client.table_client(unique("")), Key::new(&partition, "1"));
    let stored = key.client(&table);
    [
        read(&table, &key).await,
        answer_of(insert_into(&table, &Key::new(&partition, "2"), json!({})).await),
        answer_of(
            stored
                .merge(key.entity(json!({"a": 2})), azure_data_tables::IfMatchCondition::Any)
                .unwrap()
                .await,
        ),
        answer_of(stored.delete().await),
    ]
}

async fn list_answer(client: &TableServiceClient) -> String {
    answer_of(client.list().into_stream().next().await.unwrap())
}

async fn turned_clock() {
    let key = Key::new(&insert_rows(&["1"]).await, "1");
    let reader = holder(AccountSasResourceType::Object, 1, None).table_client(unique(""));
    let before = day_of(&key).await;
    assert_eq!(read(&reader, &key).await, "done");
    turn_clock(Method::Post, r#"{"advanceMs":86400000}"#).await;
    let written = key
        .client(&table())
        .insert_or_replace(key.entity(json!({})))
        .unwrap()
        .await;
    let answer = read(&reader, &key).await;
    turn_clock(Method::Delete, "").await;
    written.unwrap();
    assert_eq!(answer, UNKNOWN);
    assert_ne!(day_of(&key).await, before);
    assert_eq!(read(&reader, &key).await, "done");
}

/// The day of an entity's timestamp.
async fn day_of(key: &Key) -> String {
    key.get().await["Timestamp"].as_str().unwrap()[..10].to_owned()
}

/// Sends a request to the clock in the emulator's control plane.
async fn turn_clock(method: Method, body: &'static str) {
    let address = Url::parse(&part_of("TableEndpoint"))
        .unwrap()
        .join("/_emulator/clock")
        .unwrap();
    let mut request = Request::new(address, method);
    if !body.is_empty() {
        request.insert_header("content-type", "application/json");
    }
    request.set_body(body);
    let response = azure_core::new_http_client().execute_request(&request).await.unwrap();
    assert_eq!(response.status() as u16, 200);
}
