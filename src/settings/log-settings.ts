import type { Setting } from './setting.ts';

/** Flags that are no options of the library. */
export const logFlags = {
  silent: { kind: 'switch', flag: '-s, --silent', default: false, help: 'log no requests' },
  debug: { kind: 'text', flag: '-d, --debug <file>', help: 'write a detailed log to this file, as JSON lines' },
  logFormat: {
    kind: 'choice',
    flag: '--log-format <format>',
    default: 'auto',
    choices: {
      auto: '`pretty` on a terminal, else `json`',
      json: 'JSON lines',
      pretty: 'lines for people',
    },
    help: 'write the log as JSON lines, or as lines for people (auto: for people on a terminal)',
  },
} as const satisfies Readonly<Record<string, Setting>>;
