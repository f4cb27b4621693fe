// Suggests how a filter can continue at the cursor: names and values of sampled entities, operators, and literals of
// the right type.

import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import { renderLiteral } from '../../../query/render-filter.ts';
import { type EdmType, edmOf } from '../../client/edm.ts';
import { visibleText } from '../../format.ts';
import { type FilterToken, filterTokens } from './filter-tokens.ts';
import type { SampledProperty } from './samples.ts';

const operatorWords: readonly (readonly [string, string])[] = [
  ['eq', 'equal'],
  ['ne', 'not equal'],
  ['gt', 'greater'],
  ['ge', 'greater or equal'],
  ['lt', 'less'],
  ['le', 'less or equal'],
];

export function completeFilter(samples: () => readonly SampledProperty[]): CompletionSource {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.sliceString(0, pos);
    const tokens = filterTokens(text);
    const last = tokens.at(-1);
    const isTyping = last !== undefined && last.end === pos && last.kind !== 'open' && last.kind !== 'close';
    if (!explicit && !isWanted(text, { last, isTyping })) return null;
    const options = optionsAfter(isTyping ? tokens.slice(0, -1) : tokens, samples());
    return options.length === 0 ? null : { from: isTyping ? last.start : pos, options, filter: true };
  };
}

/**
 * Whether the list of suggestions opens. While the list is open, Enter chooses a suggestion and does not run the query.
 * Therefore, the list does not open where the filter may be complete.
 */
function isWanted(text: string, { last, isTyping }: { last: FilterToken | undefined; isTyping: boolean }): boolean {
  if (isTyping) return last?.kind !== 'literal' || (last.text.includes("'") && !/'(?:[^']|'')*'$/.test(last.text));
  return last?.kind !== 'literal' && last?.kind !== 'close' && /[\s(]$/.test(text);
}

/**
 * Returns the suggestions for the token before the cursor: an operator after a name, a value after an operator, and
 * `and` or `or` after a value.
 */
function optionsAfter(tokens: readonly FilterToken[], samples: readonly SampledProperty[]): readonly Completion[] {
  const last = tokens.at(-1);
  switch (last?.kind) {
    case 'name':
      return operatorWords.map(([label, detail]) => ({ label, detail, apply: `${label} `, type: 'keyword' }));
    case 'operator':
      return valuesFor(tokens.at(-2), samples);
    case 'literal':
    case 'close':
      return ['and', 'or'].map((label) => ({ label, apply: `${label} `, type: 'keyword' }));
    default:
      return [
        ...samples.map(({ name, type }, at) => ({
          label: name,
          detail: type.slice('Edm.'.length),
          apply: `${name} `,
          type: 'property',
          boost: samples.length - at,
        })),
        ...(last?.text === 'not' ? [] : [{ label: 'not', apply: 'not ', type: 'keyword' }]),
      ];
  }
}

function valuesFor(name: FilterToken | undefined, samples: readonly SampledProperty[]): readonly Completion[] {
  const property = samples.find((sample) => sample.name === name?.text);
  if (!property) return Object.values(forms).map((form) => ({ ...form }));
  const { type, values } = property;
  if (type === 'Edm.Boolean') return ['true', 'false'].map((label) => ({ label }));
  const seen = values.flatMap((text) => {
    const value = edmOf({ type, text });
    return value ? [renderLiteral(value)] : [];
  });
  return [...seen.map((apply) => ({ label: visibleText(apply), apply, detail: 'in the table' })), { ...forms[type] }];
}

const forms: Readonly<Record<EdmType, Completion>> = {
  'Edm.String': { label: "'…'", detail: 'String', apply: "''" },
  'Edm.Int32': { label: '0', detail: 'Int32' },
  'Edm.Int64': { label: '0L', detail: 'Int64' },
  'Edm.Double': { label: '0.0', detail: 'Double' },
  'Edm.Boolean': { label: 'true', detail: 'Boolean' },
  'Edm.DateTime': { label: "datetime'2026-01-31T00:00:00Z'", detail: 'DateTime' },
  'Edm.Guid': { label: "guid'00000000-0000-0000-0000-000000000000'", detail: 'Guid' },
  'Edm.Binary': { label: "X'00'", detail: 'Binary, hexadecimal' },
};
