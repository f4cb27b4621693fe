package tanzanite_test

import (
	"fmt"
	"net/http"
	"testing"

	"tanzanite"
)

// One line gives a test its own account. A client needs its connection string, or its name, key and address.
func ExampleStart() {
	var _ = func(t *testing.T) {
		account := tanzanite.Start(t)
		t.Log(account.ConnectionString)
	}
}

// The account starts with the tables of a folder. Its first insert fails after it was carried out.
func ExampleStart_options() {
	var _ = func(t *testing.T) {
		account := tanzanite.Start(t,
			tanzanite.Seed("testdata/seed"),
			tanzanite.Fault(`{"match":{"operation":"InsertEntity"},"when":{"first":1},"fault":{"kind":"timeout","at":"afterCommit"}}`))
		t.Log(account.URL)
	}
}

// A program that is not a test starts an emulator and closes it.
func ExampleOpen() {
	emulator, err := tanzanite.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer emulator.Close()
	response, err := http.Get(emulator.URL + "/_emulator/ready")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
	// Output: 200 OK
}
