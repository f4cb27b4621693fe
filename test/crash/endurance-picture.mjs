// Draws the samples of an endurance run, with one line for each measured value. The colours are legible on light and
// dark pages.
const width = 840;
const chartHeight = 110;
const left = 16;
const top = 44;
const plotWidth = width - 2 * left;
const plotHeight = 64;
const style = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .line { fill: none; stroke: #0e8074; stroke-width: 1.5; }
  .axis { stroke: #8c959f; stroke-opacity: .5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .line { stroke: #2bb3a3; }
  }`;
const mib = (bytes) => `${(bytes / 1_048_576).toFixed(1)} MiB`;
const charts = [
  { name: 'memoryBytes', title: 'resident memory', show: mib },
  { name: 'handles', title: 'file handles', show: String },
  { name: 'fileBytes', title: 'files of accounts', show: mib },
  { name: 'walBytes', title: 'write-ahead log', show: mib },
  { name: 'latencyMs', title: 'a read, median of twenty', show: (ms) => `${ms.toFixed(1)} ms` },
];

/** Returns the picture as SVG. */
export function drawEndurance(samples, title) {
  const height = top + charts.length * chartHeight;
  const parts = charts.map((chart, index) => drawChart(samples, chart, top + index * chartHeight));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>${style}
</style>
<text class="title" x="${left}" y="24">${title}</text>
${parts.join('\n')}
</svg>
`;
}

function drawChart(samples, { name, title, show }, y) {
  const values = samples.map((sample) => sample[name]);
  const most = Math.max(...values);
  const end = samples.at(-1).at;
  const base = y + 24 + plotHeight;
  const points = samples.map(({ at, [name]: value }) => {
    const height = most === 0 ? 0 : (value / most) * plotHeight;
    return `${(left + (at / end) * plotWidth).toFixed(1)},${(base - height).toFixed(1)}`;
  });
  return `<text x="${left}" y="${y + 14}">${title}</text>
<text class="small" x="${width - left}" y="${y + 14}" text-anchor="end">at most ${show(most)}, at the end ${show(values.at(-1))}</text>
<line class="axis" x1="${left}" x2="${width - left}" y1="${base}" y2="${base}"/>
<polyline class="line" points="${points.join(' ')}"/>`;
}
