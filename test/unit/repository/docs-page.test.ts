import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { bundlePageScript } from '../../../scripts/bundle.mjs';
import { buildRequest, type Field } from '../../../scripts/docs-page/build-request.js';
import { renderDocs } from '../../../scripts/docs-page/render.mjs';
import { signAccountSas, signRequest } from '../../../scripts/docs-page/sign.js';
import { signAccountSas as signAsCommand } from '../../../src/auth/sign-shared-access.ts';
import { account, answerTo, key, nowMs } from '../../support/signed-requests.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
const documents = ['table-service', 'control-plane'].map((name) => ({ name, text: read(`openapi/${name}.yaml`) }));
const page = renderDocs(documents, '');
const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

/** An OpenAPI document with a single operation, which has these members. */
function documentOf(operation: object, members: object = {}): { name: string; text: string } {
  const base = {
    openapi: '3.1.0',
    info: { title: 'Small', version: '1' },
    security: [{ SharedKeyLite: [] }],
    components: { securitySchemes: { SharedKeyLite: {} } },
  };
  const responses = { '200': { description: 'Done.' } };
  return {
    name: 'small',
    text: stringify({ ...base, paths: { '/{name}': { get: { responses, ...operation } } }, ...members }),
  };
}
const renderOne = (operation: object, members?: object): string => renderDocs([documentOf(operation, members)], '');

describe('the rendered page', () => {
  it('contains each id only once', () => {
    const ids = idsIn(page);
    expect(ids.length).toBeGreaterThan(300);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('keeps the address of each article, and gives each operation of a shared article its own', () => {
    const operation = {
      operationId: 'First',
      'x-operations': [
        { name: 'First', condition: 'alone' },
        { name: 'Second', condition: 'with `a`' },
      ],
    };
    const html = renderOne(operation);
    expect(html).toContain('<article id="small.First">');
    expect(html).toContain('<li><code>First</code> alone<li id="small.Second"><code>Second</code> with <code>a</code>');
    expect(html).toContain('<a href="#small.Second"');
  });

  it('labels every control', () => {
    const controls = [...page.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].map(([tag]) => tag);
    const labels = new Set([...page.matchAll(/<label for="([^"]+)"/g)].map(([, id]) => id));
    const bare = controls.filter((tag) => {
      const [, id] = / id="([^"]+)"/.exec(tag) ?? [];
      return !(/type="hidden"|aria-label=/.test(tag) || labels.has(id));
    });
    expect(controls.length).toBeGreaterThan(100);
    expect(bare).toEqual([]);
  });

  it('contains the example of each body, and the values of parameters', () => {
    const html = renderOne({
      operationId: 'One',
      parameters: [
        { name: 'name', in: 'path', required: true, example: 'pets', schema: { type: 'string' } },
        { name: 'kind', in: 'query', schema: { type: 'string', enum: ['a', 'b'] } },
        { name: 'x-ms-date', in: 'header', schema: { type: 'string' } },
      ],
      requestBody: { content: { 'application/json': { schema: {}, examples: { one: { value: { a: 1 } } } } } },
    });
    expect(html).toMatch(/<input[^>]* data-part="path" data-name="name"[^>]* value="pets"/);
    expect(html).toMatch(/data-name="kind"><option><\/option><option>a<\/option><option>b<\/option>/);
    expect(html).not.toContain('data-name="x-ms-date"');
    expect(html).toMatch(/<textarea[^>]*>\n\{\n {2}&quot;a&quot;: 1\n\}<\/textarea>/);
  });

  it('needs no choice if only one operation is left', () => {
    const html = renderOne({
      'x-operations': [{ name: 'Delete', condition: 'DELETE', parameters: { 'X-HTTP-Method': 'DELETE' } }],
      parameters: [
        { name: 'X-HTTP-Method', in: 'header', required: true, schema: { type: 'string', enum: ['PUT', 'DELETE'] } },
      ],
    });
    expect(html).toContain('<option>PUT</option><option selected>DELETE</option>');
  });

  it('has no form for a request that only browsers send', () => {
    const html = renderOne({ operationId: 'One', parameters: [{ name: 'Origin', in: 'header', schema: {} }] });
    expect(html).not.toContain('class="try"');
    expect(html).toContain('A browser sends this request itself');
  });

  it('contains every text of a document as text', () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
    const schema = { type: 'string', description: hostile, examples: [hostile], enum: [hostile], pattern: hostile };
    const html = renderOne(
      {
        operationId: hostile,
        summary: hostile,
        description: hostile,
        'x-operations': [hostile, 'Other'].map((name) => ({ name, condition: hostile, parameters: { a: hostile } })),
        parameters: [{ name: hostile, in: 'header', description: hostile, example: hostile, schema }],
        requestBody: { content: { [hostile]: { schema, examples: { one: { value: `</textarea>${hostile}` } } } } },
        responses: { '200': { description: hostile, content: { [hostile]: { schema } } } },
      },
      { info: { title: hostile, version: hostile, description: hostile } },
    );
    const plain = renderOne({ operationId: 'Plain' });
    const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;
    expect(html).toContain('&lt;img src=x');
    expect(html).toContain('&lt;/textarea&gt;');
    for (const pattern of [/<script/g, /<img/g]) expect(count(html, pattern)).toBe(count(plain, pattern));
    const tags = [...html.matchAll(/<[a-z][^>]*>/g)].map(([tag]) => tag);
    expect(tags.filter((tag) => /onerror|alert|"/.test(tag.replaceAll(/="[^"]*"/g, '')))).toEqual([]);
  });
});

