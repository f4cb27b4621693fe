import { existsSync } from 'node:fs';

/** The folder of the package, relative to the ESM bundle, the CommonJS bundle and the sources. */
const roots = ['../', '../../', '../../../'].map((path) => new URL(path, import.meta.url));

/** A file of the package by its path in the package, such as `dist/docs/index.html`; undefined if it is missing. */
export function packageFile(path: string): URL | undefined {
  const root = roots.find((folder) => existsSync(new URL('dist/', folder)));
  const file = new URL(path, root);
  return existsSync(file) ? file : undefined;
}
