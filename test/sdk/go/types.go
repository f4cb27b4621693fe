package main

import (
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

var valueInBody = regexp.MustCompile(`"value":([^,}]*)`)

func checkTypes() {
	check("type-string", func() {
		readsBack("plain", "", " \"quoted\" \\ 'single' ", "one\r\ntwo\ttab", "2024-05-01T10:00:00Z", "42")
	})
	check("type-unicode", func() {
		readsBack("Grüße, 漢字, עברית, 👩‍🚀 \u2028 \uffee")
	})
	check("type-boolean", func() {
		readsBack(true, false)
	})
	check("type-int32", func() {
		readsBack(int32(0), int32(42), int32(1<<31-1), int32(-1<<31))
		equal(textReadBack(properties{"value": 42}), "42")
	})
	check("type-int64", func() {
		readsBack(aztables.EDMInt64(1<<53+1), aztables.EDMInt64(1<<63-1), aztables.EDMInt64(-1<<63), aztables.EDMInt64(7))
	})
	check("type-double", func() {
		readsBack(0.1, -2.5, 1.7976931348623157e308, 5e-324, 1234567890123456.8)
	})
	check("type-double-whole", func() {
		// The SDK sends 5.0 as 5 and would read 5.0 as an Int32. So the type is given explicitly, and the text of the response is compared.
		equal(textReadBack(properties{"value": 5.0, "value@odata.type": "Edm.Double"}), "5.0")
	})
	check("type-number-large", func() {
		readsBack(float64(1 << 31))
		equal(textReadBack(properties{"value": float64(1 << 31)}), "2147483648.0")
	})
	check("type-double-special", func() {
		for _, text := range []string{"NaN", "Infinity", "-Infinity"} {
			sent := properties{"value": text, "value@odata.type": "Edm.Double"}
			found := decode(must(table.GetEntity(ctx, "go", insertNew(sent).row, nil)).Value)
			equal(properties{"value": found["value"], "value@odata.type": found["value@odata.type"]}, sent)
		}
	})
	check("type-datetime", func() {
		for _, text := range []string{"2024-05-01T10:00:00.1234567Z", "1601-01-01T00:00:00Z", "9999-12-31T23:59:59.9999999Z"} {
			moment := must(time.Parse(time.RFC3339Nano, text))
			readsBack(aztables.EDMDateTime(moment))
		}
	})
	check("type-guid", func() {
		readsBack(aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"))
	})
	check("type-binary", func() {
		bytes := make(aztables.EDMBinary, 256)
		for index := range bytes {
			bytes[index] = byte(index)
		}
		readsBack(bytes, aztables.EDMBinary{})
	})
	check("type-null", func() {
		equal(getProperties(insertNew(properties{"value": nil})), properties{})
	})
}

// readsBack writes each value as the property of an entity, and reads it into the SDK's own types.
func readsBack(values ...any) {
	for _, value := range values {
		equal(getProperties(insertNew(properties{"value": value})), properties{"value": value})
	}
}

func insertNew(values properties) key {
	at := newKey()
	sent := aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: at.partition, RowKey: at.row}, Properties: values}
	must(table.AddEntity(ctx, must(json.Marshal(sent)), nil))
	return at
}

// textReadBack returns the value's text in the response. The SDK decodes and re-encodes bodies, which turns 1.0 into 1.
func textReadBack(values properties) string {
	at := insertNew(values)
	var response *http.Response
	must(table.GetEntity(policy.WithCaptureResponse(ctx, &response), at.partition, at.row, nil))
	return string(valueInBody.FindSubmatch(must(runtime.Payload(response)))[1])
}
