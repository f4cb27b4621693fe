import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import manifest from '../../../package.json' with { type: 'json' };
import { errorCatalogue } from '../../../src/model/error-catalogue.ts';
import { ServiceError } from '../../../src/model/service-error.ts';
import type { TableRequest } from '../../../src/service/negotiated-headers.ts';
import type { Operation } from '../../../src/service/operation.ts';
import { operationTable } from '../../../src/service/operation-table.ts';
import type { Schema } from '../../support/witness/description.ts';
import { xmlValue } from '../../support/witness/xml-value.ts';

interface Reference {
  readonly $ref?: string;
}

interface ResponseObject extends Reference {
  readonly 'x-error-codes'?: readonly string[];
  readonly 'x-part-error-codes'?: readonly string[];
}

interface OperationObject {
  readonly operationId?: string;
  readonly 'x-id-only'?: boolean;
  readonly 'x-operations'?: readonly { readonly name: string; readonly condition: string }[];
  readonly requestBody?: Reference & BodyObject;
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface BodyObject {
  readonly content: Readonly<Record<string, { readonly schema: Reference; readonly examples?: Examples }>>;
}

type Examples = Readonly<Record<string, Reference>>;

interface OpenApi {
  readonly 'x-unrouted': Pick<OperationObject, 'responses'>;
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>> & {
    readonly schemas: { readonly ErrorCode: { readonly enum: readonly string[] } };
  };
}

const text = readFileSync(new URL('../../../openapi/table-service.yaml', import.meta.url), 'utf8');
const yaml = parseDocument(text);
const api: OpenApi = yaml.toJS();
const verbs = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

const operations = Object.entries(api.paths).flatMap(([path, item]) =>
  verbs.flatMap((verb) => {
    const operation = item[verb];
    return operation ? [{ path, verb, operation, names: namesOf(operation) }] : [];
  }),
);

function namesOf({ operationId, 'x-id-only': isIdOnly, 'x-operations': several = [] }: OperationObject): string[] {
  const names = several.map(({ name }) => name);
  return operationId === undefined || isIdOnly || names.includes(operationId) ? names : [operationId, ...names];
}

/** An operation that is not implemented refuses before it reads the request. */
function isBuilt(operation: Operation): boolean {
  try {
    operation.decode({} as TableRequest);
  } catch (error) {
    return !(error instanceof ServiceError && error.code === 'NotImplemented');
  }
  return true;
}

const built = operationTable.filter(({ operation }) => isBuilt(operation));

function referencesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === '$ref' && typeof value === 'string' ? [value] : referencesIn(value),
  );
}

/** The target of a reference, or undefined if it does not exist. */
function resolve(reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>(
    (node, step) => (node as Record<string, unknown> | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    api,
  );
}

const answerers = [
  ...operations.map(({ path, verb, operation }) => ({ name: `${verb} ${path}`, answers: operation.responses })),
  { name: 'x-unrouted', answers: api['x-unrouted'].responses },
];

/** Every response of every operation, with its error codes. */
const responses = answerers.flatMap(({ name, answers }) =>
  Object.entries(answers).map(([status, response]) => {
    const found = response.$ref === undefined ? response : (resolve(response.$ref) as ResponseObject);
    const { 'x-error-codes': codes = [], 'x-part-error-codes': partCodes = [] } = found;
    return { label: `${name} ${status}`, status: Number(status), codes, partCodes };
  }),
);

/** This operation is not in the operation list, because it has no resource. */
const preflight = 'TablePreflightRequest';

const paths: Readonly<Record<string, string>> = {
  service: '/',
  batch: '/$batch',
  tables: '/Tables',
  table: "/Tables('{tableName}')",
  entities: '/{tableName}',
  entity: "/{tableName}(PartitionKey='{partitionKey}',RowKey='{rowKey}')",
};

describe('the OpenAPI document', () => {
  it('is parsed without an error or a warning', () => {
    expect([...yaml.errors, ...yaml.warnings]).toEqual([]);
    expect(api.openapi).toMatch(/^3\.1\.\d$/);
  });

  it.each(['table-service', 'control-plane'])('is valid OpenAPI 3.1: %s', async (name) => {
    const file = fileURLToPath(new URL(`../../../openapi/${name}.yaml`, import.meta.url));
    expect(await new Validator().validate(file)).toEqual({ valid: true });
  });

  it('has the version of the package', () => {
    expect(api.info.version).toBe(manifest.version);
  });

  it('resolves every reference', () => {
    const references = referencesIn(api);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => !reference.startsWith('#/') || resolve(reference) === undefined)).toEqual(
      [],
    );
  });

  it('has no unused component', () => {
    const references = new Set(referencesIn(api));
    const components = Object.entries(api.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, members]) => Object.keys(members).map((name) => `#/components/${kind}/${name}`));
    expect(components.filter((component) => !references.has(component))).toEqual([]);
  });
});

