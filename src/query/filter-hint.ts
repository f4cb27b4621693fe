// Guesses the mistake in a filter that the service refuses. The service's own messages give at most a position.

import { quote } from '../model/printable-text.ts';

interface Hint {
  /** Matches the mistake in the text of the filter, from which the content of quoted texts is removed. */
  readonly mistake: RegExp;
  readonly hint: (found: string) => string;
}

const operators: ReadonlyMap<string, string> = new Map([
  ['==', 'eq'],
  ['=', 'eq'],
  ['!=', 'ne'],
  ['<>', 'ne'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['>', 'gt'],
  ['>=', 'ge'],
  ['&&', 'and'],
  ['||', 'or'],
  ['!', 'not'],
]);

const functions =
  /\b(?:startswith|endswith|substringof|contains|substring|indexof|length|tolower|toupper|trim|concat|replace|year|month|day|hour|minute|second|round|floor|ceiling|isof|cast)\s*\(/i;

const hints: readonly Hint[] = [
  { mistake: /[=!<>]=|<>|&&|\|\||[=<>!]/, hint: (found) => `Write ${operators.get(found)} for ${found}.` },
  { mistake: /"[^"]*"?/, hint: (found) => `A text is written in single quotes: ${texts(found.replaceAll('"', ''))}.` },
  {
    mistake: functions,
    hint: (found) =>
      /^startswith/i.test(found)
        ? "For a prefix write RowKey ge 'abc' and RowKey lt 'abd'."
        : `The service has no functions such as ${found.replace(/\s*\($/, '')}.`,
  },
  {
    mistake: /\b(?:EQ|NE|GT|GE|LT|LE|AND|OR|NOT|Eq|Ne|And|Or|Not)\b/,
    hint: (found) => `Write ${found.toLowerCase()} for ${found}.`,
  },
  {
    mistake: /\bnull\b/i,
    hint: () => 'A property that is null is not stored; no filter finds it.',
  },
  { mistake: /\b(?:add|sub|mul|div|mod)\b/, hint: (found) => `The service has no arithmetic (${found}).` },
  { mistake: /\/\s*\w+/, hint: (found) => `The service has no paths (${found}).` },
  {
    mistake: /(?:\b(?:eq|ne|gt|ge|lt|le)\s+)(?!-?(?:true|false|NaN|INF)\b|[A-Za-z]+')(-?[\p{L}_][^\s)]*)/u,
    hint: (found) => {
      const word = found.replace(/^\S+\s+/, '');
      return `${quote(word)} is read as a property; a text has quotes: ${texts(word)}.`;
    },
  },
  {
    mistake: /\b(?:in|like|between|is)\b/i,
    hint: (found) => `The service has no ${found}; it has eq, ne, gt, ge, lt, le, and, or, not.`,
  },
];

const texts = (word: string): string => `'${word.slice(0, 64).replaceAll("'", "''")}'`;

/** One hint for each mistake that can be seen in the text. */
export function filterHints(text: string): string[] {
  if (countOf(text, "'") % 2 === 1) return ["A quote is not closed; double a quote inside a text: 'O''Brien'."];
  const bare = text.replace(/'(?:[^']|'')*'/g, "''");
  return hints.flatMap(({ mistake, hint }) => {
    const match = mistake.exec(bare)?.[0];
    return match === undefined ? [] : [hint(match)];
  });
}

const countOf = (text: string, char: string): number => text.split(char).length - 1;
