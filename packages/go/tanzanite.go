// Package tanzanite gives each test an account of Tanzanite, an emulator of the Azure Table service.
//
//	func TestPets(t *testing.T) {
//		account := tanzanite.Start(t)
//		service, err := aztables.NewServiceClientFromConnectionString(account.ConnectionString, nil)
//		…
//	}
//
// All tests of a package share one emulator, which keeps everything in memory and stops when the test binary ends, even if it is
// killed. An account is empty, belongs only to its test and costs next to nothing, so tests may call t.Parallel. When a test has
// failed, its log lists the requests that the emulator refused, and why.
//
// Programs other than tests use [Open].
package tanzanite

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Version is the version of the emulator that the package needs. It starts no other.
const Version = "0.1.0"

// Option changes what Start gives a test.
type Option func(*plan)

type plan struct {
	seeds  []string
	faults []string
	flags  []string
	isOwn  bool
}

// Seed fills the account with the tables of files or folders, as [Account.Seed] does.
func Seed(paths ...string) Option {
	return func(p *plan) { p.seeds = append(p.seeds, paths...) }
}

// Fault makes requests fail from the beginning of the test, as [Account.AddFault] does.
func Fault(rules ...string) Option {
	return func(p *plan) { p.faults = append(p.faults, rules...) }
}

// Own gives the test an emulator that no other test shares, with a clock that it may change. It takes about 0.2 s to start.
func Own() Option {
	return func(p *plan) { p.isOwn = true }
}

// Flags starts an emulator with further flags, for this test only. They are flags of tanzanite start, such as
// "--throttle", "enforce".
func Flags(flags ...string) Option {
	return func(p *plan) { p.flags, p.isOwn = append(p.flags, flags...), true }
}

// Start gives the test an account. The first call in a test binary starts the emulator, and later calls share it. At the end of the
// test, the account is emptied and its faults are removed; an emulator that only this test uses is stopped. Start ends the test with
// t.Fatal if there is no emulator, or if an option fails.
func Start(t testing.TB, options ...Option) *Account {
	t.Helper()
	var wanted plan
	for _, option := range options {
		option(&wanted)
	}
	emulator, err := wanted.emulator(t)
	if err != nil {
		t.Fatal(err)
	}
	account := emulator.Account()
	t.Cleanup(func() { end(t, account) })
	if len(wanted.seeds) > 0 {
		if err := account.Seed(wanted.seeds...); err != nil {
			t.Fatal(err)
		}
	}
	for _, rule := range wanted.faults {
		if _, err := account.AddFault(rule); err != nil {
			t.Fatal(err)
		}
	}
	return account
}

func (p plan) emulator(t testing.TB) (*Emulator, error) {
	if !p.isOwn {
		return shared()
	}
	emulator, err := Open(p.flags...)
	if err == nil {
		t.Cleanup(func() {
			if err := emulator.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return emulator, err
}

// shared starts the emulator of this process once. shared never restarts an emulator that has ended, because tests would then lose
// their data without notice.
var shared = func() func() (*Emulator, error) {
	start := sync.OnceValues(func() (*Emulator, error) {
		emulator, err := Open()
		if err == nil {
			emulator.isShared = true
		}
		return emulator, err
	})
	return func() (*Emulator, error) {
		emulator, err := start()
		if err == nil && emulator.hasEnded() {
			return nil, fmt.Errorf("tanzanite: the emulator of this test run has ended%s", emulator.lastWords())
		}
		return emulator, err
	}
}()

// end reports refused requests if the test failed, and then empties the account and removes its faults.
func end(t testing.TB, account *Account) {
	t.Helper()
	if t.Failed() {
		if refused, err := account.Refused(); err == nil && len(refused) > 0 {
			lines := make([]string, len(refused))
			for i, one := range refused {
				lines[i] = "\n  " + one.String()
			}
			t.Logf("tanzanite refused requests of this test:%s", strings.Join(lines, ""))
		}
	}
	if err := account.Close(); err != nil && !account.emulator.hasEnded() {
		t.Error(err)
	}
	if account.emulator.hasEnded() && !account.emulator.isClosed() {
		t.Errorf("tanzanite: the emulator ended during the test%s", account.emulator.lastWords())
	}
}
