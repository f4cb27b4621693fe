// Renders results as Markdown, for the output of the bench and for docs/benchmarks.md.
import { geometricMean } from './statistics.mjs';

const mib = 2 ** 20;
export const goals = { startMsMax: 200, residentMibMax: 135, p99TimesAloneMax: 4, geometricMeans: [6.5, 18] };

export function renderReport(results) {
  const { machine, options, minutes, rows } = results;
  const tables = rows.length > 0 ? [...renderRatios(rows), '', ...renderServers(rows), ''] : [];
  return [
    `${machine.date}, commit ${machine.commit}, ${nodesText(machine)}, ${machine.processor}, ${machine.memoryGib} GiB, ${machine.system}.`,
    `Load by ${results.generator ?? 'nothing'}; ${options.rounds} rounds of ${options.seconds} s; ${minutes.toFixed(0)} minutes in all; load average before the run: ${machine.loadBefore.toFixed(1)}.`,
    ...(options.isQuick ? ['A smoke run: these figures mean nothing.'] : []),
    '',
    ...tables,
    ...renderMeans(results),
    ...renderRest(results),
    ...results.notMeasured.map(({ what, why }) => `- Not measured: ${what}: ${why}.`),
  ].join('\n');
}

function nodesText({ node, azurite }) {
  if (!azurite) return `Node ${node}`;
  const where = azurite.node === node ? '' : ` on Node ${azurite.node}`;
  return `Node ${node}, Azurite ${azurite.version}${where}`;
}

// The line that is printed for a row while the bench runs.
export function rowLine({ title, entities, ofCeiling, timesAzurite, servers }) {
  const rates = Object.entries(servers).map(([name, { ratePerSecond }]) => `${name} ${numberText(ratePerSecond)}/s`);
  const ratios = [
    ofCeiling && `${percent(ofCeiling.rate.middle)} of the ceiling`,
    timesAzurite && `${times(timesAzurite.rate.middle)} Azurite`,
  ];
  return `${title}, ${numberText(entities)}: ${[...ratios, ...rates].filter(Boolean).join(', ')}`;
}

export function geometricMeans({ rows, options }) {
  const means = options.sizes.map((entities, at) => {
    // Rows over HTTPS are not compared: the goal is older than these rows.
    const compared = rows.filter((row) => row.entities === entities && row.timesAzurite && !row.isSecure);
    const ratios = compared.map(timesOf);
    return { entities, mean: geometricMean(ratios), goal: goals.geometricMeans[at], count: ratios.length };
  });
  return means.filter(({ count }) => count > 0);
}

function renderRatios(rows) {
  return renderTable(
    ['requests a second', 'entities', 'of the ceiling', 'goal', 'times Azurite', 'goal'],
    rows.map(({ title, entities, ofCeiling, timesAzurite, targets }) => [
      title,
      numberText(entities),
      spread(ofCeiling?.rate, percent),
      goalText({ goal: targets.ofCeiling, value: ofCeiling?.rate.middle, text: percent }),
      spread(timesAzurite?.rate, times),
      goalText({ goal: targets.timesAzurite, value: timesAzurite?.rate.middle, text: String }),
    ]),
  );
}

function renderServers(rows) {
  const head = [
    'requests/s; processor time per request: user + system, µs',
    'entities',
    'Tanzanite',
    'ceiling',
    'Azurite',
  ];
  const ratios = ['of the ceiling by processor time', 'times Azurite by processor time'];
  return renderTable(
    [...head, ...ratios],
    rows.map(({ title, entities, ofCeiling, timesAzurite, servers: { Tanzanite, ceiling, Azurite } }) => [
      title,
      numberText(entities),
      ...[Tanzanite, ceiling, Azurite].map(serverText),
      spread(ofCeiling?.time, percent),
      spread(timesAzurite?.time, times),
    ]),
  );
}

function renderMeans(results) {
  return geometricMeans(results).map(({ entities, mean, goal, count }) => {
    const goalReached = aimText({ ...results, text: `≥ ${goal}`, isReached: mean >= goal });
    return `- Geometric mean of “times Azurite” at ${numberText(entities)} entities (${count === 1 ? '1 row' : `${count} rows`}): **${times(mean)}**${goalReached}.`;
  });
}

