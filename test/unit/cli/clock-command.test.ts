import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { ServerProcess } from '../../support/server-process.mjs';

const token = 'a-token-of-some-length';
const server = new ServerProcess(['--tablePort', '0', '--inMemoryPersistence'], {
  env: { TANZANITE_CONTROL_TOKEN: token },
});
let url: string;

const env = () => ({ TANZANITE_URL: url, TANZANITE_CONTROL_TOKEN: token });
const clock = (...args: string[]) => runCommand(['clock', ...args], { env: env() });
const done = (stdout: unknown) => ({ code: 0, stdout, stderr: '' });

beforeAll(async () => {
  url = await server.ready();
});
afterEach(async () => {
  await clock('release');
});
afterAll(() => server.end('SIGKILL'));

describe('clock', () => {
  it("shows the machine's time, and says that it is the machine's", async () => {
    const shown = done(expect.stringMatching(/^\d{4}-\S+Z, the machine's time\n$/));
    expect(await clock()).toEqual(shown);
    expect(await clock('show')).toEqual(shown);
    expect(JSON.parse((await clock('--json')).stdout)).toMatchObject({ isFrozen: false, offsetMs: 0 });
  });

  it('advances, and says by how much the time is ahead', async () => {
    expect((await clock('advance', '90s')).stdout).toMatch(/^\S+Z, 90 s ahead of the machine's time\n$/);
    expect((await clock('advance', '500ms')).stdout).toContain(', 90.5 s ahead of');
    for (const duration of ['1', '1m', '1h', '1d']) await clock('advance', duration);
    expect(JSON.parse((await clock('--json')).stdout).offsetMs).toBe(90_500 + 1_000 + 60_000 + 3_600_000 + 86_400_000);
  });

  it('is frozen, set, resumed and released', async () => {
    expect((await clock('freeze')).stdout).toMatch(/Z, frozen, /);
    const set = await clock('set', '1999-12-31T12:00:00+01:00');
    expect(set).toEqual(
      done(expect.stringMatching(/^1999-12-31T11:00:00\.000Z, frozen, \d+(\.\d+)? s behind the machine's time\n$/)),
    );
    expect((await clock('resume')).stdout).toMatch(/^1999-12-31T11:0\d:\d\d\.\d{3}Z, \d+(\.\d+)? s behind /);
    expect((await clock('release')).stdout).toMatch(/Z, the machine's time\n$/);
  });

  it('is reset by reset --clock, which empties nothing', async () => {
    await clock('advance', '1d');
    const reset = await runCommand(['reset', '--clock'], { env: env() });
    expect(reset).toEqual(done('put the clock back\n'));
    const both = await runCommand(['reset', '--clock', '--account', 'devstoreaccount1'], { env: env() });
    expect(both).toEqual(done('put the clock back\nemptied account devstoreaccount1\n'));
    expect((await clock()).stdout).toContain("the machine's time");
  });

  it('says in one line why it does not change, and exits with 1', async () => {
    const failures = [
      await clock('set', 'tomorrow'),
      await clock('set', '1600-01-01'),
      await clock('advance', '9000000d'),
      await clock('freeze', '--control-token', `${token}2`),
      await clock('--url', 'http://127.0.0.1:1'),
    ];
    for (const { code, stdout, stderr } of failures) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^tanzanite: [^\n]+\n$/);
      expect(stderr).not.toContain(token);
    }
    expect(failures.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('400 InvalidRequest: the time must be a date such as 2030-01-31T12:00:00Z.'),
      expect.stringContaining('the time must be in the years 1601 to 9999.'),
      expect.stringContaining('the time must be in the years 1601 to 9999.'),
      expect.stringContaining('401 TokenWrong'),
      expect.stringContaining('no emulator answers at http://127.0.0.1:1: '),
    ]);
    expect((await clock()).stdout).toContain("the machine's time");
  });

  it.each([
    ['a duration that is none', ['advance', 'soon'], '<duration> cannot be soon. Give a number of seconds, or a'],
    ['a negative duration', ['advance', '--', '-1'], 'Give a number of seconds'],
    ['a missing duration', ['advance'], 'clock advance needs a <duration>.'],
    ['a missing date', ['set'], 'clock set needs a <date>.'],
    ['an unknown subcommand', ['turn'], 'unknown command turn: tanzanite clock --help lists the commands'],
    ['a misspelt one', ['frieze', '--json'], 'unknown command frieze: did you mean freeze?'],
    ['a word after show', ['show', 'x'], 'clock show takes flags only, not a word.'],
  ])('is refused with code 2 for %s', async (_, args, reason) => {
    const { code, stdout, stderr } = await clock(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });
});
