package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const (
	entityCount   = 2_500
	insertsAtOnce = 16
)

var accountKey = regexp.MustCompile("AccountKey=[^;]+")

var partitions = []string{"", "10", "9", "A", "B", "_", "a", "b", "Ä", "漢"}

func checkTables() {
	check("creates a table", func() {
		created := must(service.CreateTable(ctx, "goCreated"+run, nil))
		equal(*created.TableName, "goCreated"+run)
		must(service.DeleteTable(ctx, "goCreated"+run, nil))
	})
	check("answers 409 TableAlreadyExists when the table exists", func() {
		equal(answerOf(table.CreateTable(ctx, nil)), "409 TableAlreadyExists")
	})
	check("lists tables in pages, in the order of their names", func() {
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
	check("deletes a table", func() {
		must(service.CreateTable(ctx, "goDeleted"+run, nil))
		equal(answerOf(service.DeleteTable(ctx, "goDeleted"+run, nil)), "done")
		for _, name := range tableNames(1000) {
			equal(name == "goDeleted"+run, false)
		}
	})
	check("answers 404 ResourceNotFound if the table to delete is missing", func() {
		equal(answerOf(service.DeleteTable(ctx, "goMissing"+run, nil)), "404 ResourceNotFound")
	})
	check("answers 404 TableNotFound to an insert into a missing table", func() {
		missing := service.NewClient("goMissing" + run)
		equal(answerOf(missing.AddEntity(ctx, entity(newKey(), nil), nil)), "404 TableNotFound")
	})
	check("answers 403 AuthenticationFailed when the key is wrong", func() {
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

// keyOf is the key of entity n; the stride sends them out of order, and row keys without zeros sort unlike numbers.
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

// manyPages inserts entityCount entities, some at once, and lists them in pages of 1,000.
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
	check("has at most 1,000 entities in a page", func() {
		for _, page := range manyPages() {
			equal(len(page) <= 1000, true)
		}
	})
	check("returns every entity once", func() {
		listed := manyListed()
		equal(len(listed), entityCount)
		seen := map[int]bool{}
		for _, found := range listed {
			equal(key{found.PartitionKey, found.RowKey}, keyOf(found.N))
			seen[found.N] = true
		}
		equal(len(seen), entityCount)
	})
	check("is in the order of (PartitionKey, RowKey), across pages too", func() {
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
	check("returns only the selected properties in a list", checkSelect)
	check("has one empty page for an empty table", func() {
		equal(pageLengths("goEmpty", nil, 1000), []int{0})
	})
	check("continues after a page if the next key is the empty string", func() {
		keys := []key{{"", ""}, {"", "a"}, {"", "b"}, {"p", ""}, {"p", "a"}}
		equal(pageLengths("goEnds", keys, 1), []int{1, 1, 1, 1, 1})
	})
	check("sends no token with a full last page", func() {
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
