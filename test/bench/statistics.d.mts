export function median(numbers: readonly number[]): number;
export function quantile(numbers: readonly number[], share: number): number;
export function quartiles(numbers: readonly number[]): { low: number; middle: number; high: number };
export function geometricMean(numbers: readonly number[]): number;
