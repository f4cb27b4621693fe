import type { Setting } from './setting.ts';

/** Flags that are not options of the library: an emulator of the library ends with its process anyway. */
export const processFlags = {
  untilStdinEnds: {
    kind: 'switch',
    flag: '--until-stdin-ends',
    default: false,
    isOutsideFile: true,
    help: 'stop when standard input ends, which happens when the program that started the emulator ends',
    details:
      'With this flag, only flags can set the address, the data and the log; variables and the settings file cannot, ' +
      'as in [`tanzanite exec`](exec.md#what-it-runs-with). ' +
      '[For programs that start an emulator](cli.md#for-programs-that-start-an-emulator) describes how to use the flag.',
  },
} as const satisfies Readonly<Record<string, Setting>>;
