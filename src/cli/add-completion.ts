import { Argument, type Command } from 'commander';
import { type CompletionShell, completionScript, completionShells } from './completion-scripts.ts';
import { describeWords } from './completion-words.ts';

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

/** `tanzanite completion <shell>`, for all that the program takes. */
export function addCompletion(command: Command, program: Command): Command {
  return command
    .summary('print a script with which a shell completes')
    .description('print a script with which a shell completes the commands, flags and values of tanzanite')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(completionShells))
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(tanzanite completion --help lists the shells)')
    .addHelpText('after', help)
    .action((shell: CompletionShell) => {
      process.stdout.write(completionScript[shell](describeWords(program)));
    });
}
