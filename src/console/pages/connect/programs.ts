// A first program in each language, as short as its SDK allows.

export const programLanguages = [
  { name: 'csharp', label: 'C#', install: 'dotnet add package Azure.Data.Tables' },
  { name: 'javascript', label: 'JavaScript', install: 'npm install @azure/data-tables' },
  { name: 'python', label: 'Python', install: 'pip install azure-data-tables' },
  {
    name: 'java',
    label: 'Java',
    install: 'implementation("com.azure:azure-data-tables:12.+") // build.gradle.kts',
  },
  { name: 'go', label: 'Go', install: 'go get github.com/Azure/azure-sdk-for-go/sdk/data/aztables' },
] as const;

export type LanguageName = (typeof programLanguages)[number]['name'];

/** The program with the connection string in it. The string must not contain a quotation mark. */
export const programIn = (language: LanguageName, connectionString: string): string =>
  programs[language].replace('CONNECTION', () => connectionString);

const programs: Readonly<Record<LanguageName, string>> = {
  csharp: `using Azure.Data.Tables;

const string connection =
    "CONNECTION";
var table = new TableClient(connection, "People");
await table.CreateIfNotExistsAsync();
await table.UpsertEntityAsync(new TableEntity("london", "ada") { ["Name"] = "Ada", ["Born"] = 1815 });

await foreach (var person in table.QueryAsync<TableEntity>(filter: "PartitionKey eq 'london'"))
    Console.WriteLine($"{person["Name"]}, born {person["Born"]}");`,

  javascript: `import { TableClient } from '@azure/data-tables';

const connection =
  'CONNECTION';
const table = TableClient.fromConnectionString(connection, 'People', { allowInsecureConnection: true });
await table.createTable();
await table.upsertEntity({ partitionKey: 'london', rowKey: 'ada', Name: 'Ada', Born: 1815 });

for await (const person of table.listEntities({ queryOptions: { filter: "PartitionKey eq 'london'" } }))
  console.log(\`\${person.Name}, born \${person.Born}\`);`,

  python: `from azure.data.tables import TableServiceClient

connection = (
    "CONNECTION"
)
service = TableServiceClient.from_connection_string(connection)
table = service.create_table_if_not_exists("People")
table.upsert_entity({"PartitionKey": "london", "RowKey": "ada", "Name": "Ada", "Born": 1815})

for person in table.query_entities("PartitionKey eq 'london'"):
    print(f"{person['Name']}, born {person['Born']}")`,

  java: `import com.azure.data.tables.*;
import com.azure.data.tables.models.*;

public class People {
    public static void main(String[] args) {
        String connection =
            "CONNECTION";
        TableServiceClient service = new TableServiceClientBuilder().connectionString(connection).buildClient();
        service.createTableIfNotExists("People");
        TableClient table = service.getTableClient("People");
        table.upsertEntity(new TableEntity("london", "ada").addProperty("Name", "Ada").addProperty("Born", 1815));

        ListEntitiesOptions options = new ListEntitiesOptions().setFilter("PartitionKey eq 'london'");
        for (TableEntity person : table.listEntities(options, null, null))
            System.out.println(person.getProperty("Name") + ", born " + person.getProperty("Born"));
    }
}`,

  go: `package main

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

const connection = "CONNECTION"

func main() {
	ctx := context.Background()
	service, err := aztables.NewServiceClientFromConnectionString(connection, nil)
	if err != nil {
		panic(err)
	}
	table := service.NewClient("People")
	table.CreateTable(ctx, nil) // an error if it exists

	person := \`{"PartitionKey":"london","RowKey":"ada","Name":"Ada","Born":1815}\`
	if _, err := table.UpsertEntity(ctx, []byte(person), nil); err != nil {
		panic(err)
	}
	pages := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: to.Ptr("PartitionKey eq 'london'")})
	for pages.More() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			panic(err)
		}
		for _, entity := range page.Entities {
			fmt.Println(string(entity))
		}
	}
}`,
};
