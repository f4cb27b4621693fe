// An entity as code that writes it.

import { entityPath } from '../../data/table-client.ts';
import { type ShownEntity, type TypedText, writtenEntityJson } from '../client/edm.ts';
import { quoted, quotedPython, quotedShell } from './quoted.ts';

export const snippetLanguages = ['JSON', 'C#', 'JavaScript', 'Python', 'curl'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export interface EntitySnippet {
  readonly account: string;
  readonly table: string;
  readonly entity: Omit<ShownEntity, 'timestamp' | 'etag'>;
}

export function entitySnippet(language: SnippetLanguage, snippet: EntitySnippet): string {
  return writers[language](snippet);
}

const writers: Readonly<Record<SnippetLanguage, (snippet: EntitySnippet) => string>> = {
  JSON: ({ entity }) => indentedJson(entity),
  'C#': csharp,
  JavaScript: javascript,
  Python: python,
  curl,
};

/** One member on each line, with its annotation. Values contain no braces. */
function indentedJson(entity: EntitySnippet['entity']): string {
  const lines = [
    `"PartitionKey": ${quoted(entity.partitionKey)}`,
    `"RowKey": ${quoted(entity.rowKey)}`,
    ...[...entity.properties].flatMap(([name, value]) => jsonMembers(name, value)),
  ];
  return `{\n${lines.map((line) => `  ${line}`).join(',\n')}\n}`;
}

function jsonMembers(name: string, { type, text }: TypedText): readonly string[] {
  const isBare = type === 'Edm.Boolean' || type === 'Edm.Int32' || (type === 'Edm.Double' && /[.eE]/.test(text));
  const value = isBare && !/[yN]/.test(text) ? text : quoted(text);
  if (type === 'Edm.String' || (isBare && value === text)) return [`${quoted(name)}: ${value}`];
  return [`${quoted(`${name}@odata.type`)}: "${type}"`, `${quoted(name)}: ${value}`];
}

function csharp({ table, entity }: EntitySnippet): string {
  const members = [...entity.properties].map(([name, value]) => `    [${quoted(name)}] = ${csharpValue(value)},`);
  return [
    'using Azure.Data.Tables;',
    '',
    `var table = new TableClient(connectionString, ${quoted(table)});`,
    `var entity = new TableEntity(${quoted(entity.partitionKey)}, ${quoted(entity.rowKey)})`,
    '{',
    ...members,
    '};',
    'await table.UpsertEntityAsync(entity, TableUpdateMode.Replace);',
  ].join('\n');
}

function csharpValue({ type, text }: TypedText): string {
  switch (type) {
    case 'Edm.Int32':
    case 'Edm.Boolean':
      return text;
    case 'Edm.Int64':
      return `${text}L`;
    case 'Edm.Double':
      if (text === 'NaN') return 'double.NaN';
      if (text.endsWith('Infinity')) return `double.${text.startsWith('-') ? 'Negative' : 'Positive'}Infinity`;
      return `${text}d`;
    case 'Edm.DateTime':
      return `DateTimeOffset.Parse(${quoted(text)})`;
    case 'Edm.Guid':
      return `Guid.Parse(${quoted(text)})`;
    case 'Edm.Binary':
      return `Convert.FromBase64String(${quoted(text)})`;
    default:
      return quoted(text);
  }
}

function javascript({ table, entity }: EntitySnippet): string {
  const members = [...entity.properties].map(([name, value]) => `  ${quoted(name)}: ${javascriptValue(value)},`);
  return [
    "import { TableClient } from '@azure/data-tables';",
    '',
    `const table = TableClient.fromConnectionString(connectionString, ${quoted(table)});`,
    'const entity = {',
    `  partitionKey: ${quoted(entity.partitionKey)},`,
    `  rowKey: ${quoted(entity.rowKey)},`,
    ...members,
    '};',
    "await table.upsertEntity(entity, 'Replace');",
  ].join('\n');
}

function javascriptValue({ type, text }: TypedText): string {
  if (type === 'Edm.Int32' || type === 'Edm.Boolean') return text;
  if (type === 'Edm.String') return quoted(text);
  return `{ type: '${type.slice('Edm.'.length)}', value: ${quoted(text)} }`;
}

function python({ table, entity }: EntitySnippet): string {
  const members = [...entity.properties].map(([name, value]) => `    ${quotedPython(name)}: ${pythonValue(value)},`);
  const types = new Set([...entity.properties.values()].map(({ type }) => type));
  return [
    ...(types.has('Edm.Binary') ? ['from base64 import b64decode'] : []),
    ...(types.has('Edm.DateTime') ? ['from datetime import datetime'] : []),
    ...(types.has('Edm.Guid') ? ['from uuid import UUID'] : []),
    `from azure.data.tables import ${types.has('Edm.Int64') ? 'EdmType, EntityProperty, ' : ''}TableClient, UpdateMode`,
    '',
    `table = TableClient.from_connection_string(connection_string, ${quotedPython(table)})`,
    'entity = {',
    `    "PartitionKey": ${quotedPython(entity.partitionKey)},`,
    `    "RowKey": ${quotedPython(entity.rowKey)},`,
    ...members,
    '}',
    'table.upsert_entity(entity, mode=UpdateMode.REPLACE)',
  ].join('\n');
}

function pythonValue({ type, text }: TypedText): string {
  switch (type) {
    case 'Edm.Int32':
      return text;
    case 'Edm.Boolean':
      return text === 'true' ? 'True' : 'False';
    case 'Edm.Int64':
      return `EntityProperty(${text}, EdmType.INT64)`;
    case 'Edm.Double':
      return /[yN]/.test(text) ? `float("${text}")` : text;
    case 'Edm.DateTime':
      // Python keeps six digits of a second.
      return `datetime.fromisoformat("${text.replace(/(\.\d{6})\d+/, '$1').replace(/Z$/, '+00:00')}")`;
    case 'Edm.Guid':
      return `UUID(${quotedPython(text)})`;
    case 'Edm.Binary':
      return `b64decode(${quotedPython(text)})`;
    default:
      return quotedPython(text);
  }
}

function curl({ account, table, entity }: EntitySnippet): string {
  const url = `${window.location.origin}/${account}/${entityPath(table, entity)}?`;
  return [
    '# SAS holds a shared access signature; the page Connect makes one.',
    `curl --request PUT ${quotedShell(url)}"$SAS" \\`,
    "  --header 'Content-Type: application/json' --header 'x-ms-version: 2019-02-02' \\",
    `  --data ${quotedShell(writtenEntityJson(entity))}`,
  ].join('\n');
}
