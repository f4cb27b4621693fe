// Implements `tanzanite completion`. The scripts contain the names, choices and descriptions of commander's options.
// Names and choices consist of letters, digits and hyphens, and descriptions are quoted. No quote, backslash or dollar
// sign in a description reaches a shell unescaped.

import { Argument, type Command, type Option } from 'commander';
import { print } from './standard-output.ts';

const help = `
Examples:
  in ~/.bashrc
    source <(tanzanite completion bash)
  in ~/.zshrc, after compinit
    source <(tanzanite completion zsh)
  once
    tanzanite completion fish > ~/.config/fish/completions/tanzanite.fish
  in $PROFILE
    tanzanite completion powershell | Out-String | Invoke-Expression`;

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
type CompletionShell = (typeof shells)[number];

/** `tanzanite completion <shell>`, for the commands of its program. */
export function addCompletion(command: Command): void {
  command
    .summary('print a completion script for a shell')
    .description('print a script that completes the commands, flags and values of tanzanite')
    .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(shells))
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', help)
    .action((shell: CompletionShell) => {
      if (command.parent) print(completionScript[shell](describeWords(command.parent)));
    });
}

/** What a command line may hold. */
interface Words {
  /** Flags before a command. */
  readonly flags: readonly FlagWords[];
  readonly commands: readonly CommandWords[];
  /** The command that runs if none is named. */
  readonly defaultCommand: string;
}

interface CommandWords {
  readonly name: string;
  readonly text: string;
  readonly flags: readonly FlagWords[];
  /** The values of the command's first argument; empty if it has no argument, or if the argument may be anything. */
  readonly choices: readonly string[];
  /** For example `get` of `entity`. */
  readonly subcommands: readonly CommandWords[];
}

interface FlagWords {
  /** `-l`, `--location` */
  readonly names: readonly string[];
  readonly text: string;
  readonly value: FlagValue;
}

/** `none`: the flag takes no value. `text`: the value cannot be completed. */
interface FlagValue {
  /** Whether the value may be left out. */
  readonly isOptional: boolean;
  readonly kind: 'none' | 'text' | 'file' | 'folder' | 'choices';
  readonly choices: readonly string[];
}

/** Reads commander's own commands and options. Hidden flags are left out. */
function describeWords(program: Command): Words {
  const help = program.createHelp();
  const flagsOf = (command: Command): FlagWords[] => help.visibleOptions(command).map(describeFlag);
  const describe = (command: Command): CommandWords => ({
    name: command.name(),
    text: command.summary() || command.description(),
    flags: flagsOf(command),
    choices: command.registeredArguments[0]?.argChoices ?? command.commands.map((one) => one.name()),
    subcommands: command.commands.map(describe),
  });
  return { flags: flagsOf(program), commands: program.commands.map(describe), defaultCommand: 'start' };
}

/** Each command, followed by its subcommands under names such as `entity/get`. */
const withSubcommands = (commands: readonly CommandWords[]): CommandWords[] =>
  commands.flatMap((command) => [
    command,
    ...command.subcommands.map((one) => ({ ...one, name: `${command.name}/${one.name}` })),
  ]);

/** `entity/get|entity/put`: the subcommands of all commands, as a pattern for `case` in a shell. */
const subcommandPattern = (commands: readonly CommandWords[]): string =>
  withSubcommands(commands)
    .flatMap(({ name }) => (name.includes('/') ? [name] : []))
    .join('|');

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

const completionScript: Readonly<Record<CompletionShell, (words: Words) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

const namesOf = (flags: readonly FlagWords[]): string => flags.flatMap(({ names }) => names).join(' ');
const nameList = (words: Words): string => words.commands.map(({ name }) => name).join(' ');

