import type { Command, Option } from 'commander';

/** What may stand on a command line. */
export interface Words {
  /** Flags before a command. */
  readonly flags: readonly FlagWords[];
  readonly commands: readonly CommandWords[];
  /** The command that is meant where none is named. */
  readonly defaultCommand: string;
}

export interface CommandWords {
  readonly name: string;
  readonly text: string;
  readonly flags: readonly FlagWords[];
  /** What its first argument can be; empty for none, or for anything. */
  readonly choices: readonly string[];
}

export interface FlagWords {
  /** `-l`, `--location` */
  readonly names: readonly string[];
  readonly text: string;
  readonly value: FlagValue;
}

/** `none`: it takes none. `text`: nobody can guess it. */
export interface FlagValue {
  /** Whether it may be left out. */
  readonly isOptional: boolean;
  readonly kind: 'none' | 'text' | 'file' | 'folder' | 'choices';
  readonly choices: readonly string[];
}

/** Reads commander's own commands and options, so that no list is kept twice. Hidden flags are left out. */
export function describeWords(program: Command): Words {
  const help = program.createHelp();
  const flagsOf = (command: Command): FlagWords[] => help.visibleOptions(command).map(describeFlag);
  const commands = program.commands.map((command) => ({
    name: command.name(),
    text: command.summary() || command.description(),
    flags: flagsOf(command),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
  return { flags: flagsOf(program), commands, defaultCommand: 'start' };
}

function describeFlag(option: Option): FlagWords {
  const names = [option.short, option.long].filter((name) => name !== undefined && name !== null);
  return { names, text: option.description, value: describeValue(option) };
}

function describeValue({ flags, argChoices, required, optional: isOptional }: Option): FlagValue {
  if (argChoices) return { kind: 'choices', choices: argChoices, isOptional };
  if (!required && !isOptional) return { kind: 'none', choices: [], isOptional };
  const placeholder = /[<[](.*)[>\]]/.exec(flags)?.[1]?.split('|') ?? [];
  const kind = placeholder.includes('file') ? 'file' : placeholder.includes('folder') ? 'folder' : 'text';
  const choices = placeholder.length > 1 ? placeholder.filter((word) => word !== kind) : [];
  return { kind, choices, isOptional };
}
