import { createMomentFormat, ticksPerSecond } from '../../model/ticks.ts';

const fractionDigits = String(ticksPerSecond).length - 1;

/** Formats decimal ticks, PostgreSQL's form of a bigint. This is faster than through a BigInt. */
export function createStoredTicksFormat(): (ticks: string) => string {
  const format = createMomentFormat();
  return (ticks) => format(Number(ticks.slice(0, -fractionDigits)), Number(ticks.slice(-fractionDigits)));
}
