//! azure_data_tables for Rust, unmodified, against the server of TABLES_CONNECTION_STRING. Prints one JSON object a line,
//! {"check": id, "ok": true or false, "error": text}, for the test next to it to read.

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
        // The last: timestamps stay in the future that the clock is advanced to.
        signatures::run().await;
        checks::table().delete().await.unwrap();
    });
}
