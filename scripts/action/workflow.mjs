// The interface of a step of GitHub Actions: inputs, outputs, variables, the summary of the job, errors.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';

/** An error with a message for the person who wrote the workflow. */
export class UnusableStep extends Error {}

const severities = ['note', 'warning', 'error'];

/** The value of an input without surrounding spaces, or '' if it is not given. */
const input = (name) => (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();

/** Reads and checks the inputs. Throws UnusableStep, before anything is started. */
export function readInputs() {
  const failOn = input('fail-on');
  if (failOn !== '' && !severities.includes(failOn)) {
    throw new UnusableStep(`the input fail-on must be note, warning or error, not ${failOn}.`);
  }
  const stop = input('stop').toLowerCase();
  if (!['', 'true', 'false'].includes(stop))
    throw new UnusableStep(`the input stop must be true or false, not ${stop}.`);
  const version = input('version').replace(/^v(?=\d)/, '');
  if (version !== '' && !/^\d+\.\d+\.\d+(-[\dA-Za-z.-]+)?$/.test(version)) {
    throw new UnusableStep(`the input version must be one like 1.2.3, not ${version}.`);
  }
  return {
    version,
    executable: input('executable'),
    args: splitWords(input('args')),
    seed: input('seed'),
    failOn,
    sarif: input('sarif'),
    isStop: stop === 'true',
  };
}

/**
 * Splits a text at spaces and line ends. Spaces inside quotes do not split the text. A backslash is an ordinary
 * character, because Windows paths contain backslashes.
 */
export function splitWords(text) {
  const words = [];
  let word;
  let quote;
  for (const character of text) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) throw new UnusableStep(`the input args has a ${quote} that is not closed.`);
  return word === undefined ? words : [...words, word];
}

export const setOutput = (name, value) => append('GITHUB_OUTPUT', named(name, value));
export const setVariable = (name, value) => append('GITHUB_ENV', named(name, value));
export const saveState = (name, value) => append('GITHUB_STATE', named(name, value));
export const addPath = (folder) => append('GITHUB_PATH', `${folder}\n`);

/** Reads a value that saveState stored in the first part of this step. */
export const readState = (name) => process.env[`STATE_${name}`];

const summaryBytesMax = 1_000_000;

/** GitHub refuses a summary of more than a mebibyte, so a longer text is cut at the end of a line. */
export function addSummary(markdown) {
  const bytes = Buffer.from(markdown);
  if (bytes.length <= summaryBytesMax) return append('GITHUB_STEP_SUMMARY', markdown);
  const cut = bytes.subarray(0, bytes.lastIndexOf('\n', summaryBytesMax) + 1).toString();
  return append('GITHUB_STEP_SUMMARY', `${cut}\nThe report is longer: \`tanzanite advise\` prints all of it.\n`);
}

/** Prints one line that GitHub shows with the job. */
export const annotate = (severity, message) => {
  const escaped = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  process.stdout.write(`::${severity} title=Tanzanite::${escaped}\n`);
};

/** Runs a part of the step. An error becomes one line and exit code 1. */
export async function runPart(part) {
  try {
    await part();
  } catch (error) {
    const { message, cause } = error;
    annotate('error', `tanzanite: ${message}${error instanceof UnusableStep || !cause ? '' : `: ${cause.message}`}`);
    process.exitCode = 1;
  }
}

/** Renders a value that may have several lines. A random mark, which no value contains, ends it. */
function named(name, value) {
  const mark = `end-${randomUUID()}`;
  return `${name}<<${mark}\n${value}\n${mark}\n`;
}

/** Does nothing outside GitHub, where the variable is not set. */
function append(variable, text) {
  const path = process.env[variable];
  if (path) appendFileSync(path, text);
}
