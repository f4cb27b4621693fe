// Makes random decisions with a hash. The same seed, rule and request give the same number, whatever the order of
// requests.

import { hashText } from '../model/hash-text.ts';

/** A number from 0 to 1, exclusive, determined by the texts. */
export const draw = (...parts: readonly (string | number)[]): number => hashText(parts.join('\0')) / 2 ** 32;

/** A 53-bit hash of a text, so that the text need not be kept. */
export const nameOf = (text: string): number => hashText(text) * 2 ** 21 + (hashText(text, 0x2545f491) >>> 11);

/** The 99th percentile of the standard normal distribution. */
const z99 = 2.326_347_874;
/** Minimum of the median, because the logarithm needs a number above 0. */
const medianMsMin = 0.001;

/** A duration with this median and this 99th percentile (log-normal), from two numbers between 0 and 1. */
export function drawDelayMs(
  { p50Ms, p99Ms }: { readonly p50Ms: number; readonly p99Ms: number },
  [first, second]: readonly [number, number],
): number {
  const median = Math.max(p50Ms, medianMsMin);
  const sigma = Math.log(Math.max(p99Ms, median) / median) / z99;
  // The Box–Muller transform.
  const z = Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
  return median * Math.exp(sigma * z);
}
