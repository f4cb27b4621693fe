//! Lists of entities: pages, their order and their ends.

use azure_data_tables::operations::QueryEntityBuilder;
use futures::{stream, StreamExt};
use serde_json::{json, Value};

use crate::checks::*;

const ENTITY_COUNT: usize = 2_500;
const INSERTS_IN_PARALLEL: usize = 8;
const PARTITIONS: [&str; 10] = ["", "10", "9", "A", "B", "_", "a", "b", "Ä", "漢"];

pub async fn run() {
    let pages = tokio::spawn(many_pages()).await.unwrap_or_default();
    let listed: Vec<Value> = pages.concat();
    check("page-size", async move {
        assert_eq!(pages.iter().map(Vec::len).sum::<usize>(), ENTITY_COUNT);
        assert!(pages.iter().all(|page| page.len() <= 1000));
    })
    .await;
    let ordered = listed.clone();
    check("page-complete", async move {
        let mut numbers: Vec<usize> = listed
            .iter()
            .map(|found| found["n"].as_u64().unwrap() as usize)
            .collect();
        for (found, number) in listed.iter().zip(&numbers) {
            let Key(partition, row) = key_of(*number);
            assert_eq!([&found["PartitionKey"], &found["RowKey"]], [&partition, &row]);
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (0..ENTITY_COUNT).collect::<Vec<_>>());
    })
    .await;
    check("page-order", async move {
        let key_of =
            |found: &Value| [&found["PartitionKey"], &found["RowKey"]].map(|part| part.as_str().unwrap().to_owned());
        assert_eq!(ordered.len(), ENTITY_COUNT);
        for pair in ordered.windows(2) {
            assert!(key_of(&pair[0]) < key_of(&pair[1]), "{pair:?}");
        }
    })
    .await;
    check("page-empty", async {
        assert_eq!(page_lengths("Empty", &[], None).await, [0])
    })
    .await;
    check("page-next-empty", async {
        let keys = [("", ""), ("", "a"), ("", "b"), ("p", ""), ("p", "a")];
        assert_eq!(page_lengths("Ends", &keys, Some(1)).await, [1, 1, 1, 1, 1]);
    })
    .await;
    check("page-full", async {
        let keys = [("", ""), ("", "a"), ("", "b"), ("", "c")];
        assert_eq!(page_lengths("Full", &keys, Some(2)).await, [2, 2]);
    })
    .await;
}

/// All pages of a query.
pub async fn pages_of(query: QueryEntityBuilder) -> Vec<Vec<Value>> {
    let pages = query.into_stream::<Value>();
    pages.map(|page| page.unwrap().entities).collect().await
}

/// The keys of entity n. The stride scatters the order of inserts. Row keys without leading zeros sort in another order than numbers.
fn key_of(number: usize) -> Key {
    let scattered = number * 7919 % ENTITY_COUNT;
    Key::new(PARTITIONS[scattered % PARTITIONS.len()], &scattered.to_string())
}

async fn many_pages() -> Vec<Vec<Value>> {
    let many = service().table_client(unique("Many"));
    many.create().await.unwrap();
    let inserts = stream::iter(0..ENTITY_COUNT).map(|number| {
        let many = many.clone();
        async move { insert_into(&many, &key_of(number), json!({"n": number})).await.unwrap() }
    });
    inserts.buffer_unordered(INSERTS_IN_PARALLEL).collect::<Vec<_>>().await;
    let pages = pages_of(many.query().top(1000)).await;
    many.delete().await.unwrap();
    pages
}

async fn page_lengths(name: &str, keys: &[(&str, &str)], page_size: Option<u32>) -> Vec<usize> {
    let listed = service().table_client(unique(name));
    listed.create().await.unwrap();
    for (partition, row) in keys {
        insert_into(&listed, &Key::new(partition, row), json!({}))
            .await
            .unwrap();
    }
    let query = listed.query();
    let pages = pages_of(page_size.map_or(query.clone(), |size| query.top(size))).await;
    listed.delete().await.unwrap();
    pages.iter().map(Vec::len).collect()
}
