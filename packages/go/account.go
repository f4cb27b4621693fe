package tanzanite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
)

// Account is an account of an emulator, in the forms that clients accept.
type Account struct {
	Name string
	// Key is base64.
	Key string
	// URL is the address of the account, such as http://127.0.0.1:49152/testff….
	URL string
	// ConnectionString is the connection string for the Azure SDKs.
	ConnectionString string

	emulator *Emulator

	mutex  sync.Mutex
	faults []string
}

// Emulator is the emulator of the account.
func (a *Account) Emulator() *Emulator { return a.emulator }

// Clock is the clock of the emulator. A test can change the clock only of an emulator that no other test shares: see
// [Own].
func (a *Account) Clock() Clock { return a.emulator.Clock() }

// Seed fills tables from files (People.ndjson, People.csv, People.json) or folders of such files. Seed replaces tables that already
// exist. If Seed fails, no table has changed, and the error names file, line and reason.
func (a *Account) Seed(paths ...string) error {
	a.emulator.seeding <- struct{}{}
	defer func() { <-a.emulator.seeding }()
	program := a.emulator.program
	words := append(append([]string{}, program[1:]...), "seed", "--url", a.emulator.URL, "--account", a.Name, "--json", "--")
	command := exec.Command(program[0], append(words, paths...)...)
	var told bytes.Buffer
	command.Stderr = &told
	if err := command.Run(); err != nil {
		if text := strings.TrimSpace(told.String()); text != "" {
			return errors.New("tanzanite: seed: " + strings.TrimPrefix(text, "tanzanite: "))
		}
		return fmt.Errorf("tanzanite: seed: %w", err)
	}
	return nil
}

// Snapshot saves the account under a name. An earlier snapshot of that name is replaced.
func (a *Account) Snapshot(name string) error {
	return a.emulator.ask("PUT", "snapshots/"+url.PathEscape(name)+"?account="+a.Name, nil, nil)
}

// Restore brings the account back to the state that Snapshot saved.
func (a *Account) Restore(name string) error {
	return a.emulator.ask("POST", "snapshots/"+url.PathEscape(name)+"/restore?account="+a.Name, nil, nil)
}

// Reset removes all tables of the account.
func (a *Account) Reset() error {
	err := a.emulator.ask("POST", "reset", map[string]string{"account": a.Name}, nil)
	var refused *Error
	if errors.As(err, &refused) && refused.Code == "AccountNotFound" {
		// An account that no request has used does not exist yet, and is empty.
		return nil
	}
	return err
}

// AddFault makes requests of this account fail. The rule says which requests fail, and how. It is JSON, as in
// docs/faults.md, such as
//
//	{"match": {"operation": "InsertEntity"}, "when": {"first": 1}, "fault": {"kind": "timeout", "at": "afterCommit"}}
//
// AddFault returns the id of the rule, which [Account.RemoveFault] needs.
func (a *Account) AddFault(rule string) (string, error) {
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(rule))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil || decoder.More() {
		return "", fmt.Errorf("tanzanite: a fault is one JSON object, such as {\"fault\":{\"kind\":\"delay\",\"ms\":100}}, and not %.200q", rule)
	}
	match := map[string]any{}
	if given, isGiven := fields["match"]; isGiven {
		members, isObject := given.(map[string]any)
		if !isObject {
			return "", errors.New("tanzanite: \"match\" of a fault is an object")
		}
		match = members
	}
	if _, isGiven := match["account"]; isGiven {
		return "", errors.New("tanzanite: \"match\" of a fault names no account: it is that of the test")
	}
	match["account"] = a.Name
	fields["match"] = match
	var added struct{ ID string }
	if err := a.emulator.ask("POST", "faults", fields, &added); err != nil {
		return "", err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.faults = append(a.faults, added.ID)
	return added.ID, nil
}

// RemoveFault removes the rule with this id.
func (a *Account) RemoveFault(id string) error {
	if !a.forgetFault(id) {
		return &Error{Code: "FaultNotFound", Message: fmt.Sprintf("this account has no fault %q", id)}
	}
	return a.emulator.ask("DELETE", "faults/"+url.PathEscape(id), nil, nil)
}

func (a *Account) forgetFault(id string) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for at, one := range a.faults {
		if one == id {
			a.faults = append(a.faults[:at:at], a.faults[at+1:]...)
			return true
		}
	}
	return false
}

// ClearFaults removes all rules that AddFault added.
func (a *Account) ClearFaults() error {
	a.mutex.Lock()
	ids := append([]string{}, a.faults...)
	a.mutex.Unlock()
	var failed error
	for _, id := range ids {
		failed = errors.Join(failed, a.RemoveFault(id))
	}
	return failed
}

// Findings returns what Microsoft's design guides say about the requests of this account so far. It leaves out findings that are less
// severe than least: error, warning or note.
func (a *Account) Findings(least string) ([]Finding, error) {
	rank, isSeverity := severities[least]
	if !isSeverity {
		return nil, fmt.Errorf("tanzanite: a severity is error, warning or note, and not %q", least)
	}
	var report struct{ Findings []Finding }
	if err := a.emulator.ask("GET", "advisor", nil, &report); err != nil {
		return nil, err
	}
	var found []Finding
	for _, one := range report.Findings {
		if one.Account == a.Name && severities[one.Severity] >= rank {
			found = append(found, one)
		}
	}
	return found, nil
}

var severities = map[string]int{"note": 1, "warning": 2, "error": 3}

// Finding is what one rule of the advisor found in one table. docs/advisor describes each rule.
type Finding struct {
	Rule     string
	Severity string
	Account  string
	// Table is empty if the finding is about the account or about a client.
	Table string
	// Count says how often the emulator saw the problem.
	Count  int
	Why    string
	Advice string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s %s %s: %s %s", f.Severity, f.Rule, f.Table, f.Why, f.Advice)
}

// Refused returns the last twenty requests of this account that the emulator refused, in the order in which they came.
func (a *Account) Refused() ([]Refusal, error) {
	var told struct{ Requests []Refusal }
	err := a.emulator.ask("GET", "refusals?account="+a.Name, nil, &told)
	return told.Requests, err
}

// Close removes the faults and the data of the account. Start calls it at the end of the test.
func (a *Account) Close() error { return errors.Join(a.ClearFaults(), a.Reset()) }
