// Renders openapi/*.yaml as one page. The page contains its own style and script, and loads nothing else. The emulator
// serves the page at /_emulator/docs (src/control/pages/docs.ts), with a Content-Security-Policy that allows only this
// style and this script. All text is readable without the script. The script adds the filter, the forms that send
// requests, and texts to copy. These texts contain the page's address.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { renderConnect } from './connect-section.mjs';
import { attributes, code, codes, escapeHtml, inline, list, part, prose } from './html.mjs';
import { renderRequestForm } from './request-form.mjs';

const namesOf = (operationId, variants) => [
  ...(operationId === undefined ? [] : [operationId]),
  ...variants.map(({ name }) => name),
];

/**
 * Renders the page. `documents` contains an object for each YAML file, in the order of the page. In this object, `text`
 * is the text of the file, and `name` stands for the file in addresses. `script` is the result of bundlePageScript.
 */
export function renderDocs(documents, script) {
  const style = readFileSync(new URL('page.css', import.meta.url), 'utf8').trim();
  const sections = documents.map(({ name, text }) => new Section(name, parse(text)));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Tanzanite: REST API</title>
<style>${style}</style>
<a class="skip" href="#connect">To the text</a>
<header><a class="title" href="#">Tanzanite</a>
<input id="filter" type="search" placeholder="Filter: operation, path, header, error code  ( / )" aria-label="Filter" autocomplete="off"></header>
<div class="frame">
<nav aria-label="Operations"><p class="intro"><a href="#connect">Connect</a></p><p class="intro"><a href="console">Console</a></p>${sections.map((section) => section.links()).join('')}</nav>
<main>${renderConnect()}${sections.map((section) => section.render()).join('')}
<p id="nothing" hidden>Nothing here contains these words.</p></main>
</div>
<script>${script}</script>
</html>
`;
}

class Section {
  constructor(name, api) {
    this.name = name;
    this.isSigned = api.components.securitySchemes.SharedKeyLite !== undefined;
    this.api = api;
    this.operations = Object.entries(api.paths).flatMap(([path, { parameters = [], ...verbs }]) =>
      Object.entries(verbs).map(([verb, operation]) => this.describe(path, verb, parameters, operation)),
    );
  }

  describe(path, verb, shared, operation) {
    const { parameters = [], 'x-operations': variants = [], 'x-verbs': verbs = [verb] } = operation;
    const operationId = operation['x-id-only'] ? undefined : operation.operationId;
    const title = operationId ?? [...new Set(variants.map(({ name }) => name))].join(', ');
    const id = operationId ? this.id(operationId) : this.id(`${verb}${path.replaceAll(/\W+/g, '-')}`);
    const ownParameters = parameters.map((parameter) => this.resolve(parameter));
    const all = [...ownParameters, ...shared.map((parameter) => this.resolve(parameter))];
    return { ...operation, operationId, path, verb, verbs, title, id, variants, ownParameters, parameters: all };
  }

  /** An id for a name. Characters that an attribute might not allow are replaced. */
  id = (name) => `${this.name}.${name}`.replaceAll(/[^\w.$-]+/g, '-');

  resolve(node) {
    if (node.$ref === undefined) return node;
    const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(node.$ref) ?? [];
    const found = this.api.components[kind]?.[name];
    if (!found) throw new Error(`${this.name}: nothing behind ${node.$ref}`);
    return this.resolve(found);
  }

  /** A link to the target of a reference. */
  link({ $ref }) {
    const [, kind, name] = /(\w+)\/([^/]+)$/.exec($ref);
    return `<a href="#${this.id(`${kind}.${name}`)}">${escapeHtml(name)}</a>`;
  }

  /** Links to every operation by its name. Operations that share an address and a verb have separate links. */
  links() {
    const names = new Set(this.operations.flatMap(({ operationId, variants }) => namesOf(operationId, variants)));
    const links = [...names].map((name) => {
      const { id, verb, path } = this.find(name);
      const link = attributes({ href: `#${this.id(name)}`, title: path });
      return `<li data-for="${id}"><a${link}><b class="${verb}">${verb}</b> ${escapeHtml(name)}</a>`;
    });
    return `<div><h2><a href="#${this.name}">${escapeHtml(this.api.info.title)}</a></h2><ul>${links.join('')}</ul></div>`;
  }

  /** The request to show for an operation's name: if possible not one that several operations share, and not HEAD. */
  find(name) {
    const all = this.operations.filter(({ operationId, variants }) => namesOf(operationId, variants).includes(name));
    const seen = all.filter(({ verb }) => verb !== 'head');
    const own = ({ operationId }) => operationId === name;
    return seen.find(own) ?? seen[0] ?? all.find(own) ?? all[0];
  }

  render() {
    const { info, components } = this.api;
    const { securitySchemes = {}, responses = {}, headers = {}, schemas = {} } = components;
    return `<section><h1 id="${this.name}">${escapeHtml(info.title)}</h1>
<div class="intro"><p>Version ${escapeHtml(info.version)} · <a href="docs/${this.name}.yaml" download>${this.name}.yaml</a> (OpenAPI ${this.api.openapi})</p>${prose(info.description)}${this.servers()}</div>
${this.operations.map((operation) => this.operation(operation)).join('\n')}
${this.unrouted('x-unrouted', 'Requests for an unknown operation')}${this.unrouted('x-malformed', 'Malformed HTTP')}
${this.catalogue('securitySchemes', 'Authentication', securitySchemes, (scheme) => prose(scheme.description))}
${this.catalogue('responses', 'Answers', responses, (response) => this.answerBody(response))}
${this.catalogue('headers', 'Headers of responses', headers, (header) => this.header(header))}
${this.catalogue('schemas', 'Schemas', schemas, (schema) => this.schema(schema))}</section>`;
  }

  servers() {
    return list(
      (this.api.servers ?? []).map(({ url, description }) => `${code(url)} ${escapeHtml(description ?? '')}`),
    );
  }

  operation(operation) {
    const { id, verb, verbs, path, title, summary = '', description, parameters, responses, security } = operation;
    const requestBody = operation.requestBody && this.resolve(operation.requestBody);
    return `<article id="${id}"><h3><a href="#${id}">${escapeHtml(title)}</a></h3>
<p class="line"><b class="${verb}">${verbs.map(escapeHtml).join(' ')}</b> ${code(path)}</p>${prose(summary)}${prose(description)}
${part('Which operation', this.variants(operation))}
${part('Credentials', this.security(security))}${part('Parameters', this.parameters(parameters))}
${requestBody ? part('Body', this.body(requestBody)) : ''}${part('Answers', this.answers(responses))}
${renderRequestForm({ ...operation, requestBody }, this)}</article>`;
  }

  /** The operations that share an address and a verb. The list of links contains each of them by its own name. */
  variants({ id, variants }) {
    const items = variants.map(({ name, condition }) => {
      const anchor = this.id(name);
      const isOwn = anchor !== id && this.find(name).id === id;
      return `<li${attributes({ id: isOwn && anchor })}>${code(name)} ${inline(condition)}`;
    });
    return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`;
  }

  security(own = this.api.security) {
    const names = own.map((scheme) =>
      Object.keys(scheme)
        .map((name) => this.link({ $ref: `securitySchemes/${name}` }))
        .join(' and '),
    );
    return `<p>${names.map((name) => name || 'none').join(' or ')}</p>`;
  }

  parameters(parameters) {
    if (parameters.length === 0) return '';
    const rows = parameters.map(
      ({ name, in: place, required, description = '', schema }) =>
        `<tr><td>${code(name)}${required ? ' <em>required</em>' : ''}<td>${place}<td>${prose(description)}${this.schema(schema)}`,
    );
    return `<table>${rows.join('')}</table>`;
  }

  body({ description, required, content }) {
    return `${prose(description)}${required ? '' : '<p>Optional.</p>'}${this.content(content)}`;
  }

  content(content = {}) {
    return list(
      Object.entries(content).map(([type, { schema }]) => `${code(type)} ${schema ? this.type(schema) : ''}`),
    );
  }

  answers(responses) {
    return Object.entries(responses)
      .map(([status, response]) => {
        const { description, 'x-error-codes': own = [], 'x-part-error-codes': inside = [] } = this.resolve(response);
        const told = `<b class="s${status[0]}">${status}</b> ${inline(description)} <span>${codes([...own, ...inside])}</span>`;
        if (response.$ref) return `<p class="answer">${told} ${this.link(response)}</p>`;
        return `<details class="answer"><summary>${told}</summary>${this.content(response.content)}${this.headers(response)}</details>`;
      })
      .join('');
  }

  answerBody(response) {
    const errors = codes(response['x-error-codes']);
    return `${prose(response.description)}${errors && `<p>Codes: ${errors}</p>`}${this.content(response.content)}${this.headers(response)}`;
  }

  headers({ headers = {} }) {
    const names = Object.entries(headers).map(([name, header]) =>
      header.$ref
        ? this.link(header).replace(/>[^<]*</, `>${escapeHtml(name)}<`)
        : `${code(name)} ${this.header(header)}`,
    );
    return names.length === 0 ? '' : `<p class="headers">Headers: ${names.join(', ')}</p>`;
  }

  header({ description, required, schema = {} }) {
    return `${required ? '<em>always</em> ' : ''}${this.type(schema)} ${prose(description)}`;
  }

  unrouted(member, title) {
    const { description, responses } = this.api[member] ?? {};
    if (!responses) return '';
    const id = this.id(member);
    return `<article id="${id}"><h3><a href="#${id}">${title}</a></h3>${prose(description)}${this.answers(responses)}</article>`;
  }

  catalogue(kind, title, members, render) {
    const items = Object.entries(members).map(([name, member]) => {
      const id = this.id(`${kind}.${name}`);
      return `<details class="entry" id="${id}"><summary>${escapeHtml(name)}</summary>${render(member)}</details>`;
    });
    return items.length === 0 ? '' : `<h2>${title}</h2>${items.join('\n')}`;
  }

  schema(schema) {
    const { description, properties = {}, required = [], patternProperties = {}, allOf = [], examples = [] } = schema;
    const members = [
      ...Object.entries(properties).map(([name, member]) => this.member(code(name), member, required.includes(name))),
      ...Object.entries(patternProperties).map(([name, member]) => this.member(`names like ${code(name)}`, member)),
    ];
    const samples = examples.map(
      (example) =>
        `<p class="example">e.g. ${code(typeof example === 'string' ? example : JSON.stringify(example))}</p>`,
    );
    const bases = allOf.map((base) => (base.$ref ? `and all of ${this.link(base)}` : this.schema(base)));
    return `<div class="schema">${this.type(schema)}${prose(description)}${list(members)}${list(bases)}${samples.join('')}</div>`;
  }

  member(name, schema, isRequired = false) {
    const isPlain = schema.$ref !== undefined;
    return `${name}${isRequired ? ' <em>required</em>' : ''} ${isPlain ? this.link(schema) : this.schema(schema)}`;
  }

  /** The type of a value, in one line. */
  type(schema) {
    if (schema.$ref) return this.link(schema);
    const { type, items, oneOf, anyOf, properties, additionalProperties: others } = schema;
    if (oneOf ?? anyOf) return (oneOf ?? anyOf).map((one) => this.type(one)).join(' or ');
    const names = type === undefined ? '' : [type].flat().join(' or ');
    const nested = items ? ` of ${this.type(items)}${items.properties ? this.schema(items) : ''}` : '';
    const rest =
      others === false && properties
        ? ', nothing else'
        : others?.type || others?.$ref
          ? `, other members ${this.type(others)}`
          : '';
    return `<span class="type">${names}${nested}${this.bounds(schema)}${rest}</span>`;
  }

  bounds(schema) {
    const shown = ['format', 'const', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'];
    const told = shown.filter((name) => schema[name] !== undefined).map((name) => ` ${name} ${code(schema[name])}`);
    const choices = schema.enum ? ` ${schema.enum.map((value) => code(value)).join(' ')}` : '';
    return told.join('') + choices;
  }
}
