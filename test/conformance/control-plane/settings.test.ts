import { describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/index.ts';
import { ask } from '../../support/control-plane.ts';
import { ServerProcess } from '../../support/server-process.mjs';

const token = 'a-token-of-some-length';
const path = '/_emulator/settings';
const headers = { Authorization: `Bearer ${token}` };

interface Report {
  readonly settings: readonly { readonly name: string; readonly value: unknown; readonly from: object }[];
}

const settingIn = (report: unknown, name: string) => (report as Report).settings.find((one) => one.name === name);

describe('Settings', () => {
  it('reports the settings of the command and their origins, without secrets', async () => {
    const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence', '--loose'], {
      env: { TANZANITE_CONTROL_TOKEN: token },
    });
    const { status, json, text } = await ask(await server.ready(), { method: 'GET', path, headers });
    await server.end('SIGKILL');
    expect(status, text).toBe(200);
    expect(json).toMatchObject({
      accounts: ['devstoreaccount1'],
      developmentAccounts: ['devstoreaccount1'],
      traceUrl: null,
      location: null,
    });
    expect(settingIn(json, 'tablePort')).toMatchObject({ value: 0, from: { kind: 'flag', name: '--tablePort' } });
    expect(settingIn(json, 'loose')).toMatchObject({ value: true, from: { kind: 'flag' } });
    expect(settingIn(json, 'durability')).toMatchObject({ from: { kind: 'default' } });
    expect(settingIn(json, 'controlToken')).toMatchObject({
      value: '(secret)',
      from: { kind: 'variable', name: 'TANZANITE_CONTROL_TOKEN' },
    });
    expect(text).not.toContain(token);
  });

  it('reports the same for an emulator that the library started, with the names of its options', async () => {
    const key = Buffer.from('a key of some length').toString('base64');
    await using emulator = await startEmulator({
      controlToken: token,
      accounts: [{ name: 'first', keys: [key] }],
      capacity: { scale: 2 },
    });
    const { status, json, text } = await ask(emulator.url, { method: 'GET', path, headers });
    expect(status, text).toBe(200);
    expect(json).toMatchObject({ accounts: ['first'], developmentAccounts: [] });
    expect(settingIn(json, 'accounts')).toMatchObject({ value: 'first', from: { kind: 'option', name: 'accounts' } });
    expect(settingIn(json, 'capacity.scale')).toMatchObject({ value: 2, from: { kind: 'option' } });
    expect(settingIn(json, 'controlToken')).toMatchObject({ value: '(secret)' });
    expect(settingIn(json, 'throttle')).toMatchObject({ value: 'observe', from: { kind: 'default' } });
    expect(text).not.toContain(token);
    expect(text).not.toContain(key);
  });
});
