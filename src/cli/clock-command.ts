import { type Command, InvalidArgumentError } from 'commander';
import type { ClockState } from '../model/clock-state.ts';
import { nearest } from '../settings/nearest-name.ts';
import { askEmulator, type Question } from './ask-emulator.ts';
import type { CommandContext } from './command-context.ts';
import {
  addControlFlags,
  type ControlFlags,
  emulatorEnvironmentHelp,
  readControlAddress,
  tokenEnvironmentHelp,
} from './emulator-flags.ts';
import { UnusableOption } from './exit-codes.ts';
import { print } from './standard-output.ts';

const help = `
The emulator's clock determines timestamps, ETags, shared access signatures,
stored access policies, the names of deleted tables, the secondary and capacity.
The age of a signed request is still measured by the machine's time.

A duration is a number of seconds, or has a unit: 500ms, 90s, 15m, 2h, 40d.
advance returns when everything that became due is done.

Examples:
  tanzanite clock
  tanzanite clock freeze
  tanzanite clock advance 15m
  tanzanite clock set 2030-01-31T12:00:00Z
  tanzanite clock release

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface ClockFlags extends ControlFlags {
  readonly json?: true;
}

/** `tanzanite clock` */
export function addClock(command: Command, { environment }: CommandContext): void {
  const ask = async (question: Omit<Question, 'path' | 'expects' | 'timeoutMs'>, flags: ClockFlags): Promise<void> => {
    const address = readControlAddress(flags, environment);
    const answer = await askEmulator({ ...question, path: 'clock', expects: 'isFrozen', timeoutMs }, address);
    print(flags.json ? `${JSON.stringify(answer)}\n` : `${describe(answer as unknown as ClockState)}\n`);
  };
  const post = (body: object, flags: ClockFlags): Promise<void> => ask({ method: 'POST', body }, flags);
  command
    .summary('show and set the clock of a running emulator')
    .description('show and set the clock of a running emulator')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', help);
  addFlags(command.command('show', { isDefault: true }))
    .description("print the time and its difference from the machine's time")
    .allowExcessArguments()
    .action((flags: ClockFlags, show: Command) => {
      refuseWord(show);
      return ask({ method: 'GET' }, flags);
    });
  addFlags(command.command('advance').argument('<duration>', 'such as 90s, 15m or 2h', readDuration))
    .description('move the time forward')
    .action((advanceMs: number, flags: ClockFlags) => post({ advanceMs }, flags));
  addFlags(command.command('set').argument('<date>', 'ISO 8601, such as 2030-01-31T12:00:00Z'))
    .description('set the time')
    .action((now: string, flags: ClockFlags) => post({ now }, flags));
  addFlags(command.command('freeze'))
    .description('stop the time')
    .action((flags: ClockFlags) => post({ freeze: true }, flags));
  addFlags(command.command('resume'))
    .description('let frozen time run on')
    .action((flags: ClockFlags) => post({ freeze: false }, flags));
  addFlags(command.command('release'))
    .description("reset the clock to the machine's time")
    .action((flags: ClockFlags) => ask({ method: 'DELETE' }, flags));
}

/**
 * If a word is not the name of a command, Commander passes it to the default command, `show`. Throws UnusableOption for
 * such a word.
 */
function refuseWord(show: Command): void {
  const [word] = show.args;
  const { parent } = show;
  if (word === undefined) return;
  if (parent?.args.includes(show.name())) {
    throw new UnusableOption('clock show takes flags only, not a word. tanzanite clock show --help lists the flags');
  }
  const near = nearest(word, parent?.commands.map((one) => one.name()) ?? []);
  const hint = near === undefined ? '' : ` did you mean ${near}?`;
  throw new UnusableOption(`unknown command ${word}:${hint} tanzanite clock --help lists the commands`);
}

function addFlags(command: Command): Command {
  return addControlFlags(command)
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help);
}

/** Longer than an emulator waits for requests in progress. */
const timeoutMs = 60_000;

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns milliseconds. */
function readDuration(text: string): number {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  if (digits === undefined || unitMs === undefined) {
    throw new InvalidArgumentError('Give a number of seconds, or a number with a unit: 500ms, 90s, 15m, 2h, 40d.');
  }
  return Number(digits) * unitMs;
}

/** `2030-01-31T12:00:00.000Z, frozen, 86400 s ahead of the machine` */
function describe({ now, isFrozen, offsetMs }: ClockState): string {
  const seconds = Math.abs(offsetMs) / 1000;
  const offset =
    offsetMs === 0 ? "the machine's time" : `${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the machine's time`;
  return [now, ...(isFrozen ? ['frozen'] : []), offset].join(', ');
}
