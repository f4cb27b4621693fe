import { describe, expect, it, onTestFinished } from 'vitest';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { readStart } from './read-start.ts';

const settingsOf = async (...flags: string[]) => (await readStart(...flags)).options.settings;

const line = 'Profile strict: strictApiVersion, tableDeleteDelay 40, pageBoundaries partition, throttle enforce';

describe('tanzanite start --profile strict', () => {
  it('runs with the settings of the profile', async () => {
    expect(await settingsOf('--profile', 'strict')).toMatchObject({
      profile: 'strict',
      apiVersions: 'known',
      tableDeleteDelayMs: 40_000,
      pageBoundaries: 'partition',
      replicaLagMs: 900_000,
      throttle: 'enforce',
    });
  });

  it('runs without the settings that a flag overrides', async () => {
    const strict = ['--profile', 'strict'];
    expect((await settingsOf(...strict, '--no-strict-api-version')).apiVersions).toBe('newer');
    expect((await settingsOf(...strict, '--skipApiVersionCheck')).apiVersions).toBe('any');
    expect((await settingsOf(...strict, '--loose')).apiVersions).toBe('known');
    expect((await settingsOf(...strict, '--replica-lag', '0')).replicaLagMs).toBe(0);
    const standby = ['--store', 'postgres://db/tables', '--store-secondary', 'postgres://standby/tables'];
    const { options, notices } = await readStart(...strict, ...standby);
    expect([options.settings.replicaLagMs, notices]).toEqual([0, []]);
  });

  it.each([
    ['text, where no request is logged', ['--silent'], `${line}\n`],
    [
      'JSON, where only errors are logged',
      ['--log-level', 'error', '--log-format', 'json'],
      `"profile":"strict","msg":"${line}"`,
    ],
  ])('prints the values of the profile at the start, as %s', async (_, flags, said) => {
    const args = ['--tablePort', '0', '--inMemoryPersistence', '--profile', 'strict', '--replica-lag', '5', ...flags];
    const { server } = await startBuiltCommand(args);
    onTestFinished(async () => void (await server.end('SIGTERM')));
    await expect.poll(() => server.stdout).toContain(said);
  });

  it('prints nothing without a profile', async () => {
    const { server } = await startBuiltCommand(['--tablePort', '0', '--inMemoryPersistence']);
    await server.end('SIGTERM');
    expect(server.stdout).not.toContain('rofile');
  });
});
