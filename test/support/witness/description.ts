// An OpenAPI description for a witness. It is read once, and its references are resolved.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export type Schema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref?: string;
}

export interface HeaderObject extends Reference {
  readonly required?: boolean;
  readonly schema?: Schema;
}

export type Headers = Readonly<Record<string, HeaderObject>>;

export interface ResponseObject extends Reference {
  readonly headers?: Headers;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly 'x-error-codes'?: readonly string[];
  readonly 'x-part-error-codes'?: readonly string[];
  readonly 'x-part-headers'?: Headers;
  readonly 'x-part-lacks'?: readonly string[];
}

export interface Answerer {
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface OperationObject extends Answerer {
  readonly operationId?: string;
  readonly 'x-verbs'?: readonly string[];
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The responses to a request that is not one of the operations. */
  readonly 'x-unrouted': Answerer;
  /** The responses to malformed HTTP. */
  readonly 'x-malformed'?: Answerer;
  /** Headers of every response. */
  readonly 'x-answer-headers'?: Headers;
}

export function readDescription(name: 'table-service' | 'control-plane'): OpenApi {
  return parse(readFileSync(new URL(`../../../openapi/${name}.yaml`, import.meta.url), 'utf8')) as OpenApi;
}

/** The id of the description in validators, through which references into it are resolved. */
export const descriptionKey = 'description';

export class Description {
  readonly api: OpenApi;
  readonly #routes: readonly Route[];

  constructor(written: OpenApi) {
    const api = JSON.parse(JSON.stringify(written).replaceAll('"#/', `"${descriptionKey}#/`)) as OpenApi;
    this.api = api;
    const routes = Object.entries(api.paths).map(([template, verbs]) => ({
      template,
      verbs,
      match: matcherOf(template),
    }));
    // Literal paths must come before paths with a name in braces.
    this.#routes = routes.sort((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));
  }

  /** The operation of a request, with its name. If no operation matches, the responses to such requests. */
  find(method: string, target: string): { readonly label: string; readonly answerer: Answerer } {
    const written = pathOf(target);
    const path = method === 'POST' ? written?.replace(insertBelowTable, '$1') : written;
    const route = path === undefined ? undefined : this.#routes.find(({ match }) => match.test(path));
    const [verb, operation] =
      Object.entries(route?.verbs ?? {}).find(([verb, { 'x-verbs': verbs }]) => isAmong(method, verbs ?? [verb])) ?? [];
    if (route === undefined || operation === undefined) {
      return { label: 'no operation (x-unrouted)', answerer: this.api['x-unrouted'] };
    }
    return { label: `${verb} ${route.template}`, answerer: operation };
  }

  /** The node itself, or the target of its reference. */
  resolve<Node extends object>(node: Node & Reference): Node {
    if (node.$ref === undefined) return node;
    const [, kind = '', name = ''] = /#\/components\/(\w+)\/(\w+)$/.exec(node.$ref) ?? [];
    const found = this.api.components[kind]?.[name];
    if (found === undefined) throw new Error(`nothing behind ${node.$ref}`);
    return this.resolve(found as Node & Reference);
  }
}

/** A POST to a second segment below a table inserts into the table, like a POST to the table itself. */
const insertBelowTable = /^(\/(?!Tables\/)[A-Za-z][A-Za-z0-9]*)\/[^(]+$/s;

function isAmong(method: string, verbs: readonly string[]): boolean {
  return verbs.some((verb) => verb.toUpperCase() === method);
}

interface Route {
  readonly template: string;
  readonly verbs: Readonly<Record<string, OperationObject>>;
  readonly match: RegExp;
}

const anySegment = new Set(['{name}', '{load}', '{export}', '{id}', '{tenant}', '{table}']);

/**
 * Returns an expression for the paths that fit a template. In the template, `'{name}'` matches a quoted text in which
 * each quote is written twice. `{tableName}` matches a word of letters and digits. `{name}`, `{load}`, `{export}`,
 * `{id}`, `{tenant}` and `{table}` match a segment with any text.
 */
function matcherOf(template: string): RegExp {
  const pieces = template.split(/('\{\w+\}'|\{\w+\})/).map((piece, index) => {
    if (index % 2 === 0) return piece.replace(/[$().*+?]/g, '\\$&');
    if (anySegment.has(piece)) return '[^/]+';
    return piece.startsWith("'") ? "'(?:[^']|'')*'" : '[A-Za-z$][A-Za-z0-9$]*';
  });
  return new RegExp(`^${pieces.join('')}$`, 's');
}

/**
 * Returns the path of a request target in the form that the description uses: decoded, and with the keys in one order.
 * Removes spaces, empty parentheses and a trailing slash, because the service ignores them. Returns undefined if the
 * path cannot be decoded.
 */
function pathOf(target: string): string | undefined {
  const [wirePath = ''] = target.split('?', 1);
  let path: string;
  try {
    path = decodeURIComponent(wirePath);
  } catch {
    return undefined;
  }
  return (path || '/')
    .replace(/^(\/[^/(]+)\(\s*\)(\/?)$/, '$1$2')
    .replace(/^(\/[^/(]+)\/$/, '$1')
    .replace(/^\/Tables\(\s*('(?:[^']|'')*')\s*\)\/?$/s, '/Tables($1)')
    .replace(inAnyOrder, (all, table, first, firstKey, second, secondKey) => {
      if (first === second) return all;
      const [partitionKey, rowKey] = first === 'PartitionKey' ? [firstKey, secondKey] : [secondKey, firstKey];
      return `${table}(PartitionKey=${partitionKey},RowKey=${rowKey})`;
    });
}

const inAnyOrder =
  /^(\/[^/(]+)\(\s*(PartitionKey|RowKey)\s*=\s*('(?:[^']|'')*')\s*,\s*(PartitionKey|RowKey)\s*=\s*('(?:[^']|'')*')\s*\)$/s;
