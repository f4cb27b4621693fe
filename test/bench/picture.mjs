// Draws the results of several runs as a picture. Each row that is compared with Azurite has a bar. The bar shows the
// lowest of the row's ratios in these runs. The scale is logarithmic. The picture is legible on light and dark pages.
import { readFileSync } from 'node:fs';
import { mergeRows } from './page.mjs';
import { geometricMeans, times } from './report.mjs';

const { azurite } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')).dependencies;

const width = 840;
const labelWidth = 290;
const figureWidth = 60;
const rowHeight = 26;
const barHeight = 15;
const headHeight = 64;
const groupHeight = 36;
const scaleMax = 200;
const ticks = [1, 2, 5, 10, 20, 50, 100, 200];
// The colours have enough contrast on white and on GitHub's dark page. The colour of the text follows the reader's
// colour scheme.
const style = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .group { font-weight: 600; }
  .bar { fill: #0e8074; }
  .mean { fill: #b7791f; }
  .grid { stroke: #8c959f; stroke-opacity: .35; }
  .one { stroke: #8c959f; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .bar { fill: #2bb3a3; }
    .mean { fill: #e0a94a; }
  }`;

export function drawPicture(runs) {
  const rows = mergeRows(runs).filter(({ timesAzurite }) => timesAzurite);
  const groups = [...new Set(rows.map(({ entities }) => entities))].map((entities) => ({
    entities,
    bars: [
      ...rows
        .filter((row) => row.entities === entities)
        .map(({ title, inRuns }) => ({ title, ratio: leastOf(inRuns), kind: 'bar' })),
      ...meansOf(runs, entities).map((ratio) => ({ title: 'geometric mean', ratio, kind: 'mean' })),
    ],
  }));
  let y = headHeight;
  const parts = [];
  for (const { entities, bars } of groups) {
    parts.push(
      text({ x: 12, y: y + 22, kind: 'group', content: `a table of ${entities.toLocaleString('en-US')} entities` }),
    );
    y += groupHeight;
    for (const bar of bars) {
      parts.push(drawBar({ ...bar, y }));
      y += rowHeight;
    }
  }
  const height = y + 16;
  const nodes = runs.map(({ machine }) => Number.parseInt(machine.node.slice(1), 10));
  const title = `Requests a second, as multiples of Azurite ${azurite.replace(/\.\d+$/, '')}: Node ${nodes.join(', ')}${runs.length > 1 ? ', the least of them' : ''}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>${style}
</style>
${text({ x: 12, y: 24, kind: 'title', content: title })}
${drawScale(height - 12)}
${parts.join('\n')}
</svg>
`;
}

function leastOf(rows) {
  return Math.min(...rows.flatMap((row) => row?.timesAzurite?.rate.middle ?? []));
}

// The lowest mean of the runs, or undefined if no row with the goal was measured.
function meansOf(runs, entities) {
  const means = runs.flatMap(geometricMeans).filter((mean) => mean.entities === entities);
  return means.length === 0 ? [] : [Math.min(...means.map(({ mean }) => mean))];
}

function drawScale(bottom) {
  return ticks
    .map((tick) => {
      const x = placeOf(tick);
      const line = `<line class="${tick === 1 ? 'one' : 'grid'}" x1="${x}" x2="${x}" y1="${headHeight - 8}" y2="${bottom}"/>`;
      return `${line}\n<text class="small" x="${x}" y="${headHeight - 14}" text-anchor="middle">${tick}×</text>`;
    })
    .join('\n');
}

function drawBar({ title, ratio, kind, y }) {
  const from = placeOf(1);
  const to = placeOf(ratio);
  const top = y + (rowHeight - barHeight) / 2;
  const base = y + rowHeight / 2 + 4;
  const left = Math.min(from, to);
  return [
    text({ x: 24, y: base, content: title }),
    `<rect class="${kind}" x="${left}" y="${top}" width="${round(Math.abs(to - from))}" height="${barHeight}" rx="2"/>`,
    text({ x: Math.max(from, to) + 6, y: base, content: times(ratio) }),
  ].join('\n');
}

function placeOf(ratio) {
  const share = Math.log(Math.min(ratio, scaleMax)) / Math.log(scaleMax);
  return round(labelWidth + share * (width - labelWidth - figureWidth));
}

function text({ x, y, kind, content }) {
  return `<text${kind ? ` class="${kind}"` : ''} x="${x}" y="${y}">${content}</text>`;
}

function round(number) {
  return Math.round(number * 10) / 10;
}
