// Generates requests to the control plane from its OpenAPI description. Some requests are valid, and others are nearly
// valid.

import fc from 'fast-check';
import { Description, type OpenApi, readDescription, type Schema } from '../support/witness/description.ts';

export interface ControlCall {
  readonly method: string;
  /** `{load}` and `{export}` stand for the id of the most recent load or export. */
  readonly path: string;
  readonly contentType: string;
  readonly body?: string;
  readonly credentials: 'token' | 'none' | 'wrong';
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }
      >
    >;
  };
}

/** Streams that end only when the client disconnects. */
const endless = ['/_emulator/events'];

const words = [
  'devstoreaccount1',
  'secretive',
  'nobody',
  'controlled',
  'pets',
  'a',
  '',
  '..',
  '%2e%2e',
  '\u00e9',
  '__proto__',
  'x'.repeat(300),
];
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
const anyJson = fc.jsonValue({ maxDepth: 2 });

class Drawer {
  readonly #description: Description;

  constructor(api: OpenApi) {
    this.#description = new Description(api);
  }

  /** A value that fits the schema; now and then any other value. */
  valueOf(given: Schema, depth = 0): fc.Arbitrary<unknown> {
    return fc.oneof({ weight: 12, arbitrary: this.#soundValueOf(given, depth) }, { weight: 1, arbitrary: anyJson });
  }

  #soundValueOf(given: Schema, depth: number): fc.Arbitrary<unknown> {
    const schema = this.#description.resolve(given as Schema & { $ref?: string }) as Readonly<Record<string, unknown>>;
    const choices = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
    if (choices && depth < 5) return fc.oneof(...choices.map((one) => this.valueOf(one, depth + 1)));
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown>(...schema['enum']);
    const { properties, items } = schema as { properties?: Record<string, Schema>; items?: Schema };
    if (depth >= 5) return anyJson;
    if (properties) {
      const required = (schema['required'] ?? []) as string[];
      const members = Object.entries(properties).map(([name, own]) => [name, this.valueOf(own, depth + 1)] as const);
      return fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => name in properties) });
    }
    if (items) return fc.array(this.valueOf(items, depth + 1), { maxLength: 3 });
    return scalarOf([schema['type']].flat(), schema);
  }
}

function scalarOf(
  types: readonly unknown[],
  { minimum = -1, maximum = 1e6 }: { minimum?: number; maximum?: number },
): fc.Arbitrary<unknown> {
  const arbitraries = types.map((type): fc.Arbitrary<unknown> => {
    if (type === 'integer')
      return fc.integer({
        min: Math.ceil(minimum),
        max: Math.max(Math.ceil(minimum), Math.floor(Math.min(maximum, 2 ** 31 - 1))),
      });
    if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true });
    if (type === 'boolean') return fc.boolean();
    if (type === 'null') return fc.constant(null);
    return type === 'string' ? anyText : anyJson;
  });
  return fc.oneof(...arbitraries);
}

const sampleBodies: Readonly<Record<string, readonly string[]>> = {
  'application/x-ndjson': ['{"PartitionKey":"p","RowKey":"r","A":1}\n', '{}\n', '\u0000', '{"PartitionKey":"p"'],
  'application/x-www-form-urlencoded': [
    'grant_type=client_credentials&client_id=x&client_secret=y&scope=https%3A%2F%2Fstorage.azure.com%2F.default',
    'grant_type=x',
    '%',
  ],
};

function bodyOf(drawer: Drawer, type: string, schema: Schema | undefined): fc.Arbitrary<string> {
  const samples = sampleBodies[type];
  if (samples) return fc.constantFrom(...samples);
  const sound = (schema ? drawer.valueOf(schema) : anyJson).map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: sound },
    { weight: 1, arbitrary: fc.constantFrom('', '{', '[]', 'null', '"', '\ufeff{}') },
  );
}

function pathOf(template: string, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const inPath = parameters.filter((one) => one.in === 'path');
  const inQuery = parameters.filter((one) => one.in === 'query');
  const named = (name: string): fc.Arbitrary<string> => {
    const isBegun = name === 'load' || name === 'export';
    const other = anyText.map((text) => encodeText(text.replaceAll('/', '') || '-'));
    return isBegun
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(`{${name}}`) }, { weight: 1, arbitrary: other })
      : other;
  };
  const query = fc.record(
    Object.fromEntries(inQuery.map(({ name }) => [name, fc.oneof(anyText, fc.constantFrom('ndjson', 'csv', '1'))])),
    {
      requiredKeys: [],
    },
  );
  return fc
    .tuple(fc.record(Object.fromEntries(inPath.map(({ name }) => [name, named(name)]))), query)
    .map(([names, all]) => {
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
      const pairs = Object.entries(all).map(([name, value]) => `${name}=${encodeText(String(value))}`);
      return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
    });
}

const encodeText = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));

function callsOf(
  drawer: Drawer,
  template: string,
  method: string,
  operation: DescribedOperation,
): fc.Arbitrary<ControlCall> {
  const [type = 'application/json', media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = operation.requestBody
    ? fc.option(bodyOf(drawer, type, media?.schema), { nil: undefined, freq: 12 })
    : fc.constant(undefined);
  return fc
    .record({
      path: pathOf(template, operation.parameters ?? []),
      contentType: fc.oneof(
        { weight: 12, arbitrary: fc.constant(type) },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'x', type.toUpperCase()) },
      ),
      body,
      credentials: fc.oneof(
        { weight: 12, arbitrary: fc.constant('token' as const) },
        { weight: 1, arbitrary: fc.constantFrom('none' as const, 'wrong' as const) },
      ),
    })
    .map(({ body: own, ...call }) => ({
      method: method.toUpperCase(),
      ...call,
      ...(own !== undefined && { body: own }),
    }));
}

/** One request to any operation of the control plane. */
export function describedCall(): fc.Arbitrary<ControlCall> {
  const api = readDescription('control-plane');
  const drawer = new Drawer(api);
  const calls = Object.entries(api.paths)
    .filter(([template]) => !endless.includes(template))
    .flatMap(([template, verbs]) =>
      ['get', 'put', 'post', 'delete', 'patch'].flatMap((verb) => {
        const operation = verbs[verb] as DescribedOperation | undefined;
        return operation ? [callsOf(drawer, template, verb, operation)] : [];
      }),
    );
  return fc.oneof(...calls);
}