function bashScript(words: Words): string {
  const { commands, flags, defaultCommand } = words;
  return `# Completes tanzanite in bash: source <(tanzanite completion bash)
_tanzanite() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=${defaultCommand} plain= flags=
  # bash splits --flag=value at the sign
  if [[ $current == = ]]; then current=; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  case \${COMP_WORDS[1]} in
    ${commands.map(({ name }) => name).join('|')}) ((COMP_CWORD > 1)) && command=\${COMP_WORDS[1]} ;;
  esac
  case $command/\${COMP_WORDS[2]} in
    ${subcommandPattern(commands)}) ((COMP_CWORD > 2)) && command+=/\${COMP_WORDS[2]} ;;
  esac
  case $command,$before in
${withSubcommands(commands).flatMap(bashValues).join('\n')}
  esac
  case $command in
${withSubcommands(commands).map(bashWords).join('\n')}
  esac
  ((COMP_CWORD == 1)) && plain="${nameList(words)} $plain" flags="$flags ${namesOf(flags)}"
  [[ $current == -* || -z $plain ]] && plain=$flags
  COMPREPLY=($(compgen -W "$plain" -- "$current"))
}
complete -F _tanzanite tanzanite
`;
}

function bashWords({ name, flags, choices }: CommandWords): string {
  return `    ${name}) plain='${choices.join(' ')}' flags='${namesOf(flags)}' ;;`;
}

/** Lines of the case that completes the value of a flag. */
function bashValues({ name, flags }: CommandWords): string[] {
  return flags.flatMap(({ names, value: { kind, choices, isOptional } }) => {
    const pattern = names.map((flag) => `${name},${flag}`).join('|');
    const list = choices.length > 0 ? ` -W '${choices.join(' ')}'` : '';
    // File names may have spaces: only line ends separate them.
    const files = kind === 'file' || kind === 'folder' ? ` -${kind === 'file' ? 'f' : 'd'}` : '';
    const before = files === '' ? '' : `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; `;
    const found = `${before}COMPREPLY=($(compgen${files}${list} -- "$current")); return`;
    if (kind === 'none') return [];
    if (kind === 'text') return [`    ${pattern}) return ;;`];
    return [`    ${pattern}) ${isOptional ? `if [[ $current != -* ]]; then ${found}; fi` : found} ;;`];
  });
}

