package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const (
	entityCount   = 2_500
	insertsAtOnce = 16
)

var accountKey = regexp.MustCompile("AccountKey=[^;]+")

var partitions = []string{"", "10", "9", "A", "B", "_", "a", "b", "Ä", "漢"}

func checkTables() {
	check("table-create", func() {
		created := must(service.CreateTable(ctx, "goCreated"+run, nil))
		equal(*created.TableName, "goCreated"+run)
		must(service.DeleteTable(ctx, "goCreated"+run, nil))
	})
	check("table-create-again", func() {
		equal(answerOf(table.CreateTable(ctx, nil)), "409 TableAlreadyExists")
	})
	check("table-list", func() {
		names := []string{"goListA" + run, "goListB" + run, "goListC" + run}
		for _, name := range names {
			must(service.CreateTable(ctx, name, nil))
		}
		listed := []string{}
		for _, name := range tableNames(2) {
			if name == names[0] || name == names[1] || name == names[2] {
				listed = append(listed, name)
			}
		}
		equal(listed, names)
		for _, name := range names {
			must(service.DeleteTable(ctx, name, nil))
		}
	})
	check("table-delete", func() {
		must(service.CreateTable(ctx, "goDeleted"+run, nil))
		equal(answerOf(service.DeleteTable(ctx, "goDeleted"+run, nil)), "done")
		for _, name := range tableNames(1000) {
			equal(name == "goDeleted"+run, false)
		}
	})
	check("table-delete-missing", func() {
		equal(answerOf(service.DeleteTable(ctx, "goMissing"+run, nil)), "404 ResourceNotFound")
	})
	check("table-missing", func() {
		missing := service.NewClient("goMissing" + run)
		equal(answerOf(missing.AddEntity(ctx, entity(newKey(), nil), nil)), "404 TableNotFound")
	})
	check("wrong-key", func() {
		wrong := accountKey.ReplaceAllString(connectionString, "AccountKey=d3Jvbmcga2V5")
		stranger := connect(wrong).NewClient("go" + run)
		equal(answerOf(stranger.GetEntity(ctx, "p", "r", nil)), "403 AuthenticationFailed")
	})
}

func tableNames(pageSize int32) []string {
	names := []string{}
	pager := service.NewListTablesPager(&aztables.ListTablesOptions{Top: &pageSize})
	for pager.More() {
		page := must(pager.NextPage(ctx))
		equal(len(page.Tables) <= int(pageSize), true)
		for _, found := range page.Tables {
			names = append(names, *found.Name)
		}
	}
	return names
}

// keyOf is the key of entity n. The stride scatters the order of inserts. Row keys without leading zeros sort in another order than
// numbers.
func keyOf(n int) key {
	scattered := n * 7919 % entityCount
	return key{partitions[scattered%len(partitions)], strconv.Itoa(scattered)}
}

type listedEntity struct {
	PartitionKey string
	RowKey       string
	N            int
}

func listPages(from *aztables.Client, pageSize int32) [][]listedEntity {
	pages := [][]listedEntity{}
	pager := from.NewListEntitiesPager(&aztables.ListEntitiesOptions{Top: &pageSize})
	for pager.More() {
		page := []listedEntity{}
		for _, body := range must(pager.NextPage(ctx)).Entities {
			var found listedEntity
			mustDo(json.Unmarshal(body, &found))
			page = append(page, found)
		}
		pages = append(pages, page)
	}
	return pages
}

// manyPages inserts entityCount entities, several at the same time, and lists them in pages of 1,000.
var manyPages = sync.OnceValue(func() [][]listedEntity {
	many := service.NewClient("goMany" + run)
	must(many.CreateTable(ctx, nil))
	numbers := make(chan int)
	failures := make(chan error, entityCount)
	var inserters sync.WaitGroup
	for range insertsAtOnce {
		inserters.Add(1)
		go func() {
			defer inserters.Done()
			for n := range numbers {
				_, err := many.AddEntity(ctx, entity(keyOf(n), properties{"N": n}), nil)
				failures <- err
			}
		}()
	}
	for n := range entityCount {
		numbers <- n
	}
	close(numbers)
	inserters.Wait()
	close(failures)
	for err := range failures {
		mustDo(err)
	}
	pages := listPages(many, 1000)
	must(many.Delete(ctx, nil))
	return pages
})

