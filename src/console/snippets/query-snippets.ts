// A query as code that sends it.

import { quoted, quotedPython, quotedShell } from './quoted.ts';

export const queryLanguages = ['C#', 'JavaScript', 'Python', 'curl'] as const;
export type QueryLanguage = (typeof queryLanguages)[number];

export interface QuerySnippet {
  readonly account: string;
  readonly table: string;
  readonly filter: string;
  readonly select: readonly string[];
  readonly top: number | undefined;
}

export function querySnippet(language: QueryLanguage, snippet: QuerySnippet): string {
  return writers[language](snippet);
}

const writers: Readonly<Record<QueryLanguage, (snippet: QuerySnippet) => string>> = {
  'C#': csharp,
  JavaScript: javascript,
  Python: python,
  curl,
};

const given = (parts: readonly (string | false)[]): readonly string[] =>
  parts.filter((part): part is string => part !== false);

function csharp({ table, filter, select, top }: QuerySnippet): string {
  const parts = given([
    filter !== '' && `    filter: ${quoted(filter)}`,
    top !== undefined && `    maxPerPage: ${top}`,
    select.length > 0 && `    select: new[] { ${select.map(quoted).join(', ')} }`,
  ]);
  return [
    'using Azure.Data.Tables;',
    '',
    `var table = new TableClient(connectionString, ${quoted(table)});`,
    `var query = table.QueryAsync<TableEntity>(${parts.length > 0 ? `\n${parts.join(',\n')}` : ''});`,
    'await foreach (var entity in query)',
    '{',
    '    Console.WriteLine($"{entity.PartitionKey} {entity.RowKey}");',
    '}',
  ].join('\n');
}

function javascript({ table, filter, select, top }: QuerySnippet): string {
  const parts = given([
    filter !== '' && `filter: ${quoted(filter)}`,
    select.length > 0 && `select: [${select.map(quoted).join(', ')}]`,
  ]);
  const options = parts.length > 0 ? `{ queryOptions: { ${parts.join(', ')} } }` : '';
  const head = [
    "import { TableClient } from '@azure/data-tables';",
    '',
    `const table = TableClient.fromConnectionString(connectionString, ${quoted(table)});`,
  ];
  const loop =
    top === undefined
      ? [`for await (const entity of table.listEntities(${options})) {`, '  console.log(entity);', '}']
      : [
          `const pages = table.listEntities(${options}).byPage({ maxPageSize: ${top} });`,
          'for await (const page of pages) {',
          '  for (const entity of page) console.log(entity);',
          '}',
        ];
  return [...head, ...loop].join('\n');
}

function python({ table, filter, select, top }: QuerySnippet): string {
  const options = given([
    select.length > 0 && `select=[${select.map(quotedPython).join(', ')}]`,
    top !== undefined && `results_per_page=${top}`,
  ]);
  const call =
    filter === ''
      ? `table.list_entities(${options.join(', ')})`
      : `table.query_entities(${[quotedPython(filter), ...options].join(', ')})`;
  return [
    'from azure.data.tables import TableClient',
    '',
    `table = TableClient.from_connection_string(connection_string, ${quotedPython(table)})`,
    `for entity in ${call}:`,
    '    print(entity)',
  ].join('\n');
}

function curl({ account, table, filter, select, top }: QuerySnippet): string {
  const options = given([
    filter !== '' && `  --data-urlencode ${quotedShell(`$filter=${filter}`)}`,
    select.length > 0 && `  --data-urlencode ${quotedShell(`$select=${select.join(',')}`)}`,
    top !== undefined && `  --data-urlencode ${quotedShell(`$top=${top}`)}`,
    "  --header 'Accept: application/json;odata=minimalmetadata'",
    "  --header 'x-ms-version: 2019-02-02'",
  ]);
  const url = quotedShell(`${window.location.origin}/${account}/${table}()?`);
  return [
    '# SAS holds a shared access signature; the page Connect makes one.',
    `curl --get ${url}"$SAS" \\`,
    options.join(' \\\n'),
  ].join('\n');
}
