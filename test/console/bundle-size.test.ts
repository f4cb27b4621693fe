import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../dist/console', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(?:js|css|html)$/.test(file),
);
const textOf = (file: string): string => readFileSync(`${folder}/${file}`, 'utf8');
const gzippedBytes = (list: readonly string[]): number =>
  list.reduce((sum, file) => sum + gzipSync(textOf(file)).length, 0);

/** A script, and all scripts that it imports before it runs. */
function withImports(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = textOf(file).matchAll(/(?:^|[;\n])import\s*(?:[^'"()]*?from\s*)?["']\.\/([^"']+)["']/g);
  for (const [, name = ''] of imports) withImports(`assets/${name}`, seen);
  return seen;
}

const page = textOf('index.html');
const named = [...page.matchAll(/"console\/(assets\/[^"]+)"/g)].map(([, file = '']) => file);

describe('The bundle of the console', () => {
  it('is at most 350 KB gzipped', () => {
    expect(files.length).toBeGreaterThan(8);
    expect(gzippedBytes(files)).toBeLessThanOrEqual(350_000);
  });

  it('is at most 120 KB gzipped before the first page is shown: the page, its style, the shell and the tables', () => {
    const [main = ''] = named.filter((file) => file.endsWith('.js'));
    const [tables = ''] = files.filter((file) => /^assets\/tables-/.test(file));
    expect(existsSync(`${folder}/${tables}`)).toBe(true);
    const first = new Set(['index.html', ...named, ...withImports(main), ...withImports(tables)]);
    expect(first.size).toBeGreaterThan(3);
    expect(gzippedBytes([...first])).toBeLessThanOrEqual(120_000);
  });

  it('contains no addresses of other machines except namespaces and documentation', () => {
    const hosts = files.flatMap((file) =>
      [...textOf(file).matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host),
    );
    const known = ['www.w3.org', 'learn.microsoft.com', 'schemas.microsoft.com', '127.0.0.1', 'localhost'];
    // The page Identity shows this address as the audience of tokens.
    known.push('storage.azure.com');
    expect([...new Set(hosts)].filter((host) => !known.includes(host))).toEqual([]);
  });
});