func manyListed() []listedEntity {
	listed := []listedEntity{}
	for _, page := range manyPages() {
		listed = append(listed, page...)
	}
	return listed
}

func checkListing() {
	check("page-size", func() {
		for _, page := range manyPages() {
			equal(len(page) <= 1000, true)
		}
	})
	check("page-complete", func() {
		listed := manyListed()
		equal(len(listed), entityCount)
		seen := map[int]bool{}
		for _, found := range listed {
			equal(key{found.PartitionKey, found.RowKey}, keyOf(found.N))
			seen[found.N] = true
		}
		equal(len(seen), entityCount)
	})
	check("page-order", func() {
		var last listedEntity
		for index, found := range manyListed() {
			inOrder := last.PartitionKey < found.PartitionKey ||
				last.PartitionKey == found.PartitionKey && last.RowKey < found.RowKey
			if index > 0 && !inOrder {
				equal(found, "an entity after "+last.PartitionKey+", "+last.RowKey)
			}
			last = found
		}
	})
	check("list-select", checkSelect)
	check("list-filter", checkFilter)
	check("page-empty", func() {
		equal(pageLengths("goEmpty", nil, 1000), []int{0})
	})
	check("page-next-empty", func() {
		keys := []key{{"", ""}, {"", "a"}, {"", "b"}, {"p", ""}, {"p", "a"}}
		equal(pageLengths("goEnds", keys, 1), []int{1, 1, 1, 1, 1})
	})
	check("page-full", func() {
		equal(pageLengths("goFull", []key{{"", ""}, {"", "a"}, {"", "b"}, {"", "c"}}, 2), []int{2, 2})
	})
}

func checkSelect() {
	small := service.NewClient("goSelect" + run)
	must(small.CreateTable(ctx, nil))
	must(small.AddEntity(ctx, entity(key{"p", "1"}, properties{"a": 1, "b": "two"}), nil))
	must(small.AddEntity(ctx, entity(key{"p", "2"}, properties{"a": 2}), nil))
	names := "RowKey,b"
	page := must(small.NewListEntitiesPager(&aztables.ListEntitiesOptions{Select: &names}).NextPage(ctx))
	listed := []properties{}
	for _, body := range page.Entities {
		found := decode(body)
		equal(found["odata.etag"] != nil, true)
		delete(found, "odata.etag")
		listed = append(listed, found)
	}
	equal(listed, []properties{{"RowKey": "1", "b": "two"}, {"RowKey": "2", "b": nil}})
	must(small.Delete(ctx, nil))
}

func checkFilter() {
	values := properties{
		"text":   "O'Neil",
		"flag":   true,
		"int":    int32(5),
		"long":   aztables.EDMInt64(1<<53 + 1),
		"double": 1.5,
		"when":   aztables.EDMDateTime(must(time.Parse(time.RFC3339Nano, "2024-05-01T10:00:00.25Z"))),
		"guid":   aztables.EDMGUID("c9da6455-213d-42c9-9a79-3e9149a57833"),
		"bytes":  aztables.EDMBinary{1, 2, 254},
	}
	insert := func(row, without string) {
		sent := aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "filter", RowKey: row}, Properties: properties{}}
		for name, value := range values {
			if name != without {
				sent.Properties[name] = value
			}
		}
		must(table.AddEntity(ctx, must(json.Marshal(sent)), nil))
	}
	insert("all", "")
	for name := range values {
		insert(name, name)
	}
	filter := "PartitionKey eq 'filter' and text eq 'O''Neil' and flag eq true and int eq 5 and long eq 9007199254740993L" +
		" and double eq 1.5 and when eq datetime'2024-05-01T10:00:00.25Z'" +
		" and guid eq guid'c9da6455-213d-42c9-9a79-3e9149a57833' and bytes eq X'0102fe'"
	page := must(table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}).NextPage(ctx))
	rows := []any{}
	for _, body := range page.Entities {
		rows = append(rows, decode(body)["RowKey"])
	}
	equal(rows, []any{"all"})
}

func pageLengths(name string, keys []key, pageSize int32) []int {
	listed := service.NewClient(name + run)
	must(listed.CreateTable(ctx, nil))
	for _, at := range keys {
		must(listed.AddEntity(ctx, entity(at, nil), nil))
	}
	lengths := []int{}
	for _, page := range listPages(listed, pageSize) {
		lengths = append(lengths, len(page))
	}
	must(listed.Delete(ctx, nil))
	return lengths
}
