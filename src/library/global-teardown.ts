// biome-ignore lint/style/noDefaultExport: Jest calls the default export.
export { tearDown as default } from './global-setup.ts';
