import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { networkEnvironment, setup } from '../../support/faster-starts.ts';

const before = { ...process.env };

const inChild = (env: NodeJS.ProcessEnv): string =>
  execFileSync(process.execPath, ['-p', 'process.env.NODE_EXTRA_CA_CERTS'], { env, encoding: 'utf8', stdio: 'pipe' });

describe('NODE_EXTRA_CA_CERTS', () => {
  afterEach(() => {
    for (const name of ['NODE_EXTRA_CA_CERTS', 'TANZANITE_TEST_CA_CERTS']) delete process.env[name];
    Object.assign(process.env, before);
  });

  it('is absent in processes that a test starts', () => {
    expect(inChild(process.env)).toBe('undefined\n');
  });

  it('is given to programs that install packages, with the value of the run', () => {
    process.env['NODE_EXTRA_CA_CERTS'] = '/etc/authorities.pem';
    setup();
    expect([inChild(process.env), inChild(networkEnvironment())]).toEqual(['undefined\n', '/etc/authorities.pem\n']);
  });

  it('is absent everywhere if the run does not have it', () => {
    delete process.env['TANZANITE_TEST_CA_CERTS'];
    setup();
    expect(inChild(networkEnvironment())).toBe('undefined\n');
  });
});

it('Programs in Python keep their compiled modules', () => {
  process.env['PYTHONDONTWRITEBYTECODE'] = '1';
  setup();
  expect(process.env['PYTHONDONTWRITEBYTECODE']).toBeUndefined();
});
