import type { Results } from './report.mjs';

export function drawPicture(results: Results): string;
