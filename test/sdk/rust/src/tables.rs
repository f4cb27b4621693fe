use azure_storage::prelude::StorageCredentials;
use futures::StreamExt;
use serde_json::json;

use crate::checks::*;

pub async fn run() {
    check("table-create", async {
        let name = unique("Created");
        let created = service().table_client(&name).create().await.unwrap();
        assert_eq!(created.table.name, name);
        service().table_client(name).delete().await.unwrap();
    })
    .await;
    check("table-create-again", async {
        assert_eq!(answer_of(table().create().await), "409 TableAlreadyExists");
    })
    .await;
    check("table-list", async {
        let names = ["ListA", "ListB", "ListC"].map(unique);
        for name in &names {
            service().table_client(name).create().await.unwrap();
        }
        let mut listed = table_names(2).await;
        listed.retain(|name| names.contains(name));
        assert_eq!(listed, names);
        for name in &names {
            service().table_client(name).delete().await.unwrap();
        }
    })
    .await;
    check("table-delete", async {
        let name = unique("Deleted");
        service().table_client(&name).create().await.unwrap();
        assert_eq!(answer_of(service().table_client(&name).delete().await), "done");
        assert!(!table_names(1000).await.contains(&name));
    })
    .await;
    check("table-delete-missing", async {
        assert_eq!(
            answer_of(service().table_client(unique("Missing")).delete().await),
            "404 ResourceNotFound"
        );
    })
    .await;
    check("table-missing", async {
        let missing = service().table_client(unique("Missing"));
        assert_eq!(
            answer_of(insert_into(&missing, &Key::random(), json!({})).await),
            "404 TableNotFound"
        );
    })
    .await;
    check("wrong-key", async {
        let wrong = StorageCredentials::access_key(part_of("AccountName"), "d3Jvbmcga2V5");
        let stranger = service_with(wrong).table_client(unique(""));
        assert_eq!(read(&stranger, &Key::random()).await, "403 AuthenticationFailed");
    })
    .await;
}

async fn table_names(page_size: u32) -> Vec<String> {
    let mut names = Vec::new();
    let mut pages = service().list().top(page_size).into_stream();
    while let Some(page) = pages.next().await {
        let tables = page.unwrap().tables;
        assert!(tables.len() <= page_size as usize);
        names.extend(tables.into_iter().map(|table| table.name));
    }
    names
}
