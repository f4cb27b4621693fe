package tanzanite

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAccountsDoNotSeeEachOther(t *testing.T) {
	one, other := tables{t, Start(t)}, tables{t, Start(t)}
	if status := one.create("Pets"); status != 201 {
		t.Fatalf("created with %d", status)
	}
	if found := other.list("Tables"); len(found) != 0 {
		t.Errorf("the other account has %v", found)
	}
	if one.account.Emulator() != other.account.Emulator() {
		t.Error("there are two emulators")
	}
}

func TestTwoHundredTestsRunInParallelWithAnAccountEach(t *testing.T) {
	for at := range make([]int, 200) {
		at := at
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			client := tables{t, Start(t)}
			client.create("Pets")
			if status := client.insert("Pets", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"r","at":%d}`, at)).status; status != 201 {
				t.Fatalf("inserted with %d", status)
			}
			found := client.list("Pets")
			if len(found) != 1 || found[0]["at"] != float64(at) {
				t.Errorf("found %v", found)
			}
		})
	}
}

func TestSeedsFillTheAccount(t *testing.T) {
	client := tables{t, Start(t, Seed("testdata/seed"))}
	found := client.list("Pets")
	if len(found) != 2 || found[1]["RowKey"] != "tess" {
		t.Errorf("found %v", found)
	}
	if other := (tables{t, Start(t)}).list("Tables"); len(other) != 0 {
		t.Errorf("another account has %v", other)
	}
}

func TestSeedNamesWhatIsWrong(t *testing.T) {
	err := Start(t).Seed("testdata/missing")
	if err == nil || !strings.HasPrefix(err.Error(), "tanzanite: seed: testdata/missing") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v", err)
	}
}

func TestSnapshotsBringBackWhatWasSaved(t *testing.T) {
	client := tables{t, Start(t, Seed("testdata/seed"))}
	if err := client.account.Snapshot("before /?"); err != nil {
		t.Fatal(err)
	}
	if err := client.account.Reset(); err != nil {
		t.Fatal(err)
	}
	if found := client.list("Tables"); len(found) != 0 {
		t.Errorf("after the reset there is %v", found)
	}
	if err := client.account.Restore("before /?"); err != nil {
		t.Fatal(err)
	}
	if found := client.list("Pets"); len(found) != 2 {
		t.Errorf("restored are %v", found)
	}
	err := client.account.Restore("never")
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "SnapshotNotFound" {
		t.Errorf("the error is %v", err)
	}
}

const failingInsert = `{"match":{"operation":"InsertEntity"},"when":{"first":1},"fault":{"kind":"timeout","at":"afterCommit"}}`

func TestFaultsStrikeTheirAccountAndNoOther(t *testing.T) {
	struck, other := tables{t, Start(t, Fault(failingInsert))}, tables{t, Start(t)}
	for _, client := range []tables{struck, other} {
		client.create("Pets")
	}
	const entity = `{"PartitionKey":"p","RowKey":"r"}`
	if status := other.insert("Pets", entity).status; status != 201 {
		t.Errorf("the other account gets %d", status)
	}
	if got := struck.insert("Pets", entity); got.status != 500 || got.code != "OperationTimedOut" {
		t.Errorf("the account gets %v", got)
	}
	if found := struck.list("Pets"); len(found) != 1 {
		t.Errorf("written are %v", found)
	}
}

func TestFaultsAreRemoved(t *testing.T) {
	account := Start(t)
	id, err := account.AddFault(`{"fault":{"kind":"error","code":"ServerBusy"}}`)
	if err != nil {
		t.Fatal(err)
	}
	client := tables{t, account}
	if status := client.create("Pets"); status != 503 {
		t.Errorf("staged is %d", status)
	}
	if err := account.RemoveFault(id); err != nil {
		t.Fatal(err)
	}
	if status := client.create("Pets"); status != 201 {
		t.Errorf("after the removal it is %d", status)
	}
	if err := account.RemoveFault(id); err == nil {
		t.Error("it is removed twice")
	}
}

func TestFaultsThatDoNotFitAreNamed(t *testing.T) {
	account := Start(t)
	for rule, words := range map[string]string{
		`{"fault":{"kind":"eror"}}`:             "kind",
		`busy`:                                  "one JSON object",
		`[{"fault":{"kind":"hang"}}]`:           "one JSON object",
		`{} {}`:                                 "one JSON object",
		`{"match":"*","fault":{"kind":"hang"}}`: `"match"`,
		`{"match":{"account":"*"},"fault":{"kind":"hang"}}`:              "names no account",
		`{"match":{"operation":"Insrt"},"fault":{"kind":"hang"},"a":1}`:  "a",
		`{"fault":{"kind":"delay","ms":123456789012345678901234567890}}`: "ms",
	} {
		_, err := account.AddFault(rule)
		if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the error of %s is %v", rule, err)
		}
	}
	if err := account.ClearFaults(); err != nil {
		t.Error(err)
	}
}

func TestRefusedRequestsAreListedWithTheirReasons(t *testing.T) {
	client, other := tables{t, Start(t, Fault(failingInsert))}, tables{t, Start(t)}
	client.create("Pets")
	client.create("Pets")
	client.insert("Pets", `{"PartitionKey":"dog \"x\"","RowKey":"rex"}`)
	other.send("GET", "Missing", "")
	var lines []string
	refused, err := client.account.Refused()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range refused {
		lines = append(lines, one.String())
	}
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "409 TableAlreadyExists CreateTable Pets") ||
		!strings.HasPrefix(lines[1], `500 OperationTimedOut InsertEntity Pets "dog \"x\"" "rex" (staged by the fault `) {
		t.Errorf("refused are %q", lines)
	}
	if found, err := other.account.Refused(); err != nil || len(found) != 1 || found[0].Code != "TableNotFound" {
		t.Errorf("refused to the other are %v, %v", found, err)
	}
}

func TestARefusalHoldsNothingThatATerminalInterprets(t *testing.T) {
	refusal := Refusal{Status: 400, Operation: "QueryEntities", Table: "pe\x1b[31mts", Why: []string{"a\nb", "c\u202ed é"}}
	if line := refusal.String(); line != `400 QueryEntities pe\u001b[31mts: a\u000ab c\u202ed é` {
		t.Errorf("it is %q", line)
	}
}

func TestAClockOfTheTestsOwnCanBeTurned(t *testing.T) {
	account := Start(t, Own())
	clock := account.Clock()
	then := time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, turn := range []func() error{clock.Freeze, func() error { return clock.Set(then) },
		func() error { return clock.Advance(90 * time.Minute) }} {
		if err := turn(); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := clock.Now(); err != nil || !now.Equal(then.Add(90*time.Minute)) {
		t.Errorf("the time is %v, %v", now, err)
	}
	if err := clock.Advance(-time.Second); err == nil {
		t.Error("it went back")
	}
	if err := clock.Resume(); err != nil {
		t.Error(err)
	}
	if err := clock.Release(); err != nil {
		t.Error(err)
	}
}

func TestTheClockOfOthersCannotBeTurned(t *testing.T) {
	if err := Start(t).Clock().Freeze(); err == nil || !strings.Contains(err.Error(), "tanzanite.Own()") {
		t.Errorf("the error is %v", err)
	}
}

func TestFindingsAreThoseOfTheAccount(t *testing.T) {
	client, other := tables{t, Start(t)}, tables{t, Start(t)}
	client.create("Pets")
	filter := make([]string, 20)
	for at := range filter {
		filter[at] = fmt.Sprintf("PartitionKey%%20eq%%20'%d'", at)
	}
	for range make([]int, 20) {
		client.send("GET", "Pets()?$filter="+strings.Join(filter, "%20or%20"), "")
	}
	found, err := client.account.Findings("note")
	if err != nil || len(found) == 0 || found[0].Table != "Pets" || found[0].Advice == "" {
		t.Errorf("found is %v, %v", found, err)
	}
	if found, err := other.account.Findings("note"); err != nil || len(found) != 0 {
		t.Errorf("of the other is found %v, %v", found, err)
	}
	if _, err := client.account.Findings("fatal"); err == nil {
		t.Error("any severity is taken")
	}
}

func TestFlagsAreThoseOfTheTestsEmulator(t *testing.T) {
	client := tables{t, Start(t, Flags("--table-delete-delay", "30"))}
	client.create("Pets")
	client.send("DELETE", "Tables('Pets')", "")
	if got := client.send("POST", "Tables", `{"TableName":"Pets"}`); got.code != "TableBeingDeleted" {
		t.Errorf("the response is %v", got)
	}
}
