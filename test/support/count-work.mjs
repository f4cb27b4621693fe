// Counts how often the functions, branches and loops of a program run. `node --import` loads this file before the
// program. Each message from the parent process is answered with the count since the last answer. Unlike a duration,
// this count is the same on every machine.
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
// Code that was compiled before this call has no counters.
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

process.on('message', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const functions = result.filter(({ url }) => url.includes('/dist/')).flatMap((script) => script.functions);
  process.send(functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0));
});
process.channel.unref();
