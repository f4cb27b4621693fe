import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { failures } from '../faults/failures.ts';
import type { FaultRuleReport } from '../faults/fault-rule.ts';
import { UnusableRule } from '../faults/fields.ts';
import { parseRulesText } from '../faults/parse-rule.ts';
import { escapeControls } from '../model/printable-text.ts';
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
import { readFile } from './read-file.ts';
import { print, remark } from './standard-output.ts';

const help = `
A rule says which requests fail and how. add takes a rule or a list of rules as
JSON, a file that contains either, or the name of a failure:
${failures.map(({ name, text }) => `  ${name}\n    ${text}`).join('\n')}

Examples:
  tanzanite faults add busy
  tanzanite faults add '{"match":{"operation":"InsertEntity"},"when":{"nth":3},
    "fault":{"kind":"timeout","at":"afterCommit"}}'
  tanzanite faults add rules.json
  tanzanite faults list
  tanzanite faults clear

Environment:
${emulatorEnvironmentHelp}
${tokenEnvironmentHelp}`;

interface FaultFlags extends ControlFlags {
  readonly json?: true;
}

/** `tanzanite faults` */
export function addFaults(command: Command, { environment }: CommandContext): void {
  const ask = async (
    question: Omit<Question, 'path'> & { readonly below?: string },
    flags: FaultFlags,
    describe: (answer: Readonly<Record<string, unknown>>) => void,
  ): Promise<void> => {
    const { below = '', ...others } = question;
    const answer = await askEmulator({ ...others, path: `faults${below}` }, readControlAddress(flags, environment));
    if (flags.json) print(`${JSON.stringify(answer)}\n`);
    else describe(answer);
  };
  command
    .summary('stage failures of the service in a running emulator')
    .description('stage failures of the service in a running emulator')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', help);
  addFlags(command.command('add').argument('<rule>', 'JSON, a file, or the name of a failure'))
    .description('put rules into force')
    .action((rule: string, flags: FaultFlags) =>
      ask({ method: 'POST', body: rulesIn(rule), expects: 'ids' }, flags, ({ ids }) =>
        print((ids as readonly string[]).map((id) => `added ${id}\n`).join('')),
      ),
    );
  addFlags(command.command('list'))
    .description('list the rules in force, and how often each struck')
    .action((flags: FaultFlags) =>
      ask({ method: 'GET', expects: 'rules' }, flags, ({ rules }) => printRules(rules as readonly FaultRuleReport[])),
    );
  addFlags(command.command('clear').argument('[id]', 'only this rule'))
    .description('remove all rules, or one')
    .action((id: string | undefined, flags: FaultFlags) =>
      id === undefined
        ? ask({ method: 'DELETE', expects: 'removed' }, flags, ({ removed }) => print(`removed ${removed}\n`))
        : ask({ method: 'DELETE', below: `/${encodeURIComponent(id)}`, expects: 'id' }, flags, () =>
            print(`removed rule ${escapeControls(id)}\n`),
          ),
    );
}

function addFlags(command: Command): Command {
  return addControlFlags(command)
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help);
}

/** Throws UnusableOption, which names the field that is wrong. */
function rulesIn(given: string): object {
  const failure = failures.find(({ name }) => name === given);
  if (failure) return failure.rule;
  const isText = /^\s*[[{]/.test(given);
  if (!isText && !existsSync(given)) throw new UnusableOption(`faults add: ${describeAbsent(given)}`);
  const text = isText ? given : readFile('faults add', given).toString('utf8');
  try {
    return parseRulesText(text);
  } catch (error) {
    if (!(error instanceof UnusableRule)) throw error;
    throw new UnusableOption(`${isText ? 'faults add' : given}: ${error.message.replace(/\.$/, '')}.`);
  }
}

/** A misspelt name is read as the name of a file. */
function describeAbsent(given: string): string {
  const near = nearest(
    given,
    failures.map(({ name }) => name),
  );
  const remedy = near === undefined ? 'tanzanite faults --help lists the failures' : `did you mean ${near}?`;
  return `there is no failure and no file ${given}; ${remedy}`;
}

function printRules(rules: readonly FaultRuleReport[]): void {
  for (const { id, hits, matched, name, ...rule } of rules) {
    const title = name === undefined ? '' : `${escapeControls(name)}  `;
    print(`${id}  ${title}${hits} of ${matched} struck  ${escapeControls(JSON.stringify(rule))}\n`);
  }
  if (rules.length === 0) remark('no rules are in force');
}
