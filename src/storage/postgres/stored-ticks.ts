import { createMomentFormat, ticksPerSecond } from '../../model/ticks.ts';

const fractionDigits = String(ticksPerSecond).length - 1;

/** Formats ticks that are written in decimal, as PostgreSQL gives a bigint; faster than by way of a BigInt. */
export function createStoredTicksFormat(): (ticks: string) => string {
  const format = createMomentFormat();
  return (ticks) => format(Number(ticks.slice(0, -fractionDigits)), Number(ticks.slice(-fractionDigits)));
}
