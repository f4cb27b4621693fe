// Checks responses against an OpenAPI description. Everything in a response must be described, and everything that the
// description requires must be in the response. The check depends neither on the emulator nor on what a test expects.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { answersIn, type InnerResponse, requestsIn } from './batch-parts.ts';
import {
  type Answerer,
  Description,
  descriptionKey,
  type OpenApi,
  type ResponseObject,
  type Schema,
} from './description.ts';
import { describedMedia } from './media.ts';
import { xmlValue } from './xml-value.ts';

export interface WitnessedRequest {
  readonly method: string;
  /** The request target below the account. */
  readonly path: string;
  /** The part of the target before `path`. Requests in a batch repeat it. */
  readonly prefix?: string;
  readonly body?: string | Buffer | undefined;
}

export type WitnessedAnswer = InnerResponse;

export interface WitnessOptions {
  /** Headers that the recorder removed from the responses, with lower-case names. */
  readonly lostHeaders?: readonly string[];
}

/** The part of the description against which a response is checked. */
interface Testimony {
  readonly label: string;
  readonly response: ResponseObject;
  readonly headers: ReadonlyMap<string, DescribedHeader>;
  readonly codes: readonly string[] | undefined;
}

interface DescribedHeader {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** Headers that need no description: they belong to the connection, or the media type describes them. */
const undescribed = new Set(['connection', 'keep-alive', 'content-type']);

export class Witness {
  readonly #description: Description;
  readonly #lostHeaders: ReadonlySet<string>;
  readonly #bodies: Ajv2020;
  /** Validates header values. They are texts, so numbers are parsed first. */
  readonly #values: Ajv2020;
  readonly #described = new WeakMap<ResponseObject, ReadonlyMap<string, DescribedHeader>>();

  constructor(api: OpenApi, { lostHeaders = [] }: WitnessOptions = {}) {
    this.#description = new Description(api);
    this.#lostHeaders = new Set(lostHeaders);
    this.#bodies = ajvOver(this.#description.api);
    this.#values = ajvOver(this.#description.api, { coerceTypes: true });
  }

  /** Throws if the response is not described. */
  see(request: WitnessedRequest, answer: WitnessedAnswer): void {
    const testimony = this.seeWhole(request, answer);
    const contentType = headerOf(answer, 'content-type') ?? '';
    if (contentType.startsWith('multipart/')) this.#seeParts(testimony, request, answersIn(contentType, answer.body));
  }

  /** Throws for a response that is not described, without its parts if it is that of a batch. */
  seeWhole({ method, path }: WitnessedRequest, answer: WitnessedAnswer): Testimony {
    const { label, answerer } = this.#description.find(method, path);
    const what = `${method} ${path.slice(0, 200)} (${label})`;
    const testimony = this.#testimonyOf(what, answerer, answer);
    this.#compare(testimony, answer, { isBodyLess: method === 'HEAD' });
    return testimony;
  }

  /** Throws if the response to malformed HTTP is not described. */
  seeMalformed(answer: WitnessedAnswer): void {
    const answerer = this.#description.api['x-malformed'] ?? { responses: {} };
    this.#compare(this.#testimonyOf('malformed HTTP', answerer, answer), answer);
  }

  #testimonyOf(label: string, { responses }: Answerer, { status, body }: WitnessedAnswer): Testimony {
    const described = responses[status];
    if (!described) throw new WitnessError(label, `status ${status} is not described: ${body.slice(0, 300)}`);
    const response = this.#description.resolve(described);
    return {
      label: `${label} ${status}`,
      response,
      headers: this.#headersOf(response),
      codes: response['x-error-codes'],
    };
  }

