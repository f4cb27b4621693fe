import type { Setting } from './setting.ts';

/** Flags that are not options of the library. */
export const logFlags = {
  silent: { kind: 'switch', flag: '-s, --silent', default: false, help: 'log no requests' },
  debug: { kind: 'text', flag: '-d, --debug <file>', help: 'write a detailed log to this file, as JSON lines' },
  logLevel: {
    kind: 'choice',
    flag: '--log-level <level>',
    default: 'info',
    choices: {
      error: 'faults of the emulator',
      warn: 'also requests that are refused, and requests beyond the scalability targets',
      info: 'also every other request to the service, and control-plane requests that change something',
      debug:
        'also control-plane requests that only read; on a terminal also ids, bytes and units, which JSON lines always have',
    },
    help: 'log messages of this level and above',
  },
  logFormat: {
    kind: 'choice',
    flag: '--log-format <format>',
    default: 'auto',
    choices: {
      auto: '`pretty` on a terminal, else `json`',
      json: 'JSON lines',
      pretty: 'lines for people',
    },
    help: 'write the log as JSON lines, or as lines for people (auto: lines for people if the log goes to a terminal)',
  },
} as const satisfies Readonly<Record<string, Setting>>;
