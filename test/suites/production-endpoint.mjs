// Runs the built command as the SDKs' tests expect the service: over TLS, at https://<account>.table.core.windows.net.
// HTTPS_PROXY names a proxy. The proxy connects the SDKs to the emulator under these host names, so the configuration
// of the machine does not change. The proxy refuses every other host, so no request leaves the machine.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { prepareWith } from './run-tool.mjs';
import { startEmulator } from './start-emulator.mjs';

const hostOfService = /^[a-z0-9]{3,24}(-secondary)?\.table\.core\.windows\.net:443$/;
const latencyMs = 5;
/** The same id as in src/identity/identifiers.ts. */
const defaultClientId = '74616e7a-616e-4974-a500-000000000002';

/** Starts an emulator with its data in memory, and the proxy that makes it reachable under the service's names. */
export async function startProductionEndpoint(accountCount) {
  const folder = mkdtempSync(join(tmpdir(), 'tanzanite-suites-'));
  const certificate = join(folder, 'certificate.pem');
  await makeCertificate({ certificate, key: join(folder, 'key.pem') });

  // Tests with tokens also set the service properties, which neither of the roles for tables allows.
  const roles = join(folder, 'roles.json');
  writeFileSync(roles, JSON.stringify([{ principalId: defaultClientId, dataActions: ['*'], scope: '/' }]));

  const tokens = ['--oauth', 'verify', '--role-assignments', roles];
  const tls = ['--cert', certificate, '--key', join(folder, 'key.pem')];
  const { accounts, port, stop } = await startEmulator(accountCount, [...tls, ...tokens]);
  const proxy = await startProxy(port);
  const identity = await askIdentity(port, readFileSync(certificate));

  return {
    accounts,
    environment: environmentOf(proxy.url, { certificate, identity }),
    async stop() {
      proxy.stop();
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Makes a self-signed certificate for every account and its secondary. The key exists only during the run. */
function makeCertificate({ certificate, key }) {
  const extensions = [
    'subjectAltName=DNS:*.table.core.windows.net,IP:127.0.0.1',
    'basicConstraints=critical,CA:TRUE',
    'keyUsage=critical,digitalSignature,keyCertSign',
    'extendedKeyUsage=serverAuth',
  ].flatMap((extension) => ['-addext', extension]);
  const subject = ['-subj', '/CN=table.core.windows.net', '-days', '2', ...extensions];
  const pair = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate];
  return prepareWith('openssl', ['req', '-x509', ...pair, ...subject]);
}

async function startProxy(emulatorPort) {
  const server = createServer((_, response) => response.writeHead(403).end());
  const sockets = new Set();
  server.on('connect', ({ url }, client, head) => {
    if (!hostOfService.test(url)) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const emulator = connect(emulatorPort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      emulator.write(head);
      client.pipe(emulator).pipe(delayed()).pipe(client);
    });
    tie(client, emulator, sockets);
    tie(emulator, client, sockets);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Ends the other side of a tunnel when this side ends. Until then, this side is in the set of open sockets. */
function tie(socket, other, sockets) {
  sockets.add(socket);
  socket.on('error', () => other.destroy());
  socket.once('close', () => {
    sockets.delete(socket);
    other.destroy();
  });
}

/** Adds the latency of a network. Tests with a read timeout of nearly zero need it. */
function delayed() {
  return new Transform({ transform: (bytes, _, done) => setTimeout(done, latencyMs, null, bytes) });
}

/** Asks the issuer for the values with which an identity library acts as the emulator's default principal. */
function askIdentity(port, ca) {
  return new Promise((resolve, reject) => {
    const asked = get({ host: '127.0.0.1', port, path: '/_emulator/identity/environment', ca }, async (answer) => {
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) text += chunk;
      const { clientId, secret } = JSON.parse(text);
      resolve({
        AZURE_AUTHORITY_HOST: `https://127.0.0.1:${port}`,
        AZURE_TENANT_ID: 'adfs',
        AZURE_CLIENT_ID: clientId,
        AZURE_CLIENT_SECRET: secret,
      });
    });
    asked.on('error', reject);
  });
}

/** Environment variables with which a program finds only this endpoint and its issuer. */
function environmentOf(proxy, { certificate, identity }) {
  return {
    ...process.env,
    ...identity,
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    // The issuer is reached directly.
    NO_PROXY: '127.0.0.1',
    no_proxy: '127.0.0.1',
    SSL_CERT_FILE: certificate,
    REQUESTS_CA_BUNDLE: certificate,
    CURL_CA_BUNDLE: certificate,
  };
}
