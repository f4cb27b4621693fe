import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { packageFile } from '../../data/package-file.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute } from '../control-route.ts';

/** scripts/build.mjs writes this file. */
const pagePath = 'dist/docs/index.html';

/**
 * GET /_emulator/docs: a page about both REST APIs. The page works offline. The OpenAPI documents and the pages of the
 * advisor's rules are below this address.
 */
export function docsRoutes(): readonly ControlRoute[] {
  return [
    {
      method: 'GET',
      url: '/_emulator/docs',
      isPublic: true,
      async handler(_request, reply) {
        const page = await readPackageFile(pagePath);
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
        const page = /^[a-z][a-z-]*$/.test(name) ? packageFile(`docs/advisor/${name}.md`) : undefined;
        if (!page) throw new ControlError('NotFound', 'The advisor has no such rule.');
        return reply.type('text/markdown; charset=utf-8').send(await readFile(page, 'utf8'));
      },
    },
  ];
}

function yamlRoute(name: string): ControlRoute {
  return {
    method: 'GET',
    url: `/_emulator/docs/${name}.yaml`,
    isPublic: true,
    handler: async (_request, reply) =>
      reply.type('application/yaml').send(await readPackageFile(`openapi/${name}.yaml`)),
  };
}

function readPackageFile(path: string): Promise<string> {
  const file = packageFile(path);
  if (!file) throw new Error(`${path} is missing: npm run build writes the page`);
  return readFile(file, 'utf8');
}

/**
 * Returns a policy that allows the page's own style and script, an inline icon, and requests of the page's forms to
 * this emulator. The policy allows no framing.
 */
function policyFor(page: string): string {
  const hashOf = (element: string): string => {
    const text = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(page)?.[1] ?? '';
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  const own = [`style-src ${hashOf('style')}`, `script-src ${hashOf('script')}`, 'img-src data:', "connect-src 'self'"];
  return ["default-src 'none'", ...own, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ');
}
