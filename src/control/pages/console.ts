import { readFile } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';
import { packageFile } from '../../data/package-file.ts';
import { ControlError } from '../control-error.ts';
import type { ControlRoute } from '../control-route.ts';

/** All files come from the emulator, and all their requests go to it. */
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

/** The form of a file name from the build: a word, a hash and an extension. No path has this form. */
const assetPattern = /^[A-Za-z0-9_-]{1,80}\.(js|css)$/;

/**
 * GET /_emulator/console and the files of the console, which are read from the disk for each request. The files hold no
 * data. They need no token, because a browser cannot send a token when it loads a page. The requests that the page then
 * sends need the token. GET /_emulator/ redirects to the console. A browser that opens the emulator's address without
 * a path is also redirected to the console.
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
  // scripts/build.mjs puts the file there.
  const found = packageFile(`dist/console/${file}`);
  if (!found) throw noSuchFile();
  return readFile(found);
}

const noSuchFile = (): ControlError =>
  new ControlError(
    'NotFound',
    'There is no such file of the console. A page that was open before an update asks for files of the old version.',
  );
