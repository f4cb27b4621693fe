// biome-ignore lint/style/noDefaultExport: what Vitest and Jest call.
export { setUp as default } from './emulator-of-the-run.ts';
