// Gives Commander's errors the form of all other errors: one line, `tanzanite: …`, that names what is accepted.

import type { Command } from 'commander';
import { escapeControls } from '../model/printable-text.ts';
import { rightFlag } from './wrong-names.ts';

/** Makes commander print an error as one line. */
export function refuseInOneLine(command: Command): void {
  command.showHelpAfterError(false).configureOutput({
    outputError: (message, write) => write(`tanzanite: ${escapeControls(describeRefusal(message, pathOf(command)))}\n`),
  });
}

/** `entity get` */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** Rewords an error of commander. The text of an unknown message stays as it is. */
export function describeRefusal(message: string, command: string): string {
  const text = message.replace(/^error: /, '').trim();
  const unknownCommand = describeUnknownCommand(text);
  if (unknownCommand !== undefined) return `${unknownCommand} tanzanite ${command} --help lists the commands`;
  const line =
    describeUnknownFlag(text, command) ??
    describeMisfit(text) ??
    describeInvalid(text) ??
    describeMissing(text, command) ??
    describeExcess(text, command);
  const hint = `tanzanite ${command} --help lists the flags`;
  return `${line ?? `${text.replaceAll(/\s*\n\s*/g, ' ').replace(/\.$/, '')}.`} ${hint}`;
}

function describeUnknownCommand(text: string): string | undefined {
  const [, wrong, near] = /^unknown command '([^']*)'(?:\n\(Did you mean (?:one of )?(.*)\?\))?/.exec(text) ?? [];
  if (wrong === undefined) return undefined;
  return `unknown command ${wrong}:${near === undefined ? '' : ` did you mean ${near}?`}`;
}

function describeUnknownFlag(text: string, command: string): string | undefined {
  const [, wrong, near] = /^unknown option '([^']*)'(?:\n\(Did you mean (?:one of )?(.*)\?\))?/.exec(text) ?? [];
  if (wrong === undefined) return undefined;
  const name = wrong.split('=', 1)[0] ?? wrong;
  const right = (command === 'start' || command === 'settings' ? rightFlag(name) : undefined) ?? near;
  return `unknown flag ${name}:${right === undefined ? '' : ` did you mean ${right}?`}`;
}

/** A value, of a flag or an argument, that is not among the choices. */
function describeMisfit(text: string): string | undefined {
  const [, flags, ofFlag, ofArgument, argument, choices] =
    /^(?:option '([^']*)' argument '(.*)' is invalid\.|command-argument value '(.*)' is invalid for argument '(.*)'\.) Allowed choices are (.*)\.$/s.exec(
      text,
    ) ?? [];
  if (choices === undefined) return undefined;
  const name = flags === undefined ? `<${argument}>` : (/--[\w-]+/.exec(flags)?.[0] ?? flags);
  return `${name} must be one of ${choices}, not ${(ofFlag ?? ofArgument) || 'empty'}.`;
}

/** A value that a parser refuses. The message ends with what the parser accepts. */
function describeInvalid(text: string): string | undefined {
  const [, flags, ofFlag, ofArgument, argument, remedy] =
    /^(?:option '([^']*)' argument '(.*)' is invalid\.|command-argument value '(.*)' is invalid for argument '(.*)'\.) (.*)$/s.exec(
      text,
    ) ?? [];
  if (remedy === undefined) return undefined;
  const name = flags === undefined ? `<${argument}>` : (/--[\w-]+/.exec(flags)?.[0] ?? flags);
  return `${name} cannot be ${(ofFlag ?? ofArgument) || 'empty'}. ${remedy}`;
}

function describeExcess(text: string, command: string): string | undefined {
  const [, expected, got] = /^too many arguments for '.*'\. Expected (\d+) arguments? but got (\d+)/.exec(text) ?? [];
  if (expected === undefined) return undefined;
  if (expected === '0') return `${command} takes flags only, not ${got === '1' ? 'a word' : `${got} words`}.`;
  return `${command} takes ${expected === '1' ? '1 word' : `${expected} words`}, not ${got}; quote a word that holds spaces.`;
}

function describeMissing(text: string, command: string): string | undefined {
  const [, flag, placeholder] = /^option '.*?(--[\w-]+) (.*)' argument missing$/.exec(text) ?? [];
  if (flag !== undefined) return `${flag} needs a value, ${placeholder}.`;
  const argument = /^missing required argument '(.*)'$/.exec(text)?.[1];
  return argument === undefined ? undefined : `${command} needs a <${argument}>.`;
}
