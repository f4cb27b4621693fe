// The entities of the bench: 1 KB each, with a thousand in each partition.

export const partitionEntities = 1_000;
export const batchEntities = 100;
// Marks the place where the load generator writes a unique number. The number is as long as the mark.
export const serialMark = '@'.repeat(12);
const entityBytes = 1_024;
const stampFrom = Date.UTC(2024, 0, 1);
const filler = 'Prefers deliveries before noon; leaves the key with the neighbour. '.repeat(20);
const noSerial = '0'.repeat(serialMark.length);

export function keyOf(at, suffix = '') {
  const partition = Math.floor(at / partitionEntities);
  return { pk: `p${String(partition).padStart(4, '0')}`, rk: `${String(at).padStart(12, '0')}${suffix}` };
}

// Returns the JSON of the entity with this number. The JSON always has exactly entityBytes bytes. If isMarked is true,
// the text of the entity contains the mark for a serial number. If isNew is true, the RowKey contains the mark too, so
// that each request writes an entity that does not exist yet.
export function entityText(at, { isMarked = false, isNew = false } = {}) {
  const { pk, rk } = keyOf(at, isNew ? `-${serialMark}` : '');
  const properties = {
    PartitionKey: pk,
    RowKey: rk,
    Number: at,
    Label: `label-${at}`,
    Ratio: at + 0.5,
    'Stamp@odata.type': 'Edm.DateTime',
    Stamp: `${new Date(stampFrom + at * 1_000).toISOString().slice(0, 19)}.25Z`,
    Text: '',
  };
  const room = entityBytes - JSON.stringify(properties).length;
  properties.Text = `${isMarked ? serialMark : noSerial} ${filler}`.slice(0, room);
  return JSON.stringify(properties);
}

// An entity with about 150 B of properties, for the table of a million entities.
export function smallEntityText(at) {
  const { pk, rk } = keyOf(at);
  const number = String(at).padStart(9, '0');
  return JSON.stringify({
    PartitionKey: pk,
    RowKey: rk,
    Number: at,
    Label: `label-${number}`,
    Remarks: 'Leaves the key with the neighbour; prefers mornings, before ten.',
  });
}

// Returns the number of the first entity of each batch. The first batches write a hundred entities to each partition in
// turn. The next batches write the next hundred entities to each partition, and so on. In sorted order, each partition
// would be stored in one piece. In random order, the entities would not fit into batches.
export function batchStarts(entities) {
  const starts = [];
  for (let offset = 0; offset < partitionEntities; offset += batchEntities) {
    for (let first = offset; first < entities; first += partitionEntities) starts.push(first);
  }
  return starts;
}
