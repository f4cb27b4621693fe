import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = (shell: string): string => join(folder.path, shell === 'fish' ? 'tanzanite.fish' : `completion.${shell}`);

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { code, stdout, stderr } = await runCommand(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    writeFileSync(file(shell), stdout);
  }
  writeFileSync(join(folder.path, 'a certificate.pem'), '');
  mkdirSync(join(folder.path, 'a folder'));
});
afterAll(() => folder.remove());

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const run = (shell: string, args: readonly string[]): string =>
  execFileSync(shell, args, {
    cwd: folder.path,
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env['PATH'], HOME: folder.path, ZDOTDIR: folder.path, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
  });

/** The words that a shell offers for a line with an incomplete last word. */
const offers: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(' ').map((word) => `'${word}'`);
    const script = `source ${file('bash')}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
      _tanzanite; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return lines(run('bash', ['--norc', '-c', script]));
  },
  fish: (line) => {
    const script = `source ${file('fish')}; complete --do-complete ${JSON.stringify(line)}`;
    return lines(run('fish', ['--no-config', '-c', script])).map((offer) => offer.split('\t', 1)[0] ?? '');
  },
  // zsh completes only on a terminal. This code types the line, a tab and Enter on a terminal. zsh then runs the
  // completed line, and the function `tanzanite` below writes the words of this line to a file.
  zsh: (line) => {
    const typed = join(folder.path, 'typed');
    writeFileSync(
      join(folder.path, '.zshrc'),
      `PS1=; setopt noautolist nobeep; autoload -Uz compinit; compinit -u -d ${folder.path}/dump; source ${file('zsh')}
      tanzanite() { print -r -- "$*" > ${typed}; exit; }\n`,
    );
    const script = `zmodload zsh/zpty; zpty shell zsh -d -i; zpty -w -n shell ${JSON.stringify(line)}$'\\t\\n'
      while zpty -r shell text; do :; done`;
    run('zsh', ['-f', '-c', script]);
    return [readFileSync(typed, 'utf8').trim().split(' ').at(-1) ?? ''];
  },
};

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe.each(['bash', 'zsh', 'fish'])('the script for %s', (shell) => {
  const isThere = isInstalled(shell);
  if (!isThere) console.warn(`the script for ${shell}: skipped, ${shell} is not installed`);
  const completed = (line: string): string[] => (offers[shell] ?? (() => []))(line);

  it.skipIf(!isThere)('is parsed by its shell without an error', () => {
    expect(run(shell, ['-n', file(shell)])).toBe('');
  });

  it.skipIf(!isThere).each([
    ['a command', 'tanzanite conn', 'connection-string'],
    ['a flag of start without its name', 'tanzanite --dura', '--durability'],
    ['a flag of start', 'tanzanite start --inMem', '--inMemoryPersistence'],
    ['a flag of another command', 'tanzanite health --qu', '--quiet'],
    ['a choice', 'tanzanite start --durability po', 'power'],
    ['a choice after other flags', 'tanzanite --tablePort 0 --throttle enf', 'enforce'],
    ['an argument', 'tanzanite completion powe', 'powershell'],
    ['a command below another one', 'tanzanite table cre', 'create'],
    ['a flag of a command below another one', 'tanzanite entity query People --conn', '--connection-string'],
    ['a flag that only a command below another one has', 'tanzanite entity query People --sel', '--select'],
    ['a value that may be left out', 'tanzanite connection-string --export --shell fi', 'fish'],
  ])('completes %s: %s', (_, line, expected) => {
    expect(completed(line)).toEqual([expected]);
  });
});

describe.skipIf(!isInstalled('bash'))('the script for bash', () => {
  const offered = (line: string): string[] => offers['bash']!(line);

  it('offers commands first, flags after a hyphen, and no flags of other commands', () => {
    expect(offered('tanzanite ')).toEqual(expect.arrayContaining(['start', 'explain', 'completion']));
    expect(offered('tanzanite -')).toEqual(expect.arrayContaining(['--version', '--tablePort', '-l']));
    expect(offered('tanzanite wait -')).toEqual(['--url', '--insecure', '--timeout', '-h', '--help']);
    expect(offered('tanzanite entity -')).toEqual(['-h', '--help']);
    expect(offered('tanzanite entity get --s')).toEqual([]);
    expect(offered('tanzanite entity get ')).toEqual(expect.arrayContaining(['--url', '--csv']));
    expect(offered('tanzanite entity get ')).not.toContain('delete');
    expect(offered('tanzanite table ')).toEqual(['list', 'create', 'delete']);
    expect(offered('tanzanite export entity --form')).toEqual(['--format']);
  });

  it('does not offer flags that only Azurite has', () => {
    expect(offered('tanzanite --blob')).toEqual([]);
  });

  it('offers all choices, also after a character at which bash splits words', () => {
    const choices = ['process', 'power', 'none'];
    expect(offered('tanzanite --durability ')).toEqual(choices);
    expect(offered('tanzanite --durability =')).toEqual(choices);
    expect(offered('tanzanite --durability = n')).toEqual(['none']);
  });

  it('offers files and folders for flags that take them, also with spaces', () => {
    expect(offered('tanzanite --cert a')).toEqual(expect.arrayContaining(['a certificate.pem', 'a folder']));
    expect(offered('tanzanite --location a')).toEqual(['a folder']);
    expect(offered('tanzanite --accounts a')).toEqual(expect.arrayContaining(['any', 'a certificate.pem']));
    expect(offered('tanzanite --tablePort ')).toEqual([]);
  });

  it('completes flags after a flag with an optional value', () => {
    expect(offered('tanzanite connection-string --sas ')).toEqual(['account', 'table']);
    expect(offered('tanzanite connection-string --sas --tab')).toEqual(['--table']);
  });
});

describe('completion', () => {
  it('is small, and contains commands and choices in PowerShell too', async () => {
    const { stdout } = await runCommand(['completion', 'powershell']);
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName tanzanite');
    expect(stdout).toContain("'start --durability' = @('process', 'power', 'none')");
    expect(stdout).toContain("'table/delete' = @(");
    expect(stdout.length).toBeLessThan(12_000);
  });

  it.each([[[]], [['tcsh']]])('of %j is refused with code 2', async (args) => {
    const { code, stderr } = await runCommand(['completion', ...args]);
    expect(code).toBe(2);
    const reason =
      args.length === 0
        ? 'completion needs a <shell>.'
        : '<shell> must be one of bash, zsh, fish, powershell, not tcsh.';
    expect(stderr).toBe(`tanzanite: ${reason} tanzanite completion --help lists the flags\n`);
  });
});
