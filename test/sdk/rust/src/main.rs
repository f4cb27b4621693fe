//! Tests azure_data_tables for Rust, unmodified, against the server of TABLES_CONNECTION_STRING. Prints one JSON object per line,
//! {"check": id, "ok": true or false, "error": text}, which the test next to it reads.

mod checks;
mod entities;
mod pages;
mod signatures;
mod tables;
mod transactions;
mod types;
mod writes;

fn main() {
    checks::keep_panics();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        checks::table().create().await.unwrap();
        tables::run().await;
        types::run().await;
        entities::run().await;
        writes::run().await;
        pages::run().await;
        transactions::run().await;
        // This must be last: timestamps stay in the future to which it advances the clock.
        signatures::run().await;
        checks::table().delete().await.unwrap();
    });
}
