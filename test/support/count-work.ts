import { Session } from 'node:inspector/promises';

const source = /\/src\/(?!console\/)[^?]*\.ts/;

/**
 * Counts what the code of `src` does: how often each of its functions, branches and loops runs. Unlike a duration the number
 * is the same on every machine.
 */
export async function openWorkCounter(): Promise<{
  count(work: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  /** Since the last call. */
  const take = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions = result.filter(({ url }) => source.test(url)).flatMap((script) => script.functions);
    return functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
  };
  return {
    async count(work) {
      await take();
      await work();
      return take();
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage');
      await session.post('Profiler.disable');
      session.disconnect();
    },
  };
}