describe('the script of the page', () => {
  const sources = readdirSync(`${root}/scripts/docs-page`).filter((file) => /(?<!\.d)\.js$/.test(file));

  it.each(sources)('%s never turns text into markup or code', (file) => {
    expect(read(`scripts/docs-page/${file}`)).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\b|new Function|setAttribute|\.(?:href|src) =/,
    );
  });

  it('is one text without imports, which cannot end its script element', async () => {
    const script = await bundlePageScript(root);
    expect(script).toContain('hashchange');
    expect(script).not.toMatch(/^\s*(?:import|export)\b/m);
    expect(script).not.toMatch(/<\/?script|<!--/i);
  });
});

describe('the signatures of the page', () => {
  const signer = { account, key };

  it.each([
    ["/pets(PartitionKey='dog',RowKey='O''Neil')", undefined],
    ['/%C3%A4%2F', undefined],
    ['/pets?comp=acl&timeout=5', 'acl'],
  ])('are accepted by Shared Key Lite: %s', async (path, comp) => {
    const url = `http://127.0.0.1:10002/${account}${path}`;
    const { 'x-ms-date': msDate, Authorization: authorization } = await signRequest(signer, { url, nowMs });
    const credentials = { msDate, authorization, comp, wirePath: new URL(url).pathname };
    expect(await answerTo(credentials)).toEqual(expect.objectContaining({ kind: 'key' }));
    expect(await answerTo({ ...credentials, wirePath: '/other' })).toMatchObject({ code: 'AuthenticationFailed' });
  });

  it('are the same that the command makes, for a shared access signature', async () => {
    const expiresMs = nowMs + 60_000;
    const expected = signAsCommand({ permissions: 'rwdlacu', expiresMs }, signer);
    expect(await signAccountSas(signer, { expiresMs })).toBe(expected);
  });
});

describe('the request of a form', () => {
  const endpoint = 'http://127.0.0.1:10002/devstoreaccount1';
  const field = (part: string, name: string, value: string): Field => ({ part, name, value });

  it('contains the values of the form, encoded, with quotes inside quotes doubled', () => {
    const { url, method } = buildRequest({
      path: "/{tableName}(PartitionKey='{partitionKey}',RowKey='{rowKey}')",
      endpoint,
      fields: [
        field('verb', 'Verb', 'GET'),
        field('path', 'tableName', 'pets'),
        field('path', 'partitionKey', 'a/b ä'),
        field('path', 'rowKey', "O'Neil"),
        field('query', '$filter', "a eq 'b&c'"),
        field('query', '$top', ''),
      ],
    });
    expect(method).toBe('GET');
    expect(url).toBe(`${endpoint}/pets(PartitionKey='a%2Fb%20%C3%A4',RowKey='O''Neil')?$filter=a%20eq%20%27b%26c%27`);
  });

  it('leaves out empty parts', () => {
    const fields = [field('header', 'If-Match', ''), field('type', 'Content-Type', 'application/json')];
    expect(buildRequest({ path: '/', endpoint, fields: [...fields, field('body', 'Body', '')] })).toEqual({
      method: '',
      url: `${endpoint}/`,
      headers: {},
      body: undefined,
    });
  });

  it('ends the lines of a multipart body with CR LF and names its boundary', () => {
    const fields = [
      field('type', 'Content-Type', 'multipart/mixed'),
      field('body', 'Body', '--b_1\nX: y\r\n\n--b_1--\n'),
    ];
    expect(buildRequest({ path: '/$batch', endpoint, fields })).toMatchObject({
      headers: { 'Content-Type': 'multipart/mixed; boundary=b_1' },
      body: '--b_1\r\nX: y\r\n\r\n--b_1--\r\n',
    });
  });
});
