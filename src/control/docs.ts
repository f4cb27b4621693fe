import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ControlError } from './control-error.ts';
import type { ControlRoute } from './control-route.ts';

/** scripts/build.mjs writes the page. From the ESM bundle, from the CommonJS bundle, and from the sources. */
const pages = ['docs/index.html', '../docs/index.html', '../../dist/docs/index.html'];
/** The documents lie beside dist. From the ESM bundle; from the CommonJS bundle and the sources. */
const documents = ['../openapi/', '../../openapi/'];
/** As these. */
const rulePages = ['../docs/advisor/', '../../docs/advisor/'];

const findFirst = (paths: readonly string[]): URL | undefined =>
  paths.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));

const readFirst = (paths: readonly string[]): Promise<string> => {
  const found = findFirst(paths);
  if (found === undefined) throw new Error(`there is none of ${paths.join(', ')}: npm run build writes the page`);
  return readFile(found, 'utf8');
};

/**
 * GET /_emulator/docs, and below it the OpenAPI documents and the pages of the advisor's rules: both REST APIs, readable offline.
 */
export function docsRoutes(): readonly ControlRoute[] {
  return [
    {
      method: 'GET',
      url: '/_emulator/docs',
      isPublic: true,
      async handler(_request, reply) {
        const page = await readFirst(pages);
        return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', policyFor(page)).send(page);
      },
    },
    yamlRoute('table-service'),
    yamlRoute('control-plane'),
    {
      method: 'GET',
      url: '/_emulator/docs/advisor/:name',
      isPublic: true,
      async handler({ params }, reply) {
        const { name } = params as { readonly name: string };
        const paths = /^[a-z][a-z-]*$/.test(name) ? rulePages.map((folder) => `${folder}${name}.md`) : [];
        if (!findFirst(paths)) throw new ControlError('NotFound', 'The advisor has no such rule.');
        return reply.type('text/markdown; charset=utf-8').send(await readFirst(paths));
      },
    },
  ];
}

function yamlRoute(name: string): ControlRoute {
  return {
    method: 'GET',
    url: `/_emulator/docs/${name}.yaml`,
    isPublic: true,
    async handler(_request, reply) {
      const paths = documents.map((folder) => `${folder}${name}.yaml`);
      return reply.type('application/yaml').send(await readFirst(paths));
    },
  };
}

/** Allows the page's own style and script, an inline icon, and requests to this emulator, which its forms send; no framing. */
function policyFor(page: string): string {
  const hashOf = (element: string): string => {
    const text = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(page)?.[1] ?? '';
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  const own = [`style-src ${hashOf('style')}`, `script-src ${hashOf('script')}`, 'img-src data:', "connect-src 'self'"];
  return ["default-src 'none'", ...own, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ');
}