describe('the operations of the OpenAPI document', () => {
  it('are exactly the implemented operations', () => {
    const described = new Set(operations.flatMap(({ names }) => names));
    expect(built.length).toBeGreaterThan(0);
    expect([...described].sort()).toEqual(
      [...new Set([...built.map(({ operation }) => operation.name), preflight])].sort(),
    );
  });

  it.each(
    built.flatMap(({ methods, operation: { name, resource } }) => methods.map((method) => [name, method, resource])),
  )('describe %s under %s of its address', (name, method, resource) => {
    // OpenAPI cannot describe the method MERGE.
    const verb = method === 'MERGE' ? 'patch' : method.toLowerCase();
    const found = operations.find((operation) => operation.path === paths[resource] && operation.verb === verb);
    expect(found?.names).toContain(name);
  });

  it.each(Object.keys(api.paths))('describe the preflight request to %s', (path) => {
    const found = operations.find((operation) => operation.path === path && operation.verb === 'options');
    expect(found?.names).toContain(preflight);
  });

  it.each(operations.map(({ verb, path, operation }) => [`${verb} ${path}`, operation] as const))(
    'describe a busy service: %s',
    (_, { responses: answers }) => {
      expect(Object.keys(answers)).toEqual(expect.arrayContaining(['500', '503']));
    },
  );

  it('have unique operationIds', () => {
    const ids = operations.map(({ operation: { operationId } }) => operationId);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the examples of the OpenAPI document', () => {
  const follow = <Node extends Reference>(node: Node): Node =>
    node.$ref === undefined ? node : (resolve(node.$ref) as Node);
  const inXml = operations.flatMap(({ verb, path, operation: { requestBody } }) =>
    Object.entries(requestBody === undefined ? {} : follow(requestBody).content)
      .filter(([type]) => type.endsWith('xml'))
      .map(([type, media]) => ({ label: `${verb} ${path} ${type}`, ...media })),
  );

  it('exist for every XML body', () => {
    expect(inXml.length).toBeGreaterThan(5);
    expect(inXml.filter(({ examples = {} }) => Object.keys(examples).length === 0)).toEqual([]);
  });

  it.each(inXml)('are the same as text and as a value: $label', ({ schema, examples = {} }) => {
    for (const example of Object.values(examples)) {
      const { value, 'x-body': body = '' } = follow(example) as { value?: unknown; 'x-body'?: string };
      expect(xmlValue(body, { ...schema }, (one): Schema => follow<Schema & Reference>(one))?.value).toEqual(value);
    }
  });
});

describe('the errors of the OpenAPI document', () => {
  const named = responses.flatMap(({ label, status, codes }) => codes.map((code) => ({ label, status, code })));

  it('are in the error catalogue, with the described status', () => {
    const statuses = new Map<string, number>(Object.entries(errorCatalogue).map(([code, [status]]) => [code, status]));
    const otherStatuses = ['401 InvalidAuthenticationInfo'];
    const isKnown = ({ status, code }: (typeof named)[number]): boolean =>
      statuses.get(code) === status || otherStatuses.includes(`${status} ${code}`);
    expect(named.filter((error) => !isKnown(error))).toEqual([]);
  });

  it('are named in every refusal, and only there', () => {
    const strange = responses.filter(({ status, codes }) => status >= 400 !== codes.length > 0);
    expect(strange).toEqual([]);
  });

  it('are exactly the codes of the error body', () => {
    const inParts = responses.flatMap(({ partCodes }) => partCodes);
    const codes = [...new Set([...named.map(({ code }) => code), ...inParts])].sort();
    expect(api.components.schemas.ErrorCode.enum).toEqual(codes);
  });
});
