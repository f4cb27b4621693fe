//! Every type is written and read back. The crate lets the program write the JSON of an entity, including annotations of types.

use serde_json::{json, Value};

use crate::checks::*;

pub async fn run() {
    check("type-string", async {
        for text in [
            "plain",
            "",
            " \"quoted\" \\ 'single' ",
            "one\r\ntwo\ttab",
            "2024-05-01T10:00:00Z",
            "42",
        ] {
            reads_back(json!({ "value": text })).await;
        }
    })
    .await;
    check(
        "type-unicode",
        reads_back(json!({"value": "Grüße, 漢字, עברית, 👩‍🚀 \u{2028} \u{ffee}"})),
    )
    .await;
    check("type-boolean", async {
        reads_back(json!({"value": true})).await;
        reads_back(json!({"value": false})).await;
    })
    .await;
    check("type-int32", async {
        for number in [0, 42, i32::MAX, i32::MIN] {
            reads_back(json!({ "value": number })).await;
        }
    })
    .await;
    check("type-int64", async {
        for number in [(1_i64 << 53) + 1, i64::MAX, i64::MIN, 7] {
            reads_back(typed("Edm.Int64", json!(number.to_string()))).await;
        }
    })
    .await;
    check("type-double", async {
        for number in [0.1, -2.5, f64::MAX, 5e-324, 1234567890123456.8] {
            reads_back(json!({ "value": number })).await;
        }
    })
    .await;
    check("type-double-whole", async {
        for number in [5.0, 0.0, 1e15] {
            reads_back(json!({ "value": number })).await;
        }
    })
    .await;
    check("type-number-large", async {
        let key = Key::random();
        key.insert(json!({"value": 1_u64 << 31})).await;
        assert_eq!(key.properties().await, json!({"value": 2147483648.0}));
    })
    .await;
    check("type-double-special", async {
        for text in ["NaN", "Infinity", "-Infinity"] {
            reads_back(typed("Edm.Double", json!(text))).await;
        }
    })
    .await;
    check("type-datetime", async {
        for text in [
            "2024-05-01T10:00:00.1234567Z",
            "1601-01-01T00:00:00Z",
            "9999-12-31T23:59:59.9999999Z",
        ] {
            reads_back(typed("Edm.DateTime", json!(text))).await;
        }
    })
    .await;
    check(
        "type-guid",
        reads_back(typed("Edm.Guid", json!("c9da6455-213d-42c9-9a79-3e9149a57833"))),
    )
    .await;
    check("type-binary", async {
        let bytes: Vec<u8> = (0..=255).collect();
        reads_back(typed("Edm.Binary", json!(azure_core::base64::encode(bytes)))).await;
        reads_back(typed("Edm.Binary", json!(""))).await;
    })
    .await;
    check("type-null", async {
        let key = Key::random();
        key.insert(json!({"value": null})).await;
        assert_eq!(key.properties().await, json!({}));
    })
    .await;
}

fn typed(name: &str, value: Value) -> Value {
    json!({"value": value, "value@odata.type": name})
}

async fn reads_back(properties: Value) {
    let key = Key::random();
    key.insert(properties.clone()).await;
    assert_eq!(key.properties().await, properties);
}