function renderRest(results) {
  const { start, library, executable, memory, bystander, options } = results;
  const lines = [];
  if (start) {
    const texts = Object.entries(start).map(([name, figures]) => `${name} ${spread(figures, whole)} ms`);
    const isReached = start.Tanzanite.middle <= goals.startMsMax || !cachesCode(results.machine);
    const aim = aimText({ ...results, text: `≤ ${goals.startMsMax} ms from Node 22.8 on`, isReached });
    lines.push(`- From spawn to the first answer: ${texts.join(', ')}${aim}.`);
  }
  if (library) {
    const [started, account, restored] = [library.start, library.account, library.restore].map((it) => spread(it, ms));
    lines.push(
      `- The library: importing it and starting an emulator takes ${started}; creating an account and its first table takes ${account}; restoring a snapshot of 1,000 entities takes ${restored}.`,
    );
  }
  if (executable) lines.push(renderExecutable(executable));
  if (memory) {
    const { idle, afterWrites, table, account } = memory;
    const isReached = afterWrites / mib <= goals.residentMibMax;
    const aim = aimText({ ...results, text: `≤ ${goals.residentMibMax} MiB`, isReached });
    lines.push(
      `- Resident memory ten seconds after ${numberText(options.writes)} inserts: ${whole(afterWrites / mib)} MiB${aim}.`,
    );
    lines.push(
      `- Resident memory when idle: ${whole(idle / mib)} MiB; each further table takes ${kib(table)}, and each further account takes ${kib(account)} while its file is open.`,
    );
  }
  if (bystander) lines.push(renderBystander(results));
  return lines;
}

function renderExecutable({ own, azurite }) {
  const { first, later } = own.starts;
  const sizes = ({ bytes, compressed, files }) =>
    `${megabytes(compressed)} compressed, and ${megabytes(bytes)} unpacked in ${numberText(files)} ${files === 1 ? 'file' : 'files'}`;
  const lines = [
    `- The executable, from spawn to the first answer: ${spread(first, whole)} ms at the first start on a machine, ${spread(later, whole)} ms at later starts. The size of the executable is ${sizes(own.sizes)}, including Node.`,
  ];
  if (azurite)
    lines.push(
      `  Azurite's package with its dependencies: ${spread(azurite.starts, whole)} ms at each start. The size of the package with its dependencies is ${sizes(azurite.sizes)}, without Node.`,
    );
  return lines.join('\n');
}

// Whether this version of Node keeps compiled code, which Node does from version 22.8 on.
export function cachesCode({ node }) {
  const [major, minor] = node.slice(1).split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 8);
}

function renderBystander({ bystander, options }) {
  const { entities, readsPerSecond, scanners, alone, beside, p99TimesAlone, scansPerSecond } = bystander;
  const isReached = p99TimesAlone.middle <= goals.p99TimesAloneMax;
  const aim = aimText({ options, text: `≤ ${goals.p99TimesAloneMax}`, isReached });
  return [
    `- Point reads at a steady ${numberText(readsPerSecond)}/s over ${numberText(entities)} entities: the p99 is ${ms(alone.p99)} without scans, and ${ms(beside.p99)} while`,
    `  ${scanners} clients scan the table: **${spread(p99TimesAlone, times)}**${aim}. The p50 is ${ms(alone.p50)} without scans, and ${ms(beside.p50)} with scans.`,
    `  The clients scan the table ${numberText(scansPerSecond)} times a second, which is ${numberText(bystander.scannedPerSecond / 1e6)} million entities a second. Loading the table`,
    `  took ${whole(bystander.loadSeconds)} s. After that, the server took ${whole(bystander.residentBytes / mib)} MiB of memory, and its folder took ${whole(bystander.diskBytes / mib)} MiB on the disk. The load generator's timer was late by ${ms(alone.lateP99)} without scans and by ${ms(beside.lateP99)} with scans (p99).`,
  ].join('\n');
}

export function renderTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)];
}

function spread(figures, text) {
  if (!Number.isFinite(figures?.middle)) return '–';
  const { low, middle, high } = figures;
  return `${text(middle)} (${text(low)} to ${text(high)})`;
}

function serverText(server) {
  if (!server) return '–';
  const { ratePerSecond, userUs, systemUs } = server;
  const time = Number.isFinite(userUs) ? `; ${numberText(userUs)} + ${numberText(systemUs)}` : '';
  return `${numberText(ratePerSecond)}/s${time}`;
}

function goalText({ goal, value, text }) {
  return goal === undefined || value === undefined ? '–' : `≥ ${text(goal)}${missedText(value >= goal)}`;
}

// The goals apply only to tables of the full size, so a smoke run has none.
function aimText({ options, text, isReached }) {
  return options.isQuick ? '' : ` (goal ${text}${missedText(isReached)})`;
}

function missedText(isReached) {
  return isReached ? '' : ', missed';
}

function timesOf({ timesAzurite }) {
  return timesAzurite.rate.middle;
}

export function percent(share) {
  return `${whole(share * 100)} %`;
}

export function times(ratio) {
  return `${ratio < 19.95 ? ratio.toFixed(1) : whole(ratio)}×`;
}

export function numberText(number) {
  return number.toLocaleString('en-US', { maximumFractionDigits: number < 100 ? 1 : 0 });
}

export function ms(number) {
  return `${number.toFixed(1)} ms`;
}

function megabytes(bytes) {
  return `${numberText(bytes / 1e6)} MB`;
}

function kib(bytes) {
  return `${numberText(Math.max(0, bytes) / 1_024)} KiB`;
}

function whole(number) {
  return String(Math.round(number));
}
