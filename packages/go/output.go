package tanzanite

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"sync"
)

// output reads what a process writes: the ready line, and on standard error the reason for its end.
type output struct {
	ready chan readyLine

	mutex   sync.Mutex
	isReady bool
	errors  string
}

type readyLine struct{ URL, Version string }

func newOutput() *output { return &output{ready: make(chan readyLine, 1)} }

func (o *output) stdout() io.Writer { return &lines{take: o.takeReady} }
func (o *output) stderr() io.Writer { return &lines{take: o.takeError} }

// Of a longer line, only this many bytes are kept.
const lineBytesMax = 1 << 20

// lines calls take with each line of what is written.
type lines struct {
	rest bytes.Buffer
	take func(line []byte)
}

func (l *lines) Write(text []byte) (int, error) {
	for left := text; len(left) > 0; {
		part, after, isEnded := bytes.Cut(left, []byte{'\n'})
		if room := lineBytesMax - l.rest.Len(); len(part) > room {
			part = part[:room]
		}
		l.rest.Write(part)
		if isEnded {
			l.take(bytes.TrimRight(l.rest.Bytes(), "\r"))
			l.rest.Reset()
		}
		left = after
	}
	return len(text), nil
}

func (o *output) takeReady(line []byte) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var ready readyLine
	if !o.isReady && json.Unmarshal(line, &ready) == nil && strings.HasPrefix(ready.URL, "http") {
		o.isReady = true
		o.ready <- ready
	}
}

func (o *output) takeError(line []byte) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	// The last line gives the reason. After a crash, which prints a stack, the first line says more.
	if text := strings.TrimSpace(string(line)); text != "" && (o.errors == "" || strings.HasPrefix(text, "tanzanite: ")) {
		o.errors = escapeControls(text)
	}
}

func (o *output) lastError() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.errors
}
