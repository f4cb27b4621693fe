//! Updates, upserts and deletes, with and without conditions.

use azure_core::Etag;
use azure_data_tables::IfMatchCondition;
use serde_json::{json, Value};

use crate::checks::*;

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Replace,
    Merge,
}

const MODES: [Mode; 2] = [Mode::Replace, Mode::Merge];

pub async fn run() {
    check("update-replace", async {
        let key = insert_old().await;
        assert_eq!(
            update(&key, json!({"b": "new", "c": 3}), Mode::Replace, IfMatchCondition::Any).await,
            "done"
        );
        assert_eq!(key.properties().await, json!({"b": "new", "c": 3}));
    })
    .await;
    check("update-merge", async {
        let key = insert_old().await;
        let change = json!({"a": null, "b": "new", "c": 3});
        assert_eq!(update(&key, change, Mode::Merge, IfMatchCondition::Any).await, "done");
        assert_eq!(key.properties().await, json!({"a": 1, "b": "new", "c": 3}));
    })
    .await;
    check("update-missing", async {
        for mode in MODES {
            let answer = update(&Key::random(), json!({"c": 3}), mode, IfMatchCondition::Any).await;
            assert_eq!(answer, "404 ResourceNotFound");
        }
    })
    .await;
    check("upsert-insert", async {
        for mode in MODES {
            let key = Key::random();
            upsert(&key, mode).await;
            assert_eq!(key.properties().await, json!({"c": 3}));
        }
    })
    .await;
    check("upsert-replace", async {
        let key = insert_old().await;
        upsert(&key, Mode::Replace).await;
        assert_eq!(key.properties().await, json!({"c": 3}));
    })
    .await;
    check("upsert-merge", async {
        let key = insert_old().await;
        upsert(&key, Mode::Merge).await;
        assert_eq!(key.properties().await, json!({"a": 1, "b": "old", "c": 3}));
    })
    .await;
    run_conditions().await;
}

async fn run_conditions() {
    check("update-stale", async {
        for mode in MODES {
            let key = Key::random();
            let [stale, current] = two_etags(&key).await;
            let answer = update(&key, json!({"a": 2}), mode, stale.into()).await;
            assert_eq!(answer, "412 UpdateConditionNotSatisfied");
            assert_eq!(key.properties().await, json!({"a": 1}));
            assert_eq!(etag_of(&key).await, current);
        }
    })
    .await;
    check("update-current", async {
        for mode in MODES {
            let key = Key::random();
            let [_, current] = two_etags(&key).await;
            assert_eq!(
                update(&key, json!({"a": 2}), mode, current.clone().into()).await,
                "done"
            );
            assert_eq!(key.properties().await, json!({"a": 2}));
            assert_ne!(etag_of(&key).await, current);
        }
    })
    .await;
    check("delete-stale", async {
        let key = Key::random();
        let [stale, _] = two_etags(&key).await;
        let deletion = key.client(&table()).delete().if_match(stale);
        assert_eq!(answer_of(deletion.await), "412 UpdateConditionNotSatisfied");
        assert_eq!(key.properties().await, json!({"a": 1}));
    })
    .await;
    check("delete-current", async {
        let key = Key::random();
        let [_, current] = two_etags(&key).await;
        assert_eq!(answer_of(key.client(&table()).delete().if_match(current).await), "done");
        assert_eq!(read(&table(), &key).await, "404 ResourceNotFound");
    })
    .await;
    check("delete-any", async {
        let key = insert_old().await;
        assert_eq!(answer_of(key.client(&table()).delete().await), "done");
        assert_eq!(read(&table(), &key).await, "404 ResourceNotFound");
    })
    .await;
    check("delete-missing", async {
        assert_eq!(
            answer_of(Key::random().client(&table()).delete().await),
            "404 ResourceNotFound"
        );
    })
    .await;
}

async fn insert_old() -> Key {
    let key = Key::random();
    key.insert(json!({"a": 1, "b": "old"})).await;
    key
}

async fn update(key: &Key, properties: Value, mode: Mode, condition: IfMatchCondition) -> String {
    let (client, entity) = (key.client(&table()), key.entity(properties));
    let update = match mode {
        Mode::Replace => client.update(entity, condition),
        Mode::Merge => client.merge(entity, condition),
    };
    answer_of(update.unwrap().await)
}

/// Upserts { c: 3 }.
async fn upsert(key: &Key, mode: Mode) {
    let (client, entity) = (key.client(&table()), key.entity(json!({"c": 3})));
    let upsert = match mode {
        Mode::Replace => client.insert_or_replace(entity),
        Mode::Merge => client.insert_or_merge(entity),
    };
    upsert.unwrap().await.unwrap();
}

/// The ETag of an insert, which is stale after a write, and the ETag after the write.
async fn two_etags(key: &Key) -> [Etag; 2] {
    let stale = key.insert(json!({"a": 1})).await;
    let update = key
        .client(&table())
        .update(key.entity(json!({"a": 1})), IfMatchCondition::Any)
        .unwrap();
    let current = update.await.unwrap().etag;
    assert_ne!(stale, current);
    [stale, current]
}

async fn etag_of(key: &Key) -> Etag {
    key.client(&table()).get::<Value>().await.unwrap().etag
}
