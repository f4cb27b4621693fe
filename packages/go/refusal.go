package tanzanite

import (
	"fmt"
	"strings"
	"unicode"
)

// Refusal is a request that the emulator refused, or that failed because of a fault rule.
type Refusal struct {
	Account   string `json:"account"`
	Operation string `json:"operation"`
	// Status is 444 if a fault rule closed the connection without a response.
	Status int `json:"status"`
	// Code is the service's error code.
	Code         string  `json:"code"`
	Table        string  `json:"table"`
	PartitionKey *string `json:"partitionKey"`
	RowKey       *string `json:"rowKey"`
	Filter       string  `json:"filter"`
	// Why lists the reasons. The cause comes first.
	Why   []string `json:"why"`
	Batch *struct {
		// In a batch, Refused is the operation that caused the refusal.
		Refused *struct {
			Index     int      `json:"index"`
			Operation string   `json:"operation"`
			Code      string   `json:"code"`
			Why       []string `json:"why"`
		} `json:"refused"`
	} `json:"batch"`
	// Fault is the fault rule that struck the request, or nil.
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

// escapeControls replaces each character that a terminal interprets or does not show, for example with \u001b.
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
