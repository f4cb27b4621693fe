// Runs every bench in turn and closes with one table. Ratios are comparable between machines, rates and times are not.
import { measureFirstAnswers, printFirstAnswers } from './first-answer.mjs';
import { readFlags } from './flags.mjs';
import { measureInserts } from './insert.mjs';
import { measurePointReads, readFloor } from './point-read.mjs';
import { percent, printComparison } from './rounds.mjs';

const flags = readFlags();
const { entities, connections, starts } = flags;

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
  ['point reads', percent(reads.ofCeiling), reads.timesAzurite.toFixed(1)],
  ['single inserts', percent(writes.ofCeiling), writes.timesAzurite.toFixed(1)],
  ['spawn to first answer', '–', (firsts.Azurite / firsts.Tanzanite).toFixed(1)],
];
console.log('\n| | of the ceiling | times as fast as Azurite |\n| --- | ---: | ---: |');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
