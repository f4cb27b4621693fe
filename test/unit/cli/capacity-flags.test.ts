import { describe, expect, it, onTestFinished } from 'vitest';
import type { CapacityReport } from '../../../src/capacity/capacity-report.ts';
import { ask } from '../../support/control-plane.ts';
import { runCommand } from '../../support/run-command.ts';
import { startBuiltCommand } from '../../support/start-built-command.ts';
import { openClient } from '../../support/table-client.ts';
import { readStart } from './read-start.ts';

async function start(...flags: string[]): Promise<string> {
  const { server, origin } = await startBuiltCommand(['--tablePort', '0', '--inMemoryPersistence', ...flags]);
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await server.ended();
  });
  return origin;
}

const capacityOf = async (origin: string): Promise<CapacityReport> =>
  (await ask(origin, { method: 'GET', path: '/_emulator/capacity' })).json as CapacityReport;

describe('The flags of capacity', () => {
  it('count by default against the targets of the service', async () => {
    expect(await capacityOf(await start())).toMatchObject({
      throttle: 'observe',
      scale: 1,
      targets: { account: 20_000, range: 8_000, partition: 2_000 },
      queueLength: 32,
      waitMsMax: 5_000,
    });
  });

  it('set every target, the queue and the scale', async () => {
    const targets = ['--account-target', '1000', '--range-target', '400', '--partition-target', '100'];
    const others = [
      '--throttle',
      'enforce',
      '--throttle-scale',
      '0.5',
      '--throttle-queue',
      '7',
      '--throttle-wait-max',
      '2.5',
    ];
    expect(await capacityOf(await start(...targets, ...others))).toMatchObject({
      throttle: 'enforce',
      scale: 0.5,
      targets: { account: 500, range: 200, partition: 50 },
      queueLength: 7,
      waitMsMax: 2_500,
    });
  });

  it('refuse requests over a target, with the requested Retry-After', async () => {
    const enforce = ['--throttle', 'enforce', '--throttle-queue', '0', '--retry-after', '4'];
    const origin = await start(...enforce, '--account-target', '1', '--throttle-scale', '0.01');
    const client = openClient(origin);
    onTestFinished(() => client.close());
    await client.send({ method: 'GET', path: '/Tables' });
    const answer = await client.send({ method: 'GET', path: '/Tables' });
    expect([answer.status, answer.header('Retry-After')]).toEqual([503, '4']);
  });

  it.each([
    ['--throttle', 'on'],
    ['--throttle-scale', '0'],
    ['--throttle-scale', '-1'],
    ['--throttle-scale', 'much'],
    ['--throttle-scale', '.'],
    ['--throttle-queue', '-1'],
    ['--throttle-wait-max', '0'],
    ['--account-target', '0'],
    ['--range-target', '1.5'],
    ['--partition-target', 'x'],
    ['--split-after', '0'],
    ['--merge-after', '1h'],
    ['--move-time', ''],
    ['--retry-after', '-1'],
    ['--requests-in-flight-max', '0'],
  ])('exit with code 2 and name the flag: %s %s', async (flag, value) => {
    const { code, stdout, stderr } = await runCommand(['start', '--tablePort', '0', `${flag}=${value}`]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(flag);
  });
});

describe('A number with a fraction', () => {
  it.each([
    ['.5', 0.5],
    ['0.05', 0.05],
    ['2', 2],
  ])('may be written %s', async (text, scale) => {
    expect((await readStart('--throttle-scale', text)).options.settings.capacity.scale).toBe(scale);
  });
});

describe('Pages that end with ranges', () => {
  it('print a notice if capacity is not counted, because no table is split then', async () => {
    expect((await readStart('--page-boundaries', 'range', '--throttle', 'off')).notices).toEqual([
      '--page-boundaries range has no effect with --throttle off, which counts nothing and so splits nothing.',
    ]);
  });

  it.each([
    ['ranges are counted', ['--page-boundaries', 'range']],
    ['they end with partitions', ['--page-boundaries', 'partition', '--throttle', 'off']],
  ])('print no notice if %s', async (_, args) => {
    expect((await readStart(...args)).notices).toEqual([]);
  });
});
