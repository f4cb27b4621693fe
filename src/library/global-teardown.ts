// biome-ignore lint/style/noDefaultExport: what Jest calls.
export { tearDown as default } from './emulator-of-the-run.ts';
