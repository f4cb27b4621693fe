import { expect, it, onTestFinished, vi } from 'vitest';
import { ServerGroup } from '../../../src/cli/server-group.ts';

it('says that a server cannot be started, and ends with 1, without touching other processes', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'] as const;
  const before = signals.map((signal) => [signal, process.listeners(signal as 'exit')] as const);
  const program = process.execPath;
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  onTestFinished(() => {
    process.execPath = program;
    exit.mockRestore();
    for (const [signal, listeners] of before) {
      for (const listener of process.listeners(signal as 'exit'))
        if (!listeners.includes(listener)) process.removeListener(signal, listener);
    }
  });
  process.execPath = '/nowhere/node';
  const lines: string[] = [];
  const child = new ServerGroup((line) => lines.push(line)).start(['server.js'], { stdout: 'pipe' });
  const kill = vi.spyOn(child, 'kill').mockReturnValue(true);
  await new Promise((resolve) => child.once('close', resolve));
  expect(lines).toEqual([expect.stringMatching(/^a server cannot be started: .*\/nowhere\/node/)]);
  expect(exit).toHaveBeenCalledWith(1);
  expect(kill).not.toHaveBeenCalled();
});
