import { spawn } from 'node:child_process';

/** Thrown if a suite cannot be installed on this machine. The message says what is missing. */
export class MissingTool extends Error {}

/**
 * Runs a program to its end. Resolves with its exit code and its output, including standard error. Rejects with
 * MissingTool if the program does not exist.
 */
export function runTool(command, args, { cwd, env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.once('error', (error) => {
      reject(error.code === 'ENOENT' ? new MissingTool(`${command} is not installed`) : error);
    });
    child.once('close', (exitCode) => resolve({ exitCode, stdout, output }));
  });
}

/**
 * Runs a program that installs or builds a suite. If the program fails, rejects with MissingTool and the last line of
 * the output.
 */
export async function prepareWith(command, args, options) {
  const { exitCode, output } = await runTool(command, args, options);
  if (exitCode === 0) return;
  const lastLine = output.trim().split('\n').at(-1);
  throw new MissingTool(`${command} ${args.slice(0, 3).join(' ')} … ended with ${exitCode}: ${lastLine}`);
}
