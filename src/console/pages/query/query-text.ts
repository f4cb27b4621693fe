// A query as it is in the address and in the form.

import type { RouteQuery } from '../../router.ts';

export interface QueryText {
  readonly account: string;
  readonly table: string;
  readonly filter: string;
  /** Names of properties, with commas between them; empty for all. */
  readonly select: string;
  /** A number, or empty. */
  readonly top: string;
}

interface Place {
  readonly account: string;
  readonly table: string;
  /** The query parameters of the address. */
  readonly text: URLSearchParams;
}

export function queryOf({ account, table, text }: Place): QueryText {
  const textOf = (name: string): string => text.get(name) ?? '';
  return { account, table, filter: textOf('filter'), select: textOf('select'), top: textOf('top') };
}

/** The arguments for `navigate` and `hrefOf`. An address holds no secrets, so that it can be shared. */
export function queryAddress(query: QueryText, isRun: boolean): [readonly string[], RouteQuery] {
  const { account, table, filter, select, top } = query;
  return [['query', account, table], { filter, select, top, run: isRun ? 1 : undefined }];
}

export const selectedNames = ({ select }: QueryText): readonly string[] =>
  select
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

export const topOf = ({ top }: QueryText): number | undefined => (top.trim() === '' ? undefined : Number(top));

/** Limit: Query entities. */
export const topMax = 1000;

export function topFault(top: string): string | undefined {
  return top.trim() === '' || (/^\d+$/.test(top.trim()) && Number(top) >= 1 && Number(top) <= topMax)
    ? undefined
    : `1 to ${topMax}.`;
}
