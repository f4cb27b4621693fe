//! Transactions: either all operations are carried out or none.

use azure_data_tables::operations::TransactionBuilder;
use azure_data_tables::IfMatchCondition;
use serde_json::json;

use crate::checks::*;

pub async fn run() {
    check("transaction-kinds", async {
        let partition = insert_rows(&["gone", "merged", "replaced"]).await;
        let three = |row: &str| Key::new(&partition, row).entity(json!({"c": 3}));
        let any = || Some(IfMatchCondition::Any);
        let transaction = begin(&partition)
            .insert(three("new"))
            .and_then(|it| it.delete("gone", any()))
            .and_then(|it| it.merge("merged", three("merged"), any()))
            .and_then(|it| it.update("replaced", three("replaced"), any()))
            .and_then(|it| it.insert_or_merge("upsert merge", three("upsert merge")))
            .and_then(|it| it.insert_or_replace("upsert replace", three("upsert replace")));
        // The crate requests the inserted entity, so the insert is answered 201.
        assert_eq!(statuses_of(transaction.unwrap()).await, [201, 204, 204, 204, 204, 204]);
        let three = json!({"c": 3});
        let expected = json!({
            "merged": {"a": 1, "c": 3}, "new": three, "replaced": three, "upsert merge": three, "upsert replace": three,
        });
        assert_eq!(rows_of(&partition).await, expected);
    })
    .await;
    check("transaction-100", async {
        let partition = random_name();
        let mut transaction = begin(&partition);
        for row in 0..100 {
            transaction = transaction
                .insert(Key::new(&partition, &row.to_string()).entity(json!({})))
                .unwrap();
        }
        assert_eq!(statuses_of(transaction).await, vec![201; 100]);
        assert_eq!(rows_of(&partition).await.as_object().unwrap().len(), 100);
    })
    .await;
}

pub async fn insert_rows(rows: &[&str]) -> String {
    let partition = random_name();
    for row in rows {
        Key::new(&partition, row).insert(json!({"a": 1})).await;
    }
    partition
}

fn begin(partition: &str) -> TransactionBuilder {
    table().partition_key_client(partition).transaction()
}

async fn statuses_of(transaction: TransactionBuilder) -> Vec<u16> {
    let response = transaction.await.unwrap();
    response
        .operation_responses
        .iter()
        .map(|each| each.status_code as u16)
        .collect()
}
