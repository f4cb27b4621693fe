import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { endWithInput } from '../../../src/cli/end-with-input.ts';

/** A simulated process: what it was asked to do, and its deadlines. */
function newProcess() {
  const said: string[] = [];
  const deadlines: { readonly delayMs: number; readonly run: () => void }[] = [];
  const running = Object.assign(new EventEmitter(), {
    stdin: Object.assign(new PassThrough(), { unref: () => said.push('unref') }),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    exit: (code: number) => said.push(`exit ${code}`),
  });
  endWithInput(running as never, (delayMs, run) => deadlines.push({ delayMs, run }));
  expect(said.splice(0)).toEqual(['unref']);
  const endInput = (): Promise<void> => new Promise((resolve) => running.stdin.once('close', resolve).end('dropped'));
  return { running, said, deadlines, endInput };
}

it('ends a program like SIGTERM, and calls exit if that takes too long', async () => {
  const { running, said, deadlines, endInput } = newProcess();
  running.once('SIGTERM', () => said.push('closing'));
  await endInput();
  expect(said).toEqual(['closing']);
  expect(deadlines.map(({ delayMs }) => delayMs)).toEqual([10_000]);
  deadlines[0]?.run();
  expect(said).toEqual(['closing', 'exit 1']);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('does not disturb a program that %s ends already', async (signal) => {
  const { running, said, deadlines, endInput } = newProcess();
  for (const name of new Set([signal, 'SIGTERM'])) running.on(name, () => said.push(name));
  running.emit(signal);
  await endInput();
  expect(said).toEqual([signal]);
  expect(deadlines).toHaveLength(1);
});

it('ends a program that does not listen for signals yet, and leaves signals to the system until then', async () => {
  const { running, said, endInput } = newProcess();
  expect(running.listenerCount('SIGTERM')).toBe(0);
  await endInput();
  expect(said).toEqual(['exit 0']);
});

it('ends gracefully if the input breaks, and if nothing reads its lines any more', () => {
  const { running, said } = newProcess();
  running.once('SIGTERM', () => said.push('closing'));
  running.stdout.emit('error', new Error('EPIPE'));
  running.stderr.emit('error', new Error('EPIPE'));
  running.stdin.emit('error', new Error('EIO'));
  expect(said).toEqual(['closing']);
});
