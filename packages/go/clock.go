package tanzanite

import (
	"errors"
	"time"
)

// Clock controls the emulator's time. Timestamps, shared access signatures, stored access policies and capacity follow it.
type Clock struct{ emulator *Emulator }

var errSharedClock = errors.New(
	"tanzanite: the clock is that of all tests that share the emulator: use tanzanite.Start(t, tanzanite.Own())")

// Now reads the clock.
func (c Clock) Now() (time.Time, error) {
	var told struct{ Now time.Time }
	err := c.emulator.ask("GET", "clock", nil, &told)
	return told.Now, err
}

// Advance moves the time forward, and returns when everything that has become due is done.
func (c Clock) Advance(by time.Duration) error {
	return c.turn("POST", map[string]float64{"advanceMs": float64(by) / float64(time.Millisecond)})
}

// Freeze stops the time.
func (c Clock) Freeze() error { return c.turn("POST", map[string]bool{"freeze": true}) }

// Resume lets frozen time continue.
func (c Clock) Resume() error { return c.turn("POST", map[string]bool{"freeze": false}) }

// Set sets the time.
func (c Clock) Set(to time.Time) error {
	return c.turn("POST", map[string]string{"now": to.UTC().Format("2006-01-02T15:04:05.0000000Z")})
}

// Release returns to the machine's time.
func (c Clock) Release() error { return c.turn("DELETE", nil) }

func (c Clock) turn(method string, body any) error {
	if c.emulator.isShared {
		return errSharedClock
	}
	return c.emulator.ask(method, "clock", body, nil)
}
