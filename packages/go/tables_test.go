package tanzanite

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A minimal client for these tests: the package and its tests have no dependencies. examples/go uses aztables.
type tables struct {
	t       testing.TB
	account *Account
}

type response struct {
	status int
	code   string
	body   string
}

func (c tables) send(method, resource, body string) response {
	c.t.Helper()
	got, err := c.try(method, resource, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

func (c tables) try(method, resource, body string) (response, error) {
	request, err := http.NewRequest(method, c.account.URL+"/"+resource, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	date := time.Now().UTC().Format(http.TimeFormat)
	path, _, _ := strings.Cut(resource, "?")
	key, err := base64.StdEncoding.DecodeString(c.account.Key)
	if err != nil {
		return response{}, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(date + "\n/" + c.account.Name + "/" + c.account.Name + "/" + path))
	request.Header.Set("x-ms-date", date)
	request.Header.Set("x-ms-version", "2019-02-02")
	request.Header.Set("Accept", "application/json;odata=nometadata")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "SharedKeyLite "+c.account.Name+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return response{}, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	var told struct {
		Error struct{ Code string } `json:"odata.error"`
	}
	_ = json.Unmarshal(text, &told)
	return response{got.StatusCode, told.Error.Code, string(text)}, err
}

func (c tables) create(table string) int {
	c.t.Helper()
	return c.send("POST", "Tables", `{"TableName":"`+table+`"}`).status
}

func (c tables) insert(table, entity string) response {
	c.t.Helper()
	return c.send("POST", table, entity)
}

// list returns the entities of a table. Without a table, it returns the names of tables.
func (c tables) list(table string) []map[string]any {
	c.t.Helper()
	got := c.send("GET", table, "")
	if got.status != 200 {
		c.t.Fatalf("GET %s: %d %s", table, got.status, got.code)
	}
	var page struct{ Value []map[string]any }
	if err := json.Unmarshal([]byte(got.body), &page); err != nil {
		c.t.Fatal(err)
	}
	return page.Value
}
