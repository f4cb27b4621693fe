import type { Setting } from './setting.ts';

/** The settings file that is read, where it is there, without being named. */
export const settingsFileDefault = 'tanzanite.json';

/** No option of the library. */
export const fileFlags = {
  config: {
    kind: 'text',
    flag: '--config <file>',
    isOutsideFile: true,
    defaultText: `\`${settingsFileDefault}\`, if it is in the working folder`,
    help: 'read settings from this JSON file (without it from tanzanite.json in the working folder, if there)',
  },
} as const satisfies Readonly<Record<string, Setting>>;
