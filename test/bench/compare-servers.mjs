// Compares two servers on one row of the bench, in pairs of consecutive slices. The order of the servers alternates
// from pair to pair. Of all figures, processor time per request is disturbed least by other work on the machine.
import { checkSameAnswers, fillTable } from './loaded-servers.mjs';
import { measureSlice } from './slice.mjs';
import { quartiles } from './statistics.mjs';

const warmUpPairs = 2;

// Prints the ratios head / base, with the quartiles over the pairs.
export async function compareServers({ base, head, row, generator, entities, pairs, seconds }) {
  for (const server of [base, head]) await fillTable({ server, entities });
  await checkSameAnswers({ servers: [base, head], row, entities });
  const measure = (server) =>
    measureSlice({ generator, server, row, entities, seconds, hasOwnTable: Boolean(row.isAdding) });
  const measured = [];
  for (let pair = -warmUpPairs; pair < pairs; pair++) {
    const isBaseFirst = pair % 2 === 0;
    const [first, second] = isBaseFirst ? [base, head] : [head, base];
    const figures = [await measure(first), await measure(second)];
    if (pair >= 0) measured.push(isBaseFirst ? figures : figures.toReversed());
  }
  printPairs({ base, head, row, entities, measured });
}

function printPairs({ base, head, row, entities, measured }) {
  const figures = [
    ['processor time per request', ({ userUs, systemUs }) => userUs + systemUs, 'µs'],
    ['of it in user mode', ({ userUs }) => userUs, 'µs'],
    ['requests a second', ({ ratePerSecond }) => ratePerSecond, '/s'],
  ];
  console.log(
    `${row.title}, ${entities.toLocaleString('en-US')} entities: ${head.name} over ${base.name}, median of ${measured.length} pairs (quartiles)`,
  );
  for (const [title, figureOf, unit] of figures) {
    const ratios = quartiles(measured.map(([first, second]) => figureOf(second) / figureOf(first)));
    const sides = [0, 1].map((side) => quartiles(measured.map((pair) => figureOf(pair[side]))).middle.toFixed(1));
    if (Number.isNaN(ratios.middle)) console.log(`  ${title.padEnd(26)}this system does not tell it`);
    else console.log(`  ${title.padEnd(26)}${ratioText(ratios)}   ${sides.join(' → ')} ${unit}`);
  }
}

function ratioText({ low, middle, high }) {
  return `${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}
