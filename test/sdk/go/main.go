// The smoke of aztables for Go, unmodified, against the server of TABLES_CONNECTION_STRING. Prints one JSON object a
// line, {"check": title, "ok": true or false, "error": text}, for the test beside it to read.
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