  #headersOf(response: ResponseObject): ReadonlyMap<string, DescribedHeader> {
    const known = this.#described.get(response);
    if (known) return known;
    const all = this.#namedHeaders({ ...this.#description.api['x-answer-headers'], ...response.headers });
    this.#described.set(response, all);
    return all;
  }

  #namedHeaders(headers: NonNullable<ResponseObject['headers']>): Map<string, DescribedHeader> {
    const entries = Object.entries(headers).map(([name, header]) => {
      const { required = false, schema = {} } = this.#description.resolve(header);
      return [name.toLowerCase(), { name, required, schema }] as const;
    });
    return new Map(entries);
  }

  #compare(testimony: Testimony, answer: WitnessedAnswer, { isBodyLess = false } = {}): void {
    this.#compareHeaders(testimony, answer);
    const schema = schemaFor(testimony, answer);
    if (isBodyLess || schema === undefined) return;
    const { label, codes } = testimony;
    const value = this.#judgeBody(label, answer, schema);
    const code = codeOf(value);
    if (codes && !codes.includes(code ?? '')) {
      throw new WitnessError(
        label,
        `the error code ${code} is not among ${codes.join(', ')}: ${answer.body.slice(0, 300)}`,
      );
    }
  }

  #compareHeaders({ label, headers }: Testimony, answer: WitnessedAnswer): void {
    const sent = new Set<string>();
    for (const [given, value] of answer.headers) {
      const name = given.toLowerCase();
      sent.add(name);
      if (undescribed.has(name)) continue;
      const described = headers.get(name);
      if (!described) throw new WitnessError(label, `the header ${given} is not described`);
      const judge = this.#values.compile(described.schema);
      if (!judge(value)) throw new WitnessError(label, `the header ${given} is ${value}: ${faultOf(judge)}`);
    }
    for (const [name, described] of headers) {
      if (described.required && !sent.has(name) && !this.#lostHeaders.has(name)) {
        throw new WitnessError(label, `the header ${described.name} is missing`);
      }
    }
  }

  /** Checks the body against its schema, and returns it as a value. Undefined if the body is neither JSON nor XML. */
  #judgeBody(label: string, answer: WitnessedAnswer, schema: Schema): unknown {
    const [type = ''] = (headerOf(answer, 'content-type') ?? '').split(';', 1);
    if (type === 'application/json') {
      const value = read(label, () => JSON.parse(answer.body) as unknown);
      return this.#judge(label, { value, schema, body: answer.body });
    }
    if (!type.endsWith('xml')) return undefined;
    const found = read(label, () => xmlValue(answer.body, schema, (one) => this.#description.resolve(one)));
    if (!found) throw new WitnessError(label, `no such document is described: ${answer.body.slice(0, 300)}`);
    return this.#judge(label, { ...found, body: answer.body });
  }

  #judge(label: string, { value, schema, body }: { value: unknown; schema: Schema; body: string }): unknown {
    const judge = this.#bodies.compile(schema);
    if (judge(value)) return value;
    throw new WitnessError(label, `the body ${faultOf(judge)}: ${body.slice(0, 400)}`);
  }

  /**
   * Checks each part of the response to a batch. A part must be a response to its request, and must have its own
   * headers. If there is only one part and it is an error, this part may be the response to any of the requests.
   */
  #seeParts(batch: Testimony, request: WitnessedRequest, answers: readonly InnerResponse[]): void {
    const { body = '', prefix = '' } = request;
    const requests = requestsIn(typeof body === 'string' ? body : body.toString('latin1'), prefix);
    const operations = requests.map(({ method, target }) => this.#description.find(method, target));
    const unrouted = this.#description.find('', '');
    for (const [index, answer] of answers.entries()) {
      const paired = answers.length === requests.length ? operations[index] : undefined;
      const candidates = new Set(paired ? [paired] : [...operations, unrouted]);
      const faults = [...candidates].map(({ label, answerer }) =>
        faultIn(() => this.#comparePart(`${batch.label}, part ${index} (${label})`, answerer, { batch, answer })),
      );
      if (!faults.includes(undefined)) throw faults[0];
    }
  }

  #comparePart(
    label: string,
    answerer: Answerer,
    { batch, answer }: { batch: Testimony; answer: InnerResponse },
  ): void {
    const alone = this.#testimonyOf(label, answerer, answer);
    const lacking = new Set((batch.response['x-part-lacks'] ?? []).map((name) => name.toLowerCase()));
    const own = [...alone.headers].filter(([name]) => !lacking.has(name));
    const headers = new Map([...own, ...this.#namedHeaders(batch.response['x-part-headers'] ?? {})]);
    const codes = alone.codes && [...alone.codes, ...(batch.response['x-part-error-codes'] ?? [])];
    this.#compare({ ...alone, headers, codes }, answer);
  }
}

export class WitnessError extends Error {
  constructor(label: string, fault: string) {
    super(`${label}: ${fault}`);
    this.name = 'WitnessError';
  }
}

function faultIn(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (fault) {
    return fault;
  }
}

/** The schema of the body. Undefined if there is no schema and none is required. */
function schemaFor({ label, response }: Testimony, answer: WitnessedAnswer): Schema | undefined {
  const contentType = headerOf(answer, 'content-type');
  if (contentType === undefined) {
    if (answer.body !== '')
      throw new WitnessError(label, `a body without a Content-Type: ${answer.body.slice(0, 300)}`);
    if (response.content) throw new WitnessError(label, 'the body is missing');
    return undefined;
  }
  const content = response.content ?? {};
  const media = describedMedia(contentType, Object.keys(content));
  if (media === undefined) throw new WitnessError(label, `the content type ${contentType} is not described`);
  return content[media]?.schema ?? {};
}

function headerOf({ headers }: WitnessedAnswer, name: string): string | undefined {
  return headers.find(([sent]) => sent.toLowerCase() === name)?.[1];
}

function read<Value>(label: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    throw new WitnessError(label, `the body cannot be read: ${String(error)}`);
  }
}

interface ErrorBody {
  readonly 'odata.error'?: { readonly code?: string };
  readonly error?: { readonly code?: string };
  readonly code?: string;
}

/** The code in an error in JSON or XML, of the service or of the control plane. */
function codeOf(value: unknown): string | undefined {
  const body = (value ?? {}) as ErrorBody;
  return body['odata.error']?.code ?? body.error?.code ?? body.code;
}

function faultOf(judge: ValidateFunction): string {
  return (judge.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join('; ');
}

/** A validator that is strict, so that it finds mistakes in schemas. It caches compiled schemas. */
function ajvOver(api: OpenApi, options: { coerceTypes?: boolean } = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    ...options,
  });
  ajv.addVocabulary(['xml', 'components']);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addSchema({ components: api.components }, descriptionKey, undefined, false);
  return ajv;
}
