// Tests aztables for Go, unmodified, against the server of TABLES_CONNECTION_STRING. Prints one JSON object per line,
// {"check": title, "ok": true or false, "error": text}, which the test next to it reads.
package main

func main() {
	must(table.CreateTable(ctx, nil))
	checkTables()
	checkTypes()
	checkReads()
	checkWrites()
	checkConditions()
	checkKeys()
	checkListing()
	checkTransactions()
	checkSharedAccess()
	checkClock()
	must(table.Delete(ctx, nil))
}
