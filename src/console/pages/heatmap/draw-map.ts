import type { HeatReport } from '../../../control/observe/heat-report.ts';
import { visibleText } from '../../format.ts';
import { boundaryColour, colourOf, ground } from './colours.ts';
import { brightnessOf, type HeatMatrix } from './heat-matrix.ts';

/** Where the parts of the picture are, in CSS pixels. */
export interface MapFrame {
  readonly width: number;
  readonly height: number;
  /** The edges of the area with the cells. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface MapPlace {
  readonly column: number;
  readonly row: number;
}

const labelWidth = 148;
const stripHeight = 34;
const axisHeight = 24;
/** Height of what is above and below the cells. */
export const aroundHeight = stripHeight + 8 + axisHeight;

export function frameOf(width: number, height: number): MapFrame {
  return { width, height, left: labelWidth, top: stripHeight + 8, right: width - 8, bottom: height - axisHeight };
}

/** The cell at a point; undefined outside the cells. */
export function placeAt(
  { x, y }: { readonly x: number; readonly y: number },
  { left, top, right, bottom }: MapFrame,
  { columns, rows }: HeatMatrix,
): MapPlace | undefined {
  if (x < left || x >= right || y < top || y >= bottom) return undefined;
  return {
    column: Math.floor(((x - left) / (right - left)) * columns),
    row: Math.floor(((y - top) / (bottom - top)) * rows),
  };
}

export interface MapPicture {
  readonly report: HeatReport;
  readonly matrix: HeatMatrix;
  readonly frame: MapFrame;
  /** The cell that is pointed at. */
  readonly place: MapPlace | undefined;
  /** When the last column ends, in milliseconds since 1970. */
  readonly endMs: number;
  readonly style: { readonly muted: string; readonly strip: string; readonly font: string };
}

export function drawMap(context: CanvasRenderingContext2D, picture: MapPicture): void {
  const { frame } = picture;
  context.clearRect(0, 0, frame.width, frame.height);
  context.fillStyle = ground;
  context.fillRect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top);
  drawCells(context, picture);
  drawStrip(context, picture);
  drawBoundaries(context, picture);
  drawKeys(context, picture);
  drawTimes(context, picture);
  drawPlace(context, picture);
}

/** Edges lie on whole pixels, so that no seam shows between cells. */
const columnAt = ({ frame: { left, right }, matrix: { columns } }: MapPicture, column: number): number =>
  Math.round(left + (column / columns) * (right - left));
const rowAt = ({ frame: { top, bottom }, matrix: { rows } }: MapPicture, row: number): number =>
  Math.round(top + (row / rows) * (bottom - top));

function drawCells(context: CanvasRenderingContext2D, picture: MapPicture): void {
  const { columns, rows, values, max } = picture.matrix;
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = [rowAt(picture, row), rowAt(picture, row + 1)];
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column] ?? 0;
      if (value <= 0) continue;
      const left = columnAt(picture, column);
      context.fillStyle = colourOf(brightnessOf(value, max));
      context.fillRect(left, top, Math.max(1, columnAt(picture, column + 1) - left), Math.max(1, bottom - top));
    }
  }
}

/** Draws the sum of each column above the map. */
function drawStrip(context: CanvasRenderingContext2D, picture: MapPicture): void {
  const { columns, rows, values } = picture.matrix;
  const sums = Array.from({ length: columns }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += values[row * columns + column] ?? 0;
    return sum;
  });
  const max = Math.max(...sums, 0);
  context.fillStyle = picture.style.strip;
  for (const [column, sum] of sums.entries()) {
    if (sum <= 0) continue;
    const height = Math.max(1, (sum / max) * stripHeight);
    const left = columnAt(picture, column);
    context.fillRect(left, stripHeight - height + 2, Math.max(1, columnAt(picture, column + 1) - left), height);
  }
}

/**
 * Draws a line for each boundary, from the split that made the boundary to the merge that ended it. A split or a merge
 * that is on the map gets a mark.
 */
