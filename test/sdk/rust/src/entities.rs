//! Inserts, reads and keys of entities.

use azure_data_tables::IfMatchCondition;
use serde_json::{json, Value};

use crate::checks::*;
use crate::pages::pages_of;

pub async fn run() {
    check("get-etag", async {
        let key = Key::random();
        let inserted = key.insert(json!({})).await;
        let found = key.client(&table()).get::<Value>().await.unwrap();
        assert_eq!(found.etag, inserted);
        let time = found.entity["Timestamp"].as_str().unwrap().replace(':', "%3A");
        assert_eq!(inserted.to_string(), format!("W/\"datetime'{time}'\""));
    })
    .await;
    check("insert-echo", async {
        let key = Key::random();
        let insert = table()
            .insert::<Value, Value>(key.entity(json!({"a": 1, "b": "two"})))
            .unwrap();
        let echoed = insert
            .return_entity(true)
            .await
            .unwrap()
            .entity_with_metadata
            .unwrap()
            .entity;
        assert_eq!(properties_of(&echoed), json!({"a": 1, "b": "two"}));
    })
    .await;
    check("insert-existing", async {
        let key = Key::random();
        assert_eq!(answer_of(insert_into(&table(), &key, json!({})).await), "done");
        assert_eq!(
            answer_of(insert_into(&table(), &key, json!({})).await),
            "409 EntityAlreadyExists"
        );
    })
    .await;
    check("get-missing", async {
        assert_eq!(read(&table(), &Key::random()).await, "404 ResourceNotFound");
    })
    .await;
    check("get-select", async {
        let key = Key::random();
        key.insert(json!({"a": 1, "b": "two", "c": true})).await;
        let found = key
            .client(&table())
            .get::<Value>()
            .select("b,absent")
            .await
            .unwrap()
            .entity;
        assert_eq!(properties_of(&found), json!({"b": "two", "absent": null}));
    })
    .await;
    check("list-select", list_selected()).await;
    check("list-filter", list_filtered()).await;
    for (name, key) in [
        ("key-percent", Key::new("100%", "%25%2F%")),
        ("key-plus", Key::new(" a+b c ", "+ %20+")),
        ("key-punctuation", Key::new("~!@$^&*()_-=[]{}|;:\",.<>`", "&=$@:,;")),
        ("key-unicode", Key::new("Grüße 漢字", "👩‍🚀 \u{ffee}")),
        ("key-empty", Key::new("", "")),
        ("key-empty-partition", Key::new("", "row")),
        ("key-empty-row", Key::new("partition", "")),
    ] {
        check(name, find_change_and_delete(key)).await;
    }
}

async fn list_selected() {
    let small = service().table_client(unique("Select"));
    small.create().await.unwrap();
    insert_into(&small, &Key::new("p", "1"), json!({"a": 1, "b": "two"}))
        .await
        .unwrap();
    insert_into(&small, &Key::new("p", "2"), json!({"a": 2})).await.unwrap();
    let found: Vec<Value> = pages_of(small.query().select("RowKey,b")).await.concat();
    assert_eq!(
        found.iter().map(properties_of).collect::<Vec<_>>(),
        [json!({"b": "two"}), json!({"b": null})]
    );
    assert_eq!(found.iter().map(|each| &each["RowKey"]).collect::<Vec<_>>(), ["1", "2"]);
    small.delete().await.unwrap();
}

async fn list_filtered() {
    let names = ["text", "flag", "int", "long", "double", "when", "guid", "bytes"];
    let values = json!({
        "text": "O'Neil", "flag": true, "int": 5, "double": 1.5,
        "long": "9007199254740993", "long@odata.type": "Edm.Int64",
        "when": "2024-05-01T10:00:00.25Z", "when@odata.type": "Edm.DateTime",
        "guid": "c9da6455-213d-42c9-9a79-3e9149a57833", "guid@odata.type": "Edm.Guid",
        "bytes": azure_core::base64::encode([1, 2, 254]), "bytes@odata.type": "Edm.Binary",
    });
    Key::new("filter", "all").insert(values.clone()).await;
    for name in names {
        let mut others = values.clone();
        others
            .as_object_mut()
            .unwrap()
            .retain(|key, _| key != name && *key != format!("{name}@odata.type"));
        Key::new("filter", name).insert(others).await;
    }
    let filter = "PartitionKey eq 'filter' and text eq 'O''Neil' and flag eq true and int eq 5 \
        and long eq 9007199254740993L and double eq 1.5 and when eq datetime'2024-05-01T10:00:00.25Z' \
        and guid eq guid'c9da6455-213d-42c9-9a79-3e9149a57833' and bytes eq X'0102fe'";
    let found: Vec<Value> = pages_of(table().query().filter(filter)).await.concat();
    assert_eq!(found.iter().map(|each| &each["RowKey"]).collect::<Vec<_>>(), ["all"]);
}

async fn find_change_and_delete(key: Key) {
    key.insert(json!({"a": 1})).await;
    assert_eq!(key.properties().await, json!({"a": 1}));
    let client = key.client(&table());
    client
        .update(key.entity(json!({"a": 2})), IfMatchCondition::Any)
        .unwrap()
        .await
        .unwrap();
    client
        .insert_or_merge(key.entity(json!({"b": 3})))
        .unwrap()
        .await
        .unwrap();
    let found = key.get().await;
    assert_eq!([&found["PartitionKey"], &found["RowKey"]], [&key.0, &key.1]);
    assert_eq!(properties_of(&found), json!({"a": 2, "b": 3}));
    client.delete().await.unwrap();
    assert_eq!(read(&table(), &key).await, "404 ResourceNotFound");
}
