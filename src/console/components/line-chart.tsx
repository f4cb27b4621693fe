import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatShort, formatTime } from '../format.ts';
import { isDark } from '../theme.ts';

export interface LineChartProps {
  /** What screen readers read in place of the picture: what it shows, and its last values. */
  readonly label: string;
  /** Moments in seconds since 1970, in order. */
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Length of the period that is shown, in seconds. It ends now. */
  readonly seconds: number;
  readonly height?: number;
}

export interface ChartLine {
  readonly name: string;
  /** One value for each moment in `times`. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of 10-tokens.css. */
  readonly colour: string;
  /** A limit is dashed and has no area. */
  readonly isLimit?: boolean;
}

/** Lines over time. */
export function LineChart({ label, times, lines, seconds, height = 220 }: LineChartProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const names = lines.map(({ name }) => name).join();
  const dark = isDark.value;
  const latest = useRef({ lines, seconds, height });
  latest.current = { lines, seconds, height };
  // New lines or new colours need a new chart.
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = new uPlot(optionsOf(element, latest.current), [[]], element);
    chart.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: latest.current.height }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [names, dark]);
  useEffect(() => {
    const shown = chart.current;
    if (!shown) return;
    shown.setData([[...times], ...lines.map(({ values }) => [...values])] as uPlot.AlignedData);
    // While the pointer is not over the chart, the legend shows the latest values.
    if ((shown.cursor.left ?? -1) < 0 && times.length > 0) shown.setLegend({ idx: times.length - 1 });
  });
  return <div ref={host} class="chart" role="img" aria-label={label} />;
}

type Shape = Pick<Required<LineChartProps>, 'lines' | 'seconds' | 'height'>;

function optionsOf(element: HTMLElement, { lines, seconds, height }: Shape): uPlot.Options {
  const styles = getComputedStyle(element);
  const colourOf = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colourOf('muted'),
    grid: { stroke: colourOf('line'), width: 1 },
    ticks: { stroke: colourOf('line'), width: 1, size: 4 },
    font: `12px ${styles.fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height,
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { live: true },
    scales: {
      x: { range: (_chart, _min, max) => [max - seconds, max] },
      y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.12)] },
    },
    axes: [
      { ...axis, size: 32, space: 110, values: (_chart, ticks) => ticks.map((tick) => formatTime(tick * 1000)) },
      { ...axis, size: 56, values: (_chart, ticks) => ticks.map((tick) => formatShort(tick)) },
    ],
    series: [
      { value: (_chart, value) => (value === null ? '–' : formatTime(value * 1000)) },
      ...lines.map(({ name, colour, isLimit = false }) => ({
        label: name,
        stroke: colourOf(colour),
        width: isLimit ? 1.5 : 2,
        ...(isLimit ? { dash: [6, 5] } : { fill: `${colourOf(colour)}1c` }),
        points: { show: false },
        value: (_chart: uPlot, value: number | null) => (value === null ? '–' : formatShort(value)),
      })),
    ],
  };
}
