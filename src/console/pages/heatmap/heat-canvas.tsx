import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { HeatReport } from '../../../control/observe/heat-report.ts';
import { isDark } from '../../theme.ts';
import { aroundHeight, drawMap, frameOf, type MapFrame, type MapPlace, placeAt } from './draw-map.ts';
import { type HeatMatrix, type Measure, matrixOf } from './heat-matrix.ts';
import { PlaceCard } from './place-card.tsx';

const rowHeightMax = 56;

export interface HeatCanvasProps {
  readonly report: HeatReport;
  readonly measure: Measure;
  /** When the last column ends, in milliseconds since 1970. */
  readonly endMs: number;
  /** What the picture shows, for screen readers. */
  readonly summary: string;
  /** Called when the user chooses a range of keys. */
  readonly onChoose: (row: number) => void;
}

/** The picture. The arrow keys go from cell to cell as the mouse does; Enter or a click chooses the range. */
export function HeatCanvas({ report, measure, endMs, summary, onChoose }: HeatCanvasProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useSignal<MapPlace | undefined>(undefined);
  const size = useSize(canvas);
  const matrix = matrixOf(report, measure);
  const frame = frameOf(size.width, size.height);
  const current = within(place.value, matrix);
  const dark = isDark.value;
  useLayoutEffect(() => {
    if (canvas.current && size.width > 0) paint(canvas.current, { report, matrix, frame, place: current, endMs });
    // Painting reads colours from the style sheet, and the theme (`dark`) changes these.
  }, [report, measure, endMs, size.width, size.height, current?.column, current?.row, dark]);
  const pointAt = ({ offsetX, offsetY }: MouseEvent): MapPlace | undefined =>
    placeAt({ x: offsetX, y: offsetY }, frame, matrix);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && current) onChoose(current.row);
    if (event.key === 'Escape') place.value = undefined;
    const next = stepOf(event.key, current, matrix);
    if (!next) return;
    event.preventDefault();
    place.value = next;
  };
  return (
    <div
      class="heat-map"
      role="application"
      aria-roledescription="heat map"
      aria-label={summary}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go through the map
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => {
        place.value = undefined;
      }}
    >
      <canvas
        ref={canvas}
        class={current ? 'pointing' : undefined}
        style={{ maxHeight: `${heightMax(matrix.rows)}px` }}
        onMouseMove={(event) => {
          place.value = pointAt(event);
        }}
        onMouseLeave={() => {
          place.value = undefined;
        }}
        onClick={(event) => {
          const at = pointAt(event);
          if (at) onChoose(at.row);
        }}
      />
      <div role="status" class="heat-status">
        {current && (
          <PlaceCard report={report} place={current} endMs={endMs} at={pointOf(current, frame, matrix)} frame={frame} />
        )}
      </div>
    </div>
  );
}

/** A map with few rows is not stretched beyond this height. */
const heightMax = (rows: number): number => rows * rowHeightMax + aroundHeight;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Follows the size of the canvas on the page. */
function useSize(canvas: { readonly current: HTMLCanvasElement | null }): Size {
  const size = useSignal<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [canvas, size]);
  return size.value;
}

interface Painted {
  readonly report: HeatReport;
  readonly matrix: HeatMatrix;
  readonly frame: MapFrame;
  readonly place: MapPlace | undefined;
  readonly endMs: number;
}

function paint(canvas: HTMLCanvasElement, painted: Painted): void {
  const { width, height } = painted.frame;
  const ratio = window.devicePixelRatio;
  const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
  }
  const context = canvas.getContext('2d');
  if (!context) return;
  const sheet = getComputedStyle(canvas);
  const colour = (name: string): string => sheet.getPropertyValue(name).trim();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawMap(context, {
    ...painted,
    style: {
      muted: colour('--muted'),
      strip: colour('--accent'),
      font: `12px ${sheet.fontFamily}`,
    },
  });
}

const within = (place: MapPlace | undefined, { rows, columns }: HeatMatrix): MapPlace | undefined =>
  place && place.row < rows && place.column < columns ? place : undefined;

/** The cell to which a key moves. If there is no current cell, that is the newest cell of the first row. */
function stepOf(key: string, place: MapPlace | undefined, { rows, columns }: HeatMatrix): MapPlace | undefined {
  const { column, row } = place ?? { column: columns, row: 0 };
  const at = (nextColumn: number, nextRow: number): MapPlace => ({
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
    row: Math.max(0, Math.min(rows - 1, nextRow)),
  });
  switch (key) {
    case 'ArrowLeft':
      return at(column - 1, row);
    case 'ArrowRight':
      return at(column + 1, row);
    case 'ArrowUp':
      return at(column, row - 1);
    case 'ArrowDown':
      return at(column, place ? row + 1 : 0);
    case 'PageUp':
      return at(column, row - 10);
    case 'PageDown':
      return at(column, row + 10);
    case 'Home':
      return at(0, row);
    case 'End':
      return at(columns - 1, row);
    default:
      return undefined;
  }
}

function pointOf({ column, row }: MapPlace, { left, right, top, bottom }: MapFrame, { columns, rows }: HeatMatrix) {
  return {
    x: left + ((column + 0.5) / columns) * (right - left),
    y: top + ((row + 1) / rows) * (bottom - top),
  };
}
