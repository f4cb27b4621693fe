// Compares a recorded response with the response of another server. Each server makes some values itself: times, ids,
// ETags and continuations. Only the form of these values is compared. Headers that say nothing about the service are
// not compared.

import { MultipartReader, parseBoundary } from '../protocol/multipart.ts';
import { readHeaders, readLine, skipBlankLines } from '../protocol/multipart-head.ts';
import { compareXml, parseXml } from './compare-documents.ts';
import { type BothSides, compareETags, compareJson, type JsonValue, parseJson } from './compare-values.ts';
import { type Comparing, type Difference, difference } from './difference.ts';

export interface ComparedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An error of the service, in JSON or XML. */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly format: string;
}

/** The headers that are compared: those of the service. */
const comparedHeaders = [
  ...['content-type', 'etag', 'location', 'dataserviceid', 'dataserviceversion', 'preference-applied', 'cache-control'],
  ...['x-content-type-options', 'x-ms-version', 'x-ms-error-code', 'www-authenticate', 'content-id', 'allow'],
  ...['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-headers'],
  ...['access-control-max-age', 'access-control-expose-headers', 'access-control-allow-credentials'],
];
const continuations = ['nextpartitionkey', 'nextrowkey', 'nexttablename'].map((name) => `x-ms-continuation-${name}`);

export function compareResponses(pair: BothSides<ComparedResponse>, comparing: Comparing): Difference[] {
  const [recorded, there] = pair;
  const { place } = comparing;
  if (recorded.status !== there.status)
    return [
      difference(`${place}status ${statusText(recorded)}, there ${statusText(there)}`, undefined, messageOf(there)),
    ];
  return [...compareHeaders(pair, comparing), ...compareBodies(pair, comparing)];
}

/** `409 EntityAlreadyExists` */
export function statusText(response: ComparedResponse): string {
  const code = errorIn(response.body.toString('utf8'))?.code ?? response.headers['x-ms-error-code'];
  return code === undefined || response.status < 400
    ? String(response.status)
    : `${response.status} ${code.slice(0, 80)}`;
}

function messageOf({ body }: ComparedResponse): string | undefined {
  const message = errorIn(body.toString('utf8'))?.message;
  return message === undefined ? undefined : withoutIds(message);
}

function compareHeaders(
  [{ headers: recorded }, { headers: there }]: BothSides<ComparedResponse>,
  comparing: Comparing,
): Difference[] {
  const { place, learn } = comparing;
  for (const name of continuations) {
    const [one, other] = [recorded[name], there[name]];
    if (one !== undefined && other !== undefined) learn(one, other);
  }
  return [...comparedHeaders, ...continuations].flatMap((name) => {
    const [one, other] = [recorded[name], there[name]];
    if (one === undefined && other === undefined) return [];
    if (other === undefined) return [difference(`${place}header ${name} is missing there`, one)];
    if (one === undefined) return [difference(`${place}header ${name} is only there`, undefined, other)];
    if (name === 'etag') return compareETags('header etag', [one, other], comparing);
    if (continuations.includes(name)) return [];
    const [a, b] = [
      normalHeader(name, comparing.neutral.recorded(one)),
      normalHeader(name, comparing.neutral.there(other)),
    ];
    return a === b ? [] : [difference(`${place}header ${name} has a different value`, a, b)];
  });
}

const normalHeader = (name: string, value: string): string =>
  name === 'content-type'
    ? value
        .toLowerCase()
        .replace(/\s+/g, '')
        .replace(/boundary=[^;]+/, 'boundary=…')
    : value.trim();

function compareBodies(pair: BothSides<ComparedResponse>, comparing: Comparing): Difference[] {
  const { place } = comparing;
  const [members, membersThere] = pair.map(responsesInBatch) as [
    ComparedResponse[] | undefined,
    ComparedResponse[] | undefined,
  ];
  if (members && membersThere) return compareMembers([members, membersThere], comparing);
  const [recorded, there] = pair.map(({ body }) => body.toString('utf8')) as [string, string];
  if (recorded.trim() === '' && there.trim() === '') return [];
  if (recorded.trim() === '') return [difference(`${place}a body is only there`, undefined, there)];
  if (there.trim() === '') return [difference(`${place}the body is missing there`, recorded)];
  const [error, errorThere] = [errorIn(recorded), errorIn(there)];
  if (error && errorThere) return compareErrors([error, errorThere], comparing);
  const [json, jsonThere] = [parseJson(recorded), parseJson(there)];
  if (json !== undefined && jsonThere !== undefined) return compareJson([json, jsonThere], [], comparing);
  const [xml, xmlThere] = [parseXml(recorded), parseXml(there)];
  if (xml && xmlThere) return compareXml([xml, xmlThere], comparing);
  return recorded === there ? [] : [difference(`${place}the body differs`, recorded, there)];
}

