import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatShort } from '../../format.ts';
import { boundaryColour, colourOf, ground } from './colours.ts';
import { type Measure, valueAtBrightness } from './heat-matrix.ts';

export interface LegendProps {
  readonly measure: Measure;
  /** The brightest cell. */
  readonly max: number;
  readonly columnMs: number;
  readonly hasBoundaries: boolean;
}

const width = 180;
const height = 10;

export function Legend({ measure, max, columnMs, hasBoundaries }: LegendProps): JSX.Element {
  const ramp = useRef<HTMLCanvasElement>(null);
  const lines = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    paintRamp(ramp.current?.getContext('2d'));
    paintLine(lines.current?.getContext('2d'));
  }, [hasBoundaries]);
  const perSecond = (brightness: number): string => formatShort(valueAtBrightness(brightness, max) / (columnMs / 1000));
  return (
    <div class="heat-legend">
      <span>{rates[measure]}</span>
      <span class="heat-ramp">
        <span>0</span>
        <canvas ref={ramp} width={width} height={height} />
        <span>{perSecond(1)}</span>
        <span class="muted">middle: {perSecond(0.5)}</span>
      </span>
      {hasBoundaries && (
        <span class="heat-ramp">
          <canvas ref={lines} width={44} height={14} />
          <span>boundary of ranges, from split to merge</span>
        </span>
      )}
    </div>
  );
}

const rates: Readonly<Record<Measure, string>> = {
  units: 'Entity units a second',
  requests: 'Requests a second',
  refusals: 'Refused requests a second',
  wouldThrottle: 'Requests a second that production would refuse',
};

function paintRamp(context: CanvasRenderingContext2D | null | undefined): void {
  if (!context) return;
  context.fillStyle = ground;
  context.fillRect(0, 0, 8, height);
  for (let x = 8; x < width; x++) {
    context.fillStyle = colourOf((x - 8) / (width - 9));
    context.fillRect(x, 0, 1, height);
  }
}

function paintLine(context: CanvasRenderingContext2D | null | undefined): void {
  if (!context) return;
  context.fillStyle = ground;
  context.fillRect(0, 0, 44, 14);
  context.fillStyle = boundaryColour;
  context.fillRect(4, 6.25, 36, 1.5);
  for (const [x, direction] of [
    [4, 1],
    [40, -1],
  ] as const) {
    context.beginPath();
    context.moveTo(x, 3);
    context.lineTo(x + 6 * direction, 7);
    context.lineTo(x, 11);
    context.fill();
  }
}
