import type { Setting } from './setting.ts';

/** The settings file that is read by default, if it exists. */
export const settingsFileDefault = 'tanzanite.json';

/** Flags that are not options of the library. */
export const fileFlags = {
  config: {
    kind: 'text',
    flag: '--config <file>',
    isOutsideFile: true,
    defaultText: `\`${settingsFileDefault}\`, if it is in the working folder`,
    help: 'read settings from this JSON file instead of tanzanite.json in the working folder',
  },
} as const satisfies Readonly<Record<string, Setting>>;
