// Starts an emulator, and lists its tables with each credential of one language. The tokens come from the issuer of
// this emulator, and only environment variables configure the credentials:
//   node run.mjs LANGUAGE
// Prints one JSON object per line, which test/support/run-checks.ts reads. Needs no network except the loopback
// interface.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;
const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tanzanite-identity-'));
const jars = join(here, 'java/.cache/jars/*');
const trustStore = join(folder, 'trust.p12');
const password = 'changeit';

/** For each language, how its program starts and how it trusts the authority. */
const languages = {
  js: {
    command: [process.execPath, join(here, 'js/list.mjs')],
    trust: (authority) => ({ NODE_EXTRA_CA_CERTS: authority }),
  },
  python: {
    command: [join(here, 'python/.venv/bin/python'), join(here, 'python/list.py')],
    trust: (authority) => ({ REQUESTS_CA_BUNDLE: authority, SSL_CERT_FILE: authority }),
  },
  go: {
    command: [join(here, 'go/.cache/identity')],
    trust: (authority) => ({ SSL_CERT_FILE: authority }),
  },
  java: {
    // Each run is short, so the second compiler and a parallel collector would cost more than they save.
    command: [
      'java',
      '-XX:TieredStopAtLevel=1',
      '-XX:+UseSerialGC',
      '-cp',
      `${jars}${delimiter}${folder}`,
      'ListTables',
    ],
    trust: () => ({
      JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${trustStore} -Djavax.net.ssl.trustStorePassword=${password}`,
    }),
  },
};

/** Unsets variables of other credentials, which would have precedence. */
const without = {
  'managed identity': ['AZURE_FEDERATED_TOKEN_FILE', 'AZURE_CLIENT_SECRET', 'AZURE_CLIENT_CERTIFICATE_PATH'],
  'workload identity': ['IDENTITY_ENDPOINT', 'IDENTITY_HEADER', 'AZURE_CLIENT_SECRET', 'AZURE_CLIENT_CERTIFICATE_PATH'],
};

const credentials = [
  'default',
  'secret',
  'certificate',
  'managed identity',
  'workload identity',
  'secret without discovery',
  'certificate without discovery',
];

function run([command, ...args], env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

async function mustRun(words, env) {
  const { code, stdout, stderr } = await run(words, env);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  return stdout;
}

function start(words) {
  const child = spawn(process.execPath, [cli, 'start', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
      const found = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found) resolve(`http://localhost:${found}`);
    });
    child.once('close', () => reject(new Error(`the emulator ended: ${text}`)));
  });
  return { child, url };
}

async function check(name, language, { url, variables, authority }) {
  const hidden = Object.fromEntries((without[name] ?? []).map((variable) => [variable, undefined]));
  const env = { ...variables, ...hidden, ...language.trust(authority), TENANT_GUID: variables.TENANT_GUID };
  const endpoint = `${url.replace('http:', 'https:')}/devstoreaccount1`;
  const { code, stdout, stderr } = await run([...language.command, name, endpoint], env);
  const ok = code === 0 && stdout.trim() === 'pets';
  console.log(JSON.stringify({ check: name, ok, ...(ok ? {} : { error: `${code}\n${stdout}${stderr}` }) }));
}

const language = languages[process.argv[2]];
const location = join(folder, 'data');
const { child, url: ready } = start(['--tablePort', '0', '--identity', '--https', 'auto', '--location', location]);
try {
  const url = await ready;
  const authority = join(location, 'https/authority.pem');
  await mustRun([process.execPath, cli, 'table', 'create', 'pets'], { TANZANITE_URL: url });
  const printed = await mustRun([process.execPath, cli, 'env', '--identity', '--format', 'json', '--url', url]);
  const report = await mustRun([process.execPath, cli, 'identity', 'show', '--json', '--url', url]);
  const variables = { ...JSON.parse(printed), TENANT_GUID: JSON.parse(report).tenantId };
  if (process.argv[2] === 'java') {
    const store = ['-keystore', trustStore, '-storetype', 'PKCS12', '-storepass', password];
    await mustRun(['javac', '-cp', jars, '-d', folder, join(here, 'java/ListTables.java')]);
    await mustRun(['keytool', '-importcert', '-noprompt', '-alias', 'tanzanite', '-file', authority, ...store]);
  }
  for (const name of credentials) await check(name, language, { url, variables, authority });
} finally {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