function drawBoundaries(context: CanvasRenderingContext2D, picture: MapPicture): void {
  context.strokeStyle = boundaryColour;
  context.fillStyle = boundaryColour;
  context.lineWidth = 1.5;
  for (const { row, fromColumn, beforeColumn } of picture.report.boundaries) {
    const y = rowAt(picture, row) + 0.5;
    const [from, to] = [columnAt(picture, fromColumn), columnAt(picture, beforeColumn)];
    context.beginPath();
    context.moveTo(from, y);
    context.lineTo(to, y);
    context.stroke();
    if (fromColumn > 0) drawMark(context, { x: from, y, direction: 1 });
    if (beforeColumn < picture.matrix.columns) drawMark(context, { x: to, y, direction: -1 });
  }
}

function drawMark(context: CanvasRenderingContext2D, { x, y, direction }: { x: number; y: number; direction: 1 | -1 }) {
  context.beginPath();
  context.moveTo(x, y - 4);
  context.lineTo(x + 6 * direction, y);
  context.lineTo(x, y + 4);
  context.fill();
}

const lineHeight = 18;

/** Draws the first key of each row, or of every second row and so on if there is not enough room. */
function drawKeys(context: CanvasRenderingContext2D, picture: MapPicture): void {
  const { frame, matrix, report, style } = picture;
  context.font = style.font;
  context.fillStyle = style.muted;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  // A key may be written from right to left. It still ends at the edge of the map.
  context.direction = 'ltr';
  const rowHeight = (frame.bottom - frame.top) / matrix.rows;
  const step = Math.max(1, Math.ceil(lineHeight / rowHeight));
  for (let row = 0; row < matrix.rows; row += step) {
    const y = (rowAt(picture, row) + rowAt(picture, row + 1)) / 2;
    context.fillText(labelOf(report.rows[row]?.from ?? ''), frame.left - 10, y);
  }
}

const labelCharsMax = 19;

function labelOf(key: string): string {
  const text = key === '' ? '(empty)' : visibleText(key);
  return text.length <= labelCharsMax ? text : `${text.slice(0, 8)}…${text.slice(-10)}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Possible distances between two labels. */
const stepsMinutes = [1, 2, 5, 10, 15] as const;

function drawTimes(context: CanvasRenderingContext2D, picture: MapPicture): void {
  const { frame, report, endMs, style } = picture;
  const { columns, columnMs } = report;
  const beginMs = endMs - columns * columnMs;
  context.font = style.font;
  const pixelsPerMinute = ((frame.right - frame.left) * 60_000) / (columns * columnMs);
  const labelPixels = context.measureText(clock.format(endMs)).width;
  const step = stepsMinutes.find((minutes) => minutes * pixelsPerMinute > labelPixels + 16) ?? 30;
  const stepMs = step * 60_000;
  context.fillStyle = style.muted;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (let ms = Math.ceil(beginMs / stepMs) * stepMs; ms < endMs; ms += stepMs) {
    const x = frame.left + ((ms - beginMs) / (endMs - beginMs)) * (frame.right - frame.left);
    if (x < frame.left + labelPixels / 2 || x > frame.width - labelPixels / 2) continue;
    context.fillRect(Math.round(x), frame.bottom, 1, 5);
    context.fillText(clock.format(ms), x, frame.bottom + 8);
  }
}

function drawPlace(context: CanvasRenderingContext2D, picture: MapPicture): void {
  const { place, frame } = picture;
  if (!place) return;
  const [left, right] = [columnAt(picture, place.column), columnAt(picture, place.column + 1)];
  const [top, bottom] = [rowAt(picture, place.row), rowAt(picture, place.row + 1)];
  context.strokeStyle = 'rgb(255 255 255 / 55%)';
  context.lineWidth = 1;
  context.strokeRect(frame.left + 0.5, top + 0.5, frame.right - frame.left - 1, bottom - top - 1);
  context.strokeStyle = '#ffffff';
  context.lineWidth = 2;
  context.strokeRect(left - 1, top - 1, Math.max(4, right - left + 2), bottom - top + 2);
}
