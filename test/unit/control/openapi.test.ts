import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { controlErrors } from '../../../src/control/control-error.ts';
import type { ControlTools } from '../../../src/control/control-route.ts';
import { controlRoutes } from '../../../src/control/control-routes.ts';

interface ResponseObject {
  readonly $ref?: string;
  readonly 'x-error-codes'?: readonly string[];
}

interface OperationObject {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly schemas: Readonly<Record<string, object>> & { readonly ErrorCode: { readonly enum: readonly string[] } };
  };
}

const text = readFileSync(new URL('../../../openapi/control-plane.yaml', import.meta.url), 'utf8');
const yaml = parseDocument(text);
const api: OpenApi = yaml.toJS();
const operations = Object.entries(api.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ name: `${verb.toUpperCase()} ${path}`, operation })),
);
/** The list of routes needs no tools. Only the handlers use them. */
const routes = controlRoutes({} as ControlTools);
/** The path of a route in the form of the document: `{load}` for `:load`. */
const pathOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}');
const namesOf = ({ method, url, exposeHeadRoute }: (typeof routes)[number]): readonly string[] =>
  [method, ...(exposeHeadRoute ? ['HEAD'] : [])].map((verb) => `${verb} ${pathOf(url)}`);
const bodyRoutes = routes
  .filter(({ schema }) => schema?.body !== undefined)
  .map((route) => [`${route.method} ${pathOf(route.url)}`, route] as const);

const lastStep = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

describe('the OpenAPI document of the control plane', () => {
  it('is parsed without an error or a warning, and has the version of the package', () => {
    expect([...yaml.errors, ...yaml.warnings]).toEqual([]);
    expect(api.openapi).toMatch(/^3\.1\.\d$/);
    expect(api.info.version).toBe(manifest.version);
  });

  it('names the operations that are routes, and no others', () => {
    expect(routes.length).toBeGreaterThan(0);
    expect(operations.map(({ name }) => name).sort()).toEqual(routes.flatMap(namesOf).sort());
  });

  it('resolves every reference', () => {
    const references = [...text.matchAll(/\$ref: '#\/components\/(\w+)\/(\w+)'/g)];
    expect(references.length).toBeGreaterThan(5);
    const components = api.components as unknown as Record<string, Record<string, unknown>>;
    expect(references.filter(([, kind = '', name = '']) => components[kind]?.[name] === undefined)).toEqual([]);
  });

  it('has a request body of JSON for exactly the operations that accept one', () => {
    const takers = operations
      .filter(({ operation }) => operation.requestBody?.content['application/json'])
      .map(({ name }) => name);
    expect(takers.sort()).toEqual(bodyRoutes.map(([name]) => name).sort());
  });

  it('requires a token for all operations that are not public', () => {
    const open = operations.filter(({ operation }) => operation.security !== undefined);
    expect(open.map(({ operation }) => operation.security)).toEqual(open.map(() => [{}]));
    const publicly = routes.filter(({ isPublic }) => isPublic).flatMap(namesOf);
    expect(open.map(({ name }) => name).sort()).toEqual(publicly.sort());
  });

  it.each(bodyRoutes)(
    'describes the body of %s like the schema of the route, and every member with a description',
    (name, { schema }) => {
      const { operation } = operations.find((candidate) => candidate.name === name) ?? {};
      const reference = operation?.requestBody?.content['application/json']?.schema.$ref ?? '';
      const body = schema?.body as { properties: Record<string, { description?: string }> };
      expect(api.components.schemas[lastStep(reference)]).toEqual(body);
      expect(Object.values(body.properties).filter(({ description }) => !description)).toEqual([]);
    },
  );
});

describe('the errors of that document', () => {
  const described = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) => {
      const found = response.$ref === undefined ? response : api.components.responses[lastStep(response.$ref)];
      return (found?.['x-error-codes'] ?? []).map((code) => [code, Number(status)] as const);
    }),
  );

  it('are the errors of the control plane, with their statuses', () => {
    // The errors for an address or a verb to which no operation belongs.
    const routerErrors = { NotFound: 404, MethodNotAllowed: 405 };
    expect({ ...Object.fromEntries(described), ...routerErrors }).toEqual(controlErrors);
  });

  it('are exactly the codes of the error body', () => {
    expect(api.components.schemas.ErrorCode.enum).toEqual(Object.keys(controlErrors).sort());
  });
});
