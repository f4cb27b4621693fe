// Faults of a certificate or its key are reported before the server starts. This needs the openssl command.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, createServer, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CertificateFault, checkCertificate, type Tls } from '../../../src/http/certificate.ts';
import { hasOpenssl, openssl as opensslCommand } from '../../support/secure-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const file = (name: string): Buffer => readFileSync(join(folder.path, name));
const concatenate = (name: string, ...parts: string[]): void =>
  writeFileSync(join(folder.path, name), Buffer.concat(parts.map(file)));

function openssl(line: string): void {
  const { status, stderr } = spawnSync(opensslCommand, line.split(' '), { cwd: folder.path, encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${line}: ${stderr}`);
}

function makeFiles(): void {
  const curve = 'ec -pkeyopt ec_paramgen_curve:prime256v1';
  for (const [name, kind] of Object.entries({ rsa: 'rsa:2048', other: 'rsa:2048', ec: curve }))
    openssl(`req -x509 -newkey ${kind} -nodes -days 2 -subj /CN=${name} -keyout ${name}.key -out ${name}.pem`);
  openssl('pkey -in rsa.key -aes256 -passout pass:secret -out encrypted.key');
  openssl('rsa -in rsa.key -traditional -aes128 -passout pass:secret -out traditional.key');
  openssl('pkey -in rsa.key -outform DER -out der.key');
  openssl('pkey -in rsa.key -pubout -out public.key');
  openssl('ecparam -name prime256v1 -genkey -out parameters.key');
  openssl('req -x509 -key parameters.key -days 2 -subj /CN=ec -out parameters.pem');
  openssl('x509 -in rsa.pem -outform DER -out der.pem');
  openssl('x509 -in rsa.pem -addtrust serverAuth -out trusted.pem');
  openssl('req -new -key rsa.key -subj /CN=rsa -out request.pem');
  const pair = 'pkcs12 -export -inkey rsa.key -in rsa.pem';
  openssl(`${pair} -passout pass:secret -out rsa.pfx`);
  openssl(`${pair} -passout pass: -out empty-password.pfx`);
  openssl(`${pair} -passout pass:secret -legacy -out old.pfx`);
  openssl('pkcs12 -export -nokeys -in rsa.pem -passout pass:secret -out without-key.pfx');
  concatenate('chain.pem', 'rsa.pem', 'other.pem');
  concatenate('chain-upside-down.pem', 'other.pem', 'rsa.pem');
  concatenate('both.pem', 'rsa.key', 'rsa.pem');
  writeFileSync(join(folder.path, 'empty'), '\n');
  writeFileSync(join(folder.path, 'text'), 'neither\n');
}

const names = { cert: '--cert CERT', key: '--key KEY', password: '--pwd' };

/** Reads `cert.pem cert.key password`, or `container.pfx - password`. */
function tlsOf(line: string): Tls {
  const [cert = '', key = '', passphrase] = line.split(' ');
  if (key === '-') return { pfx: file(cert), passphrase: passphrase ?? '', names };
  return { cert: file(cert), key: file(key), ...(passphrase === undefined ? {} : { passphrase }), names };
}

function reasonOf(tls: Tls): string {
  try {
    checkCertificate(tls, Date.now());
  } catch (error) {
    if (error instanceof CertificateFault) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

/** Whether a client that checks nothing can complete a TLS handshake with a server that has this certificate. */
async function shakesHands({ names: _names, ...tls }: Tls): Promise<boolean> {
  const server = createServer(tls as TlsOptions, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  const isDone = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  server.close();
  return isDone;
}

describe.skipIf(!hasOpenssl)('A certificate and its key (needs the openssl command)', () => {
  beforeAll(makeFiles);

  it.each([
    'rsa.pem rsa.key',
    'ec.pem ec.key',
    'rsa.pem rsa.key not-needed',
    'rsa.pem encrypted.key secret',
    'rsa.pem traditional.key secret',
    'parameters.pem parameters.key',
    'trusted.pem rsa.key',
    'chain.pem rsa.key',
    'both.pem both.pem',
    'rsa.pfx - secret',
    'empty-password.pfx -',
  ])('are accepted, and serve: %s', async (line) => {
    const tls = tlsOf(line);
    expect(checkCertificate(tls, Date.now())).toBeUndefined();
    expect(await shakesHands(tls)).toBe(true);
  });

  it('are refused if they have two types, although OpenSSL accepts them', async () => {
    const tls = tlsOf('ec.pem rsa.key');
    expect(await shakesHands(tls)).toBe(false);
    expect(reasonOf(tls)).toMatch(/^--key KEY is not the private key of .* --cert CERT: .* RSA, .* EC\. /);
  });

  it.each([
    ['rsa.pem ec.key', '--key KEY is not the private key of the certificate in --cert CERT: it is of type EC'],
    ['rsa.pem other.key', '--key KEY is not the private key of the certificate in --cert CERT. Give a key and'],
    ['trusted.pem other.key', '--key KEY is not the private key of the certificate'],
    ['chain-upside-down.pem rsa.key', 'Put the certificate of the key first'],
    ['rsa.key rsa.pem', '--cert CERT holds the private key and --key KEY the certificate. Exchange the two.'],
    ['rsa.pem rsa.pem', '--key KEY holds a certificate and no private key.'],
    ['rsa.key rsa.key', '--cert CERT holds a private key and no certificate.'],
    ['rsa.pem encrypted.key', '--key KEY is encrypted. Give its password with --pwd, or decrypt it: openssl pkey'],
    ['rsa.pem traditional.key', '--key KEY is encrypted. Give its password with --pwd'],
    ['rsa.pem encrypted.key wrong', '--key KEY is encrypted with another password than that of --pwd'],
    ['rsa.pem der.key', '--key KEY is a private key in DER, not PEM. Convert it: openssl pkey -inform DER'],
    ['rsa.pem public.key', '--key KEY holds a public key. Give the private one.'],
    ['rsa.pem empty', '--key KEY is empty.'],
    ['rsa.pem text', '--key KEY holds no private key in PEM'],
    ['der.pem rsa.key', '--cert CERT is a certificate in DER, not PEM. Convert it: openssl x509 -inform DER'],
    ['request.pem rsa.key', '--cert CERT is a certificate request.'],
    ['rsa.pfx rsa.key', '--cert CERT is a PFX container. Give its password with --pwd, and no key.'],
    ['empty rsa.key', '--cert CERT is empty.'],
    ['text rsa.key', '--cert CERT holds no certificate in PEM'],
    ['rsa.pfx - wrong', '--cert CERT has another password than that of --pwd'],
    ['rsa.pfx -', '--cert CERT has a password. Give it with --pwd.'],
    ['empty-password.pfx - secret', '--cert CERT has another password than that of --pwd'],
    [
      'old.pfx - secret',
      'openssl pkcs12 -legacy -in FILE -nodes -out tls.pem, and give tls.pem as certificate and as key.',
    ],
    ['without-key.pfx - secret', '--cert CERT holds no private key.'],
    ['rsa.pem - secret', '--cert CERT is PEM, not PFX. Give its private key with --key.'],
    ['der.pem - secret', '--cert CERT is a certificate in DER, without a private key.'],
    ['empty - secret', '--cert CERT is empty.'],
    ['text - secret', '--cert CERT is not a PFX container.'],
  ])('are refused with the file and the remedy, in one line: %s', (line, reason) => {
    const message = reasonOf(tlsOf(line));
    expect(message).toContain(reason);
    expect(message).toMatch(/^[^\n]+\.$/);
    expect(message).not.toContain('error:');
  });

  it('are refused with the names of the options if no file has a name', () => {
    const tls = { cert: file('rsa.pem').toString(), key: file('encrypted.key').toString() };
    expect(reasonOf(tls)).toBe('tls.key is encrypted. Decrypt it: openssl pkey -in FILE -out key.pem.');
  });

  it.each([
    ['rsa.pem encrypted.key wrong', 'tls.key is encrypted with another password than the one given ('],
    ['rsa.pfx - wrong', 'tls.cert has another password than the one given ('],
    ['rsa.pfx -', 'tls.cert has a password. Give it.'],
  ])('are refused in complete sentences if no file has a name: %s', (line, reason) => {
    const { names: _names, ...tls } = tlsOf(line);
    expect(reasonOf(tls)).toContain(reason);
  });

  it('of a truncated certificate are refused', () => {
    const cert = file('rsa.pem').subarray(0, 200);
    expect(reasonOf({ cert, key: file('rsa.key'), names })).toMatch(/^--cert CERT cannot be used: /);
  });

  it('can be converted with the command in the message about an old container', () => {
    openssl('pkcs12 -legacy -in old.pfx -nodes -out tls.pem -passin pass:secret');
    expect(checkCertificate(tlsOf('tls.pem tls.pem'), Date.now())).toBeUndefined();
  });

  it.each(['rsa.pem rsa.key', 'rsa.pfx - secret'])(
    'are accepted with a warning outside their period of validity: %s',
    (line) => {
      const dayMs = 86_400_000;
      const ended = checkCertificate(tlsOf(line), Date.now() + 3 * dayMs);
      expect(ended).toMatch(
        /^The certificate of --cert CERT expired on .*: clients that check certificates refuse it\.$/,
      );
      expect(checkCertificate(tlsOf(line), Date.now() - 3 * dayMs)).toMatch(
        /^The certificate of --cert CERT is not valid before /,
      );
    },
  );
});
