import type { Setting } from './setting.ts';

/** Not options of the library, whose emulator ends with its process. */
export const processFlags = {
  untilStdinEnds: {
    kind: 'switch',
    flag: '--until-stdin-ends',
    default: false,
    isOutsideFile: true,
    help: 'stop when standard input ends, which happens when the program that started this one is gone',
    details:
      'Settings of the address, the data and the log then have no effect unless they are flags, as in [`tanzanite exec`](exec.md#what-it-runs-with). ' +
      '[For other programs](cli.md#for-programs-that-start-an-emulator).',
  },
} as const satisfies Readonly<Record<string, Setting>>;