function compareErrors([recorded, there]: BothSides<ErrorBody>, { place }: Comparing): Difference[] {
  if (recorded.code !== there.code)
    return [
      difference(
        `${place}error ${recorded.code}, there ${there.code || 'without a code'}`,
        withoutIds(recorded.message),
        withoutIds(there.message),
      ),
    ];
  const differences: Difference[] = [];
  if (recorded.format !== there.format)
    differences.push(difference(`${place}an error has a different format`, recorded.format, there.format));
  if (withoutIds(recorded.message) !== withoutIds(there.message))
    differences.push(
      difference(
        `${place}the message of ${recorded.code} differs`,
        withoutIds(recorded.message),
        withoutIds(there.message),
      ),
    );
  return differences;
}

/** Removes the end of a message of the service: the id and the time of the request. */
const withoutIds = (message: string): string =>
  message
    .replace(/\s*RequestId:[\da-f-]+\s*/gi, ' ')
    .replace(/\s*Time:\s*\d{4}-\d\d-\d\dT[\d:.]+Z\s*/g, ' ')
    .trim();

/** The error in a body; undefined if the body contains no error. */
export function errorIn(text: string): ErrorBody | undefined {
  const json = parseJson(text);
  if (json !== undefined) return jsonError(json);
  const xml = parseXml(text);
  if (xml?.local.toLowerCase() !== 'error') return undefined;
  const of = (name: string): string => xml.children.find(({ local }) => local.toLowerCase() === name)?.text ?? '';
  return { code: of('code'), message: of('message'), format: `XML <${xml.local}>` };
}

function jsonError(json: JsonValue): ErrorBody | undefined {
  const members = json as Readonly<Record<string, JsonValue | undefined>>;
  const name = ['odata.error', 'error'].find((one) => typeof members[one] === 'object');
  const { code, message } = ((name && members[name]) || {}) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== 'string') return undefined;
  const text = typeof message === 'object' ? (message as { readonly value?: unknown } | null)?.value : message;
  return { code, message: typeof text === 'string' ? text : '', format: `JSON ${name}` };
}

function compareMembers([recorded, there]: BothSides<readonly ComparedResponse[]>, comparing: Comparing): Difference[] {
  const place = 'in a batch, ';
  if (recorded.length !== there.length) {
    const text = (list: readonly ComparedResponse[]): string => list.map(statusText).join(', ');
    return [difference(`${place}a different number of responses`, text(recorded), text(there))];
  }
  return recorded.flatMap((one, at) => compareResponses([one, there[at] as ComparedResponse], { ...comparing, place }));
}

/** Limit of responses: more than a batch can have. */
const membersMax = 200;

/** The responses in a response to a batch; undefined for any other response. */
export function responsesInBatch({ headers, body }: ComparedResponse): ComparedResponse[] | undefined {
  const boundary = /multipart\/mixed/i.test(headers['content-type'] ?? '')
    ? parseBoundary(headers['content-type'] ?? '')
    : undefined;
  return boundary === undefined ? undefined : readParts(new MultipartReader(body, boundary));
}

function readParts(reader: MultipartReader): ComparedResponse[] {
  const found: ComparedResponse[] = [];
  for (let part = reader.next(); part !== undefined && found.length < membersMax; part = reader.next()) {
    const head = readHeaders(part, 0);
    if (!head) continue;
    const type = head.headers['content-type'] ?? '';
    const inner = /multipart\/mixed/i.test(type) ? parseBoundary(type) : undefined;
    if (inner !== undefined) found.push(...readParts(reader.inside(head.next, inner)));
    else found.push(...readResponse(part, head.next));
  }
  return found;
}

function readResponse(part: Buffer, from: number): ComparedResponse[] {
  const line = readLine(part, skipBlankLines(part, from));
  const status = /^HTTP\/\d\.\d (\d{3})\b/.exec(line?.text ?? '')?.[1];
  const head = line && status !== undefined ? readHeaders(part, line.next) : undefined;
  return head
    ? [{ status: Number(status), headers: head.headers, body: part.subarray(skipBlankLines(part, head.next)) }]
    : [];
}
