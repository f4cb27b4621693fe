// Runs every bench in turn and closes with one table. Ratios are comparable between machines, rates and times are not.
import { measureBatches } from './batch.mjs';
import { measureBystanders, printBystanders } from './bystander.mjs';
import { measureFirstAnswers, printFirstAnswers } from './first-answer.mjs';
import { readFlags } from './flags.mjs';
import { measureInserts } from './insert.mjs';
import { measurePages } from './page-read.mjs';
import { measurePartitionScans } from './partition-scan.mjs';
import { measurePointReads, readFloor } from './point-read.mjs';
import { startQueryServers } from './query-servers.mjs';
import { measureRanges } from './range-read.mjs';
import { percent, printComparison } from './rounds.mjs';
import { measureTableScans } from './table-scan.mjs';

const flags = readFlags();
const { entities, connections, starts, batchEntities, queryEntities, scanEntities, bystanderEntities } = flags;
const withoutCeiling = flags.servers.filter((name) => name !== 'ceiling');

const reads = await measurePointReads(flags);
printComparison({
  title: `point reads, ${entities} entities, ${connections} connections`,
  floor: readFloor,
  result: reads,
});
const writes = await measureInserts(flags);
printComparison({ title: `single inserts, ${connections} connections`, result: writes });
const firsts = await measureFirstAnswers(flags);
printFirstAnswers({ starts, result: firsts });

const rows = [
  rowOf('point reads', reads),
  rowOf('single inserts', writes),
  ['spawn to first answer', '–', (firsts.Azurite / firsts.Tanzanite).toFixed(1)],
  ...(await measureQueries(batchEntities, measureAllBatches, withoutCeiling)),
  ...(await measureQueries(queryEntities, measureShortQueries)),
  ...(await measureQueries(scanEntities, measureAllQueries)),
];
const bystanders = flags.servers.includes('tanzanite') ? await measureBystanders(flags) : undefined;
if (bystanders) printBystanders({ entities: bystanderEntities, result: bystanders });

console.log('\n| | of the ceiling | times as fast as Azurite |\n| --- | ---: | ---: |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);

// One load serves all the queries over as many entities.
async function measureQueries(size, measure, names = flags.servers) {
  const { servers, entities, stop } = await startQueryServers({ names, entities: size });
  const measured = await measure({ servers, entities, flags });
  await stop();
  return measured.map(([name, result]) => rowOf(`${name}, ${entities.toLocaleString('en-US')} entities`, result));
}

async function measureAllBatches(loaded) {
  const { replacing, adding } = await measureBatches(loaded);
  return [
    ['batches of existing entities', replacing],
    ['batches of new entities', adding],
  ];
}

async function measureShortQueries(loaded) {
  return [
    ['ranges of 10', await measureRanges(loaded)],
    ['pages of 1000', await measurePages(loaded)],
  ];
}

async function measureAllQueries(loaded) {
  const short = await measureShortQueries(loaded);
  const partition = await measurePartitionScans(loaded);
  const table = await measureTableScans(loaded);
  return [
    ...short,
    ['one match in a partition', partition],
    ['one match in a table by number', table.number],
    ['one match in a table by string', table.label],
    ['by number, beside writes', table.numberWritten],
    ['by string, beside writes', table.labelWritten],
    // Last: they add to the table.
    ...(await measureAllBatches(loaded)),
  ];
}

function rowOf(name, { ofCeiling, timesAzurite }) {
  return [name, ofCeiling === undefined ? '–' : percent(ofCeiling), timesAzurite?.toFixed(1) ?? '–'];
}
