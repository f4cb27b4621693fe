import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ControlRoute } from './control-route.ts';

/** scripts/build.mjs writes the documents. From the ESM bundle, from the CommonJS bundle, and from the sources. */
const folders = ['docs/', '../docs/', '../../dist/docs/'];

const readDocument = (name: string): Promise<string> => {
  const folder = folders.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(new URL(name, url)));
  if (folder === undefined) throw new Error(`${name} is not in dist/docs: npm run build writes it`);
  return readFile(new URL(name, folder), 'utf8');
};

/**
 * GET /_emulator/docs and the OpenAPI documents below it: both REST APIs, readable offline. GET /_emulator/ leads there, and so
 * does the bare address of the emulator in a browser.
 */
export function docsRoutes(): readonly ControlRoute[] {
  return [
    landingRoute('/_emulator/'),
    landingRoute('/_emulator'),
    {
      method: 'GET',
      url: '/_emulator/docs',
      isPublic: true,
      async handler(_request, reply) {
        const page = await readDocument('index.html');
        return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', policyFor(page)).send(page);
      },
    },
    yamlRoute('table-service'),
    yamlRoute('control-plane'),
  ];
}

function landingRoute(url: string): ControlRoute {
  return { method: 'GET', url, isPublic: true, handler: async (_request, reply) => reply.redirect('/_emulator/docs') };
}

function yamlRoute(name: string): ControlRoute {
  return {
    method: 'GET',
    url: `/_emulator/docs/${name}.yaml`,
    isPublic: true,
    handler: async (_request, reply) => reply.type('application/yaml').send(await readDocument(`${name}.yaml`)),
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
