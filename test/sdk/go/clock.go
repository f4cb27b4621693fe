package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// turnClock sends a request to the clock in the emulator's control plane. Without a body, it resets the clock.
func turnClock(method, body string) {
	endpoint := must(url.Parse(partOf("TableEndpoint")))
	address := endpoint.Scheme + "://" + endpoint.Host + "/_emulator/clock"
	request := must(http.NewRequest(method, address, strings.NewReader(body)))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer := must(http.DefaultClient.Do(request))
	defer answer.Body.Close()
	equal(answer.StatusCode, 200)
}

func timestampOf(id key) time.Time {
	found := must(table.GetEntity(ctx, id.partition, id.row, nil))
	var members struct{ Timestamp time.Time }
	mustDo(json.Unmarshal(found.Value, &members))
	return members.Timestamp
}

// checkClock must run last: timestamps stay in the future to which it sets the clock.
func checkClock() {
	check("clock", func() {
		id := key{insertRows("1"), "1"}
		reader := holder(tableToken(aztables.SASPermissions{Read: true}, 1))
		read := func() string { return answerOf(reader.GetEntity(ctx, id.partition, id.row, nil)) }
		before := timestampOf(id)
		equal(read(), "done")
		turnClock(http.MethodPost, `{"advanceMs":86400000}`)
		defer turnClock(http.MethodDelete, "")
		equal(answerOf(table.UpsertEntity(ctx, entity(id, properties{}), nil)), "done")
		equal(read(), "403 AuthenticationFailed")
		equal(timestampOf(id).Sub(before) >= 24*time.Hour, true)
		turnClock(http.MethodDelete, "")
		equal(read(), "done")
	})
}
