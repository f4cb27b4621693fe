// Renders the part of docs/benchmarks.md that shows the results of several runs, one for each version of Node. A table
// compares the runs. The report of each run follows.
import {
  cachesCode,
  geometricMeans,
  goals,
  ms,
  numberText,
  percent,
  renderReport,
  renderTable,
  times,
} from './report.mjs';

const mib = 2 ** 20;

export function renderPage(runs) {
  const rows = [...azuriteRows(runs), ...ceilingRows(runs), ...otherRows(runs)].map(
    ({ title, entities, goal, cells }) => [
      title,
      entities === undefined ? '–' : numberText(entities),
      ...cells,
      goal ?? '–',
    ],
  );
  const nodes = runs.map(({ machine }) => `Node ${machine.node.slice(1)}`);
  const reports = runs.map((run) => `### Node ${run.machine.node.slice(1)}\n\n${renderReport(run)}`);
  const head = ['medians', 'entities', ...nodes, 'goal'];
  return [...renderTable(head, rows), '', reports.join('\n\n')].join('\n');
}

// The rows of all runs without duplicates, in the order of the bench.
export function mergeRows(runs) {
  const merged = new Map();
  for (const run of runs) {
    for (const row of run.rows) {
      const key = keyOf(row);
      if (!merged.has(key))
        merged.set(key, { ...row, inRuns: runs.map(({ rows }) => rows.find((it) => keyOf(it) === key)) });
    }
  }
  return [...merged.values()].sort((a, b) => a.entities - b.entities);
}

function keyOf({ title, entities }) {
  return `${entities} ${title}`;
}

function azuriteRows(runs) {
  const rows = mergeRows(runs)
    .filter(({ timesAzurite }) => timesAzurite)
    .map(({ title, entities, targets, inRuns }) => ({
      title: `${title}, times Azurite`,
      entities,
      goal: targets.timesAzurite && `≥ ${targets.timesAzurite}`,
      cells: inRuns.map((row) =>
        cell({
          value: row?.timesAzurite?.rate.middle,
          text: times,
          isReached: (value) => value >= (targets.timesAzurite ?? 0),
        }),
      ),
    }));
  const means = runs.map(geometricMeans);
  const sizes = [...new Set(means.flat().map(({ entities }) => entities))];
  for (const entities of sizes) {
    const inRuns = means.map((list) => list.find((mean) => mean.entities === entities));
    const goal = runs.some(({ options }) => options.isQuick) ? undefined : inRuns.find(Boolean)?.goal;
    rows.push({
      title: 'geometric mean, times Azurite',
      entities,
      goal: goal && `≥ ${goal}`,
      cells: inRuns.map((mean) => cell({ value: mean?.mean, text: times, isReached: (value) => value >= (goal ?? 0) })),
    });
  }
  return rows;
}

function ceilingRows(runs) {
  return mergeRows(runs)
    .filter(({ ofCeiling }) => ofCeiling)
    .map(({ title, entities, targets: { ofCeiling: goal }, inRuns }) => ({
      title: `${title}, of the ceiling`,
      entities,
      goal: goal && `≥ ${percent(goal)}`,
      cells: inRuns.map((row) =>
        cell({ value: row?.ofCeiling?.rate.middle, text: percent, isReached: (value) => value >= (goal ?? 0) }),
      ),
    }));
}

// Each has the goal of the report. A smoke run has no goals.
const others = [
  {
    title: 'from spawn to the first answer',
    figureOf: ({ start }) => start?.Tanzanite.middle,
    text: ms,
    goal: `≤ ${goals.startMsMax} ms from Node 22.8 on`,
    isReached: (value, { machine }) => value <= goals.startMsMax || !cachesCode(machine),
  },
  { title: 'Azurite, from spawn to the first answer', figureOf: ({ start }) => start?.Azurite?.middle, text: ms },
  { title: 'library: import and start', figureOf: ({ library }) => library?.start.middle, text: ms },
  { title: 'library: an account and its first table', figureOf: ({ library }) => library?.account.middle, text: ms },
  { title: 'library: a restored snapshot', figureOf: ({ library }) => library?.restore.middle, text: ms },
  { title: 'executable: a later start', figureOf: ({ executable }) => executable?.own.starts.later.middle, text: ms },
  {
    title: 'resident memory ten seconds after the inserts',
    figureOf: ({ memory }) => memory && memory.afterWrites / mib,
    text: (value) => `${value.toFixed(0)} MiB`,
    goal: `≤ ${goals.residentMibMax} MiB`,
    isReached: (value) => value <= goals.residentMibMax,
  },
  {
    title: 'p99 of point reads during scans, as a multiple of the p99 without scans',
    figureOf: ({ bystander }) => bystander?.p99TimesAlone.middle,
    text: times,
    goal: `≤ ${goals.p99TimesAloneMax}`,
    isReached: (value) => value <= goals.p99TimesAloneMax,
  },
];

function otherRows(runs) {
  const isQuick = runs.some(({ options }) => options.isQuick);
  return others
    .filter(({ figureOf }) => runs.some((run) => figureOf(run) !== undefined))
    .map(({ title, figureOf, text, goal, isReached = () => true }) => ({
      title,
      goal: isQuick ? undefined : goal,
      cells: runs.map((run) =>
        cell({ value: figureOf(run), text, isReached: (value) => isQuick || isReached(value, run) }),
      ),
    }));
}

function cell({ value, text, isReached }) {
  if (!Number.isFinite(value)) return '–';
  return `${text(value)}${isReached(value) ? '' : ', missed'}`;
}
