import { readFile } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { packageFile } from '../../data/package-file.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute } from '../control-route.ts';

/** All files are the emulator's own, and so is everything that they ask. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const mediaTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** A name of the build: a word, a hash, and what it is. No path can be one. */
const assetPattern = /^[A-Za-z0-9_-]{1,80}\.(js|css)$/;

/**
 * GET /_emulator/console and its files, read from the disk when they are asked for. They hold nothing of the data and need no
 * token, which a browser could not send for a page; what the page then asks for needs it.
 * GET /_emulator/ leads here, and so does the bare address of the emulator in a browser.
 */
export function consoleRoutes(): readonly ControlRoute[] {
  const url = '/_emulator/console';
  return [
    {
      method: 'GET',
      url,
      isPublic: true,
      handler: async (_request, reply) =>
        withPolicy(reply)
          .type('text/html; charset=utf-8')
          .send(await readConsole('index.html')),
    },
    landingRoute('/_emulator/'),
    landingRoute('/_emulator'),
    landingRoute(`${url}/`),
    {
      method: 'GET',
      url: `${url}/assets/:name`,
      isPublic: true,
      async handler({ params }, reply) {
        const { name } = params as { readonly name: string };
        const [, kind = ''] = assetPattern.exec(name) ?? [];
        if (kind === '') throw noSuchFile();
        const content = await readConsole(`assets/${name}`);
        return withPolicy(reply)
          .type(mediaTypes[kind] ?? '')
          .header('Cache-Control', 'public, max-age=31536000, immutable')
          .send(content);
      },
    },
  ];
}

function landingRoute(url: string): ControlRoute {
  return {
    method: 'GET',
    url,
    isPublic: true,
    handler: async (_request, reply) => reply.redirect('/_emulator/console'),
  };
}

function withPolicy(reply: FastifyReply): FastifyReply {
  return reply.header('Content-Security-Policy', policy).header('Referrer-Policy', 'no-referrer');
}

async function readConsole(file: string): Promise<Buffer> {
  // scripts/build.mjs puts it there.
  const found = packageFile(`dist/console/${file}`);
  if (!found) throw noSuchFile();
  return readFile(found);
}

const noSuchFile = (): ControlError =>
  new ControlError(
    'NotFound',
    'There is no such file of the console; a page that was open before an update asks for old ones.',
  );