/** In single quotes: only a single quote needs escaping there. */
const posixQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function zshScript({ commands, flags, defaultCommand }: Words): string {
  return `#compdef tanzanite
# Completes tanzanite in zsh: source <(tanzanite completion zsh)
_tanzanite() {
  local command=$words[2] single=
  local -a commands=(
${commands.map(({ name, text }) => `    ${posixQuote(`${name}:${text.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  if [[ CURRENT -eq 2 && $PREFIX != -* ]]; then
    _describe command commands
    return
  fi
  case $command in
    ${commands.map(({ name }) => name).join('|')}) words=($words[1] $words[3,-1]); ((CURRENT--)) ;;
    *) command=${defaultCommand} ;;
  esac
  case $command/$words[2] in
    ${subcommandPattern(commands)}) ((CURRENT > 2)) && { command+=/$words[2]; words=($words[1] $words[3,-1]); ((CURRENT--)); } ;;
  esac
  case $command in
${withSubcommands(commands)
  .map((command) => zshCommand(command, command.name === defaultCommand ? flags : []))
  .join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _tanzanite "$@"; else compdef _tanzanite tanzanite; fi
`;
}

function zshCommand({ name, flags, choices }: CommandWords, more: readonly FlagWords[]): string {
  const known = new Set(flags.flatMap(({ names }) => names));
  const all = [...flags, ...more.filter(({ names }) => !names.some((flag) => known.has(flag)))];
  const specs = all.flatMap(({ names, text, value }) => names.map((flag) => zshFlag(flag, text, value)));
  if (choices.length > 0) specs.push(posixQuote(`1:${name}:(${choices.join(' ')})`));
  return `    ${name}) _arguments \\\n${specs.map((spec) => `      ${spec}`).join(' \\\n')} ;;`;
}

function zshFlag(flag: string, text: string, { kind, choices, isOptional }: FlagWords['value']): string {
  const told = text.replaceAll(/[\][:\\]/g, '\\$&');
  const list = choices.length > 0 ? `(${choices.join(' ')})` : '';
  const action = { none: '', text: ': ', folder: ':_files -/', file: ':_files', choices: `:${list}` }[kind];
  return posixQuote(
    `${flag}[${told}]${kind === 'none' ? '' : `${isOptional ? '::' : ':'}${flag.replaceAll('-', ' ').trim()}${action}`}`,
  );
}

function fishScript({ commands, flags, defaultCommand }: Words): string {
  const names = commands.map(({ name }) => name).join(' ');
  const others = commands.filter(({ name }) => name !== defaultCommand).map(({ name }) => name);
  const lines = [
    '# Completes tanzanite in fish: tanzanite completion fish > ~/.config/fish/completions/tanzanite.fish',
    'complete -c tanzanite -f',
    ...commands.map(
      ({ name, text }) =>
        `complete -c tanzanite -n 'not __fish_seen_subcommand_from ${names}' -a ${name} -d ${fishQuote(text)}`,
    ),
    ...flags.map((flag) => `complete -c tanzanite -n 'not __fish_seen_subcommand_from ${names}'${fishFlag(flag)}`),
    ...withSubcommands(commands).flatMap(({ name, flags, choices, subcommands }) => {
      const seen =
        name === defaultCommand
          ? `not __fish_seen_subcommand_from ${others.join(' ')}`
          : fishSeen(
              name.split('/'),
              subcommands.map((one) => one.name),
            );
      const own = flags.map((flag) => `complete -c tanzanite -n '${seen}'${fishFlag(flag)}`);
      return choices.length > 0 ? [...own, `complete -c tanzanite -n '${seen}' -a '${choices.join(' ')}'`] : own;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

const fishSeen = (words: readonly string[], below: readonly string[]): string =>
  [
    ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []),
  ].join('; and ');

const fishQuote = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

function fishFlag({ names, text, value: { kind, choices, isOptional } }: FlagWords): string {
  const forms = names.map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`)).join('');
  const files = kind === 'file' ? ' -r -F' : kind === 'folder' ? " -x -a '(__fish_complete_directories)'" : '';
  const plain = !isOptional && (kind === 'text' || kind === 'choices') ? ' -x' : '';
  const list = choices.length > 0 ? ` -a '${choices.join(' ')}'` : '';
  return `${forms}${files}${plain}${list} -d ${fishQuote(text)}`;
}

function powershellScript({ commands, flags, defaultCommand }: Words): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const list = (names: readonly string[]): string => `@(${names.map(quote).join(', ')})`;
  const all = withSubcommands(commands);
  const values = all.flatMap(({ name, flags }) =>
    flags.flatMap(({ names, value: { choices } }) =>
      choices.length === 0 ? [] : names.map((flag) => `    ${quote(`${name} ${flag}`)} = ${list(choices)}`),
    ),
  );
  return `# Completes tanzanite in PowerShell: tanzanite completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName tanzanite -ScriptBlock {
  param($current, $ast, $position)
  $commands = @{
${all.map(({ name, flags, choices }) => `    ${quote(name)} = ${list([...choices, ...flags.flatMap(({ names }) => names)])}`).join('\n')}
  }
  $values = @{
${values.join('\n')}
  }
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
  $command = if ($words.Count -gt 1 -and $commands.ContainsKey($words[1])) { $words[1] } else { ${quote(defaultCommand)} }
  if ($words.Count -gt 2 -and $commands.ContainsKey("$command/$($words[2])")) { $command = "$command/$($words[2])" }
  $found = $values["$command $($words[-1])"]
  if (-not $found) {
    $found = $commands[$command]
    if ($words.Count -le 1) { $found = $found + @(@($commands.Keys) -notlike '*/*') + ${list(flags.flatMap(({ names }) => names))} }
  }
  $found | Sort-Object -Unique | Where-Object { $_ -like "$current*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}
