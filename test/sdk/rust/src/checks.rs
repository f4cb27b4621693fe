//! What every check uses: the report of a check, the clients, and the response as a short text.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Mutex, OnceLock};

use azure_core::Etag;
use azure_data_tables::clients::{EntityClient, TableClient, TableServiceClient, TableServiceClientBuilder};
use azure_storage::prelude::StorageCredentials;
use azure_storage::CloudLocation;
use serde_json::{json, Map, Value};

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// A check fails by a panic. The text of the panic becomes the error in the report.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| *LAST_PANIC.lock().unwrap() = panic.to_string()));
}

pub async fn check(name: &str, body: impl Future<Output = ()> + Send + 'static) {
    let report = match tokio::spawn(body).await {
        Ok(()) => json!({"check": name, "ok": true}),
        Err(_) => json!({"check": name, "ok": false, "error": LAST_PANIC.lock().unwrap().clone()}),
    };
    println!("{report}");
}

/// The value of a part of the connection string.
pub fn part_of(name: &str) -> String {
    let text = std::env::var("TABLES_CONNECTION_STRING").unwrap();
    let prefix = format!("{name}=");
    let part = text.split(';').find_map(|part| part.strip_prefix(&prefix));
    part.unwrap_or_else(|| panic!("no {name}")).to_owned()
}

pub fn service_with(credentials: StorageCredentials) -> TableServiceClient {
    let location = CloudLocation::Custom {
        account: part_of("AccountName"),
        uri: part_of("TableEndpoint"),
    };
    TableServiceClientBuilder::with_location(location, credentials).build()
}

pub fn service() -> &'static TableServiceClient {
    static SERVICE: OnceLock<TableServiceClient> = OnceLock::new();
    SERVICE.get_or_init(|| {
        service_with(StorageCredentials::access_key(
            part_of("AccountName"),
            part_of("AccountKey"),
        ))
    })
}

/// A name that no other run of the program uses.
pub fn unique(name: &str) -> String {
    static RUN: OnceLock<String> = OnceLock::new();
    format!("rust{name}{}", RUN.get_or_init(random_name))
}

pub fn table() -> TableClient {
    service().table_client(unique(""))
}

pub fn random_name() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// `done`, or for a refusal a text such as `409 EntityAlreadyExists`. The crate reads the codes of only some refusals. For others, the
/// error's text contains the body, which is XML if the crate did not request a format.
pub fn answer_of<T>(result: azure_core::Result<T>) -> String {
    let Err(error) = result else { return "done".to_owned() };
    let refusal = error.as_http_error().unwrap_or_else(|| panic!("{error:?}"));
    let text = format!("{refusal}").replace('\\', "");
    let in_text = ["\"code\":\"", "<code>"]
        .iter()
        .find_map(|before| text.split(before).nth(1));
    let code = refusal
        .error_code()
        .or(in_text.and_then(|rest| rest.split(['"', '<']).next()));
    format!("{} {}", refusal.status() as u16, code.unwrap_or(&text))
}

#[derive(Clone)]
pub struct Key(pub String, pub String);

impl Key {
    pub fn new(partition: &str, row: &str) -> Key {
        Key(partition.to_owned(), row.to_owned())
    }

    pub fn random() -> Key {
        Key("rust".to_owned(), random_name())
    }

    pub fn client(&self, table: &TableClient) -> EntityClient {
        table.partition_key_client(&self.0).entity_client(&self.1)
    }

    /// An entity with these keys.
    pub fn entity(&self, properties: Value) -> Value {
        let mut entity = properties;
        entity["PartitionKey"] = json!(self.0);
        entity["RowKey"] = json!(self.1);
        entity
    }

    pub async fn insert(&self, properties: Value) -> Etag {
        insert_into(&table(), self, properties).await.unwrap()
    }

    pub async fn get(&self) -> Value {
        self.client(&table()).get::<Value>().await.unwrap().entity
    }

    pub async fn properties(&self) -> Value {
        properties_of(&self.get().await)
    }
}

pub async fn insert_into(table: &TableClient, key: &Key, properties: Value) -> azure_core::Result<Etag> {
    Ok(table.insert::<Value, Value>(key.entity(properties))?.await?.etag)
}

/// The response to a get.
pub async fn read(table: &TableClient, key: &Key) -> String {
    answer_of(key.client(table).get::<Value>().await)
}

/// The properties of an entity that the program has set, with the annotations of their types.
pub fn properties_of(found: &Value) -> Value {
    let own = |name: &str| {
        !name.starts_with("odata.") && !["PartitionKey", "RowKey", "Timestamp", "Timestamp@odata.type"].contains(&name)
    };
    let members = found.as_object().unwrap().clone().into_iter();
    Value::Object(members.filter(|(name, _)| own(name)).collect::<Map<_, _>>())
}

/// The properties of all entities in a partition, by row key.
pub async fn rows_of(partition: &str) -> Value {
    let mut rows = BTreeMap::new();
    for page in crate::pages::pages_of(table().query().filter(format!("PartitionKey eq '{partition}'"))).await {
        for found in page {
            rows.insert(found["RowKey"].as_str().unwrap().to_owned(), properties_of(&found));
        }
    }
    json!(rows)
}
