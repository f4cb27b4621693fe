import type { Setting } from './setting.ts';

/** Not options of the library, whose emulator ends with its process. */
export const processFlags = {
  untilStdinEnds: {
    kind: 'switch',
    flag: '--until-stdin-ends',
    default: false,
    isOutsideFile: true,
    help: 'stop when standard input ends, as it does when the program that started the emulator ends',
    details:
      'The settings of the address, the data and the log then have an effect only as flags, as in [`tanzanite exec`](exec.md#what-it-runs-with). ' +
      '[For other programs](cli.md#for-programs-that-start-an-emulator).',
  },
} as const satisfies Readonly<Record<string, Setting>>;
