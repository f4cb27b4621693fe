// An emulator with HTTPS, and requests that do not check its certificate. This needs the openssl command.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type EmulatorOptions, startEmulator } from '../../src/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const openssl: string = 'openssl';
export const hasOpenssl = spawnSync(openssl, ['version']).status === 0;

export interface SecureAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a GET for a path below the account. */
export type SecureGet = (path: string, headers: OutgoingHttpHeaders) => Promise<SecureAnswer>;

/** Makes a key, and a certificate that is signed with that key only. */
export function createTls(): { readonly cert: string; readonly key: string } {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  spawnSync(openssl, ['req', '-x509', '-nodes', ...curve, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert]);
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  folder.remove();
  return tls;
}

/** Starts an emulator on a free port, in memory, and stops it after the last test of the file. */
export async function startSecureService(options: EmulatorOptions = {}): Promise<SecureGet> {
  const tls = createTls();
  const emulator = await startEmulator({ ...options, tls });
  afterAll(() => emulator.close());
  return (path, headers) => get(`${emulator.url}/devstoreaccount1${path}`, headers);
}

function get(url: string, headers: OutgoingHttpHeaders): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, rejectUnauthorized: false, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text) => (body += text));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, reason: answer.statusMessage ?? '', headers: answer.headers, body });
      });
    });
    asked.on('error', reject).end();
  });
}
