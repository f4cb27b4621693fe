import type { Results } from './report.mjs';

export function renderPage(runs: readonly Results[]): string;
