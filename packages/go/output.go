package tanzanite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
)

// Lines of one process: the ready line, the log of refused requests, and on standard error why it ends.
type output struct {
	ready chan readyLine

	mutex sync.Mutex
	// Of the accounts in use.
	refused map[string][]Refusal
	// What waits for a line that contains it.
	marks   map[string]chan struct{}
	isReady bool
	errors  string
}

type readyLine struct{ URL, Version string }

// Of an account: more are not read by anybody.
const refusedMax = 200

func newOutput() *output {
	return &output{
		ready: make(chan readyLine, 1), refused: map[string][]Refusal{}, marks: map[string]chan struct{}{},
	}
}

func (o *output) stdout() io.Writer { return &lines{take: o.takeLog} }
func (o *output) stderr() io.Writer { return &lines{take: o.takeError} }

// The rest of a longer line is dropped.
const lineBytesMax = 1 << 20

// lines cuts what is written into lines.
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

func (o *output) takeLog(line []byte) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.isReady {
		var ready readyLine
		if json.Unmarshal(line, &ready) == nil && strings.HasPrefix(ready.URL, "http") {
			o.isReady = true
			o.ready <- ready
		}
		return
	}
	for mark, seen := range o.marks {
		if bytes.Contains(line, []byte(mark)) {
			close(seen)
			delete(o.marks, mark)
			return
		}
	}
	var refused Refusal
	if json.Unmarshal(line, &refused) != nil || refused.Operation == "" {
		return
	}
	if list, isWatched := o.refused[refused.Account]; isWatched && len(list) < refusedMax {
		o.refused[refused.Account] = append(list, refused)
	}
}

func (o *output) takeError(line []byte) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	// The line of the reason comes last; of a crash, which has a stack, the first says more.
	if text := strings.TrimSpace(string(line)); text != "" && (o.errors == "" || strings.HasPrefix(text, "tanzanite: ")) {
		o.errors = escapeControls(text)
	}
}

func (o *output) lastError() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.errors
}

func (o *output) watch(account string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.refused[account] = []Refusal{}
}

func (o *output) forget(account string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	delete(o.refused, account)
}

func (o *output) refusedOf(account string) []Refusal {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return append([]Refusal{}, o.refused[account]...)
}

// mark gives a channel that is closed when a line with the text has been read, and what forgets it.
func (o *output) mark(text string) (<-chan struct{}, func()) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	seen := make(chan struct{})
	o.marks[text] = seen
	return seen, func() {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		delete(o.marks, text)
	}
}

// Refusal is a request that the emulator refused, or to which a fault was staged.
type Refusal struct {
	Account   string `json:"account"`
	Operation string `json:"operation"`
	// Status is 444 where a staged fault closed the connection instead of a response.
	Status int `json:"status"`
	// Code is the service's error code.
	Code         string  `json:"code"`
	Table        string  `json:"table"`
	PartitionKey *string `json:"partitionKey"`
	RowKey       *string `json:"rowKey"`
	Filter       string  `json:"filter"`
	// Why has the reasons, the cause first.
	Why   []string `json:"why"`
	Batch *struct {
		// Refused is the operation for which a batch was refused.
		Refused *struct {
			Index     int      `json:"index"`
			Operation string   `json:"operation"`
			Code      string   `json:"code"`
			Why       []string `json:"why"`
		} `json:"refused"`
	} `json:"batch"`
	// Fault is what was staged, if it was.
	Fault *struct {
		Rule string `json:"rule"`
		Kind string `json:"kind"`
	} `json:"fault"`
}

// String is one line, such as `409 EntityAlreadyExists: InsertEntity pets "dog" "rex": …`.
func (r Refusal) String() string {
	parts := []string{fmt.Sprint(r.Status)}
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	if r.Code != "" {
		add("%s", r.Code)
	}
	add("%s", r.Operation)
	if r.Table != "" {
		add("%s", r.Table)
	}
	if r.PartitionKey != nil {
		add("%q", *r.PartitionKey)
	}
	if r.RowKey != nil {
		add("%q", *r.RowKey)
	}
	if r.Filter != "" {
		add("%q", r.Filter)
	}
	why := r.Why
	if r.Batch != nil && r.Batch.Refused != nil {
		cause := r.Batch.Refused
		add("(operation %d, %s: %s)", cause.Index, cause.Operation, cause.Code)
		why = append(append([]string{}, why...), cause.Why...)
	}
	if r.Fault != nil {
		add("(staged by the fault %q, %s)", r.Fault.Rule, r.Fault.Kind)
	}
	line := strings.Join(parts, " ")
	if len(why) > 0 {
		line += ": " + strings.Join(why, " ")
	}
	return escapeControls(line)
}

// escapeControls writes \u001b for each character that a terminal interprets or does not show.
func escapeControls(text string) string {
	var escaped strings.Builder
	for _, char := range text {
		if unicode.In(char, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			fmt.Fprintf(&escaped, `\u%04x`, char)
		} else {
			escaped.WriteRune(char)
		}
	}
	return escaped.String()
}
