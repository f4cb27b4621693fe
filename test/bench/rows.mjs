// What the bench measures with the load generator. Members of a row:
//   peers       the servers that are measured in addition to Tanzanite
//   isRepeated  whether the row is also measured over the larger table, without the ceiling
//   render      renders a request (requests.mjs, batches.mjs)
//   variants    the number of requests that are prepared for a slice
//   expected    what an answer must contain: an entity, this many entities, nothing, or a batch without errors
//   isAdding    whether the row adds entities; the rows that add entities come last, and use new tables instead of the
//               smaller table
//   isSecure    whether the row is measured over HTTPS, with servers that have a certificate
//   usesToken   whether the requests have a bearer token
//   isSlow      whether Azurite answers only a few requests per second; the rate is then measured from the first
//               request to the last answer
//   isPart      whether an answer has a continuation
//   targets     goals: ofCeiling is a share of the ceiling's rate, timesAzurite is a multiple of Azurite's rate
import { addBatch, insertBatch, replaceBatch } from './batches.mjs';
import {
  insert,
  pageQuery,
  partitionMatch,
  pointRead,
  rangeEntities,
  rangeQuery,
  replace,
  tableMatch,
} from './requests.mjs';

// The numbers of entities in the smaller and the larger table.
export const sizes = [20_000, 200_000];
const timesAzurite = 4;
const withCeiling = ['ceiling', 'azurite'];
const azurite = ['azurite'];

export const rows = [
  {
    name: 'point-read',
    title: 'point reads, Shared Key Lite',
    render: pointRead,
    expected: 'entity',
    variants: 8_000,
    connections: 16,
    peers: withCeiling,
    isRepeated: true,
    targets: { ofCeiling: 0.8, timesAzurite },
  },
  {
    name: 'point-read-sas',
    title: 'point reads, account SAS',
    render: pointRead,
    usesSas: true,
    expected: 'entity',
    variants: 8_000,
    connections: 16,
    peers: withCeiling,
    targets: { ofCeiling: 0.75, timesAzurite },
  },
  {
    name: 'range',
    title: 'ranges of 10',
    render: rangeQuery,
    expected: rangeEntities,
    variants: 4_000,
    connections: 16,
    peers: withCeiling,
    isRepeated: true,
    targets: { ofCeiling: 0.7, timesAzurite },
  },
  {
    name: 'page-400',
    title: 'pages of 400',
    render: pageQuery(400),
    isSlow: true,
    isPart: true,
    expected: 400,
    variants: 200,
    connections: 16,
    peers: azurite,
    targets: { timesAzurite: 6 },
  },
  {
    name: 'page-1000',
    title: 'pages of 1000',
    render: pageQuery(1_000),
    isSlow: true,
    isPart: true,
    expected: 1_000,
    variants: 200,
    connections: 16,
    peers: withCeiling,
    isRepeated: true,
    targets: { ofCeiling: 0.85, timesAzurite: 6 },
  },
  {
    name: 'partition-scan',
    title: 'one match in a partition of 1000',
    render: partitionMatch,
    expected: 1,
    variants: 2_000,
    connections: 16,
    peers: azurite,
    isRepeated: true,
    targets: { timesAzurite },
  },
  {
    name: 'table-scan',
    title: 'one match in the table',
    render: tableMatch,
    isSlow: true,
    expected: 1,
    variants: 500,
    connections: 16,
    peers: azurite,
    isRepeated: true,
    targets: { timesAzurite: 7 },
  },
  {
    name: 'replace',
    title: 'insert-or-replace',
    render: replace,
    expected: 'nothing',
    variants: 8_000,
    connections: 16,
    peers: azurite,
    isRepeated: true,
    targets: { timesAzurite },
  },
  {
    name: 'batch-existing',
    title: 'batches of 100, existing keys',
    render: replaceBatch,
    isSlow: true,
    expected: 'batch',
    variants: 40,
    connections: 4,
    peers: azurite,
    isRepeated: true,
    targets: { timesAzurite },
  },
  {
    name: 'insert',
    title: 'inserts',
    render: insert,
    isAdding: true,
    expected: 'nothing',
    variants: 500,
    connections: 16,
    peers: withCeiling,
    isRepeated: true,
    targets: { ofCeiling: 1, timesAzurite },
  },
  {
    name: 'batch-new',
    title: 'batches of 100, new keys',
    render: addBatch,
    isAdding: true,
    isSlow: true,
    expected: 'batch',
    variants: 40,
    connections: 4,
    peers: azurite,
    isRepeated: true,
    targets: { timesAzurite },
  },
  {
    name: 'load',
    title: 'one client that fills a table by batches',
    render: insertBatch,
    isAdding: true,
    expected: 'batch',
    variants: 40,
    connections: 1,
    peers: azurite,
    targets: { timesAzurite: 2 },
  },
  {
    name: 'https',
    title: 'point reads, Shared Key Lite, HTTPS',
    render: pointRead,
    isSecure: true,
    expected: 'entity',
    variants: 8_000,
    connections: 16,
    peers: azurite,
    targets: { timesAzurite },
  },
  {
    name: 'token',
    title: 'point reads, bearer token, HTTPS',
    render: pointRead,
    isSecure: true,
    usesToken: true,
    expected: 'entity',
    variants: 8_000,
    connections: 16,
    peers: azurite,
    targets: { timesAzurite },
  },
];

// The check that load.mjs makes on the answers to a row.
export function checkOf({ expected, isSlow, isPart }) {
  if (expected === 'batch') return 'batch:100';
  if (!isSlow) return 'none';
  return isPart ? 'time' : 'end';
}

export function findRow(name) {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`no row is named ${name}; there are ${rows.map((one) => one.name).join(', ')}`);
  return row;
}
