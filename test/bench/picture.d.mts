import type { Results } from './report.mjs';

export function drawPicture(runs: readonly Results[]): string;
