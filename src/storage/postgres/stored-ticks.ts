import { createMomentFormat, ticksPerSecond } from '../../model/ticks.ts';

const fractionDigits = String(ticksPerSecond).length - 1;

/** Formats ticks in decimal digits, as PostgreSQL sends them. This is faster than a conversion to BigInt. */
export function createStoredTicksFormat(): (ticks: string) => string {
  const format = createMomentFormat();
  return (ticks) => format(Number(ticks.slice(0, -fractionDigits)), Number(ticks.slice(-fractionDigits)));
}
