import { attributes, escapeHtml } from './html.mjs';

/**
 * Headers that have no field in the form. The page signs its requests, so the page itself sets x-ms-date. The page
 * cannot set Date, because browsers do not allow a page to set this header.
 */
const madeByPage = new Set(['x-ms-date', 'Date']);
const endpoints = ['primary', 'secondary'];

/**
 * Renders the form that sends the request of an operation. The form is hidden if the page's script does not run.
 * `section` describes the document: its name, whether its requests are signed, and how to resolve references
 * (`resolve`). A control's attribute `data-part` says to which part of the request the value belongs. The attribute
 * `data-name` is the name of the value in that part.
 */
export function renderRequestForm(operation, section) {
  const { id, path, verb, verbs, variants, parameters, ownParameters, requestBody, responses } = operation;
  if (parameters.some(({ name }) => name === 'Origin')) {
    return '<p class="note">A browser sends this request itself, before one to another origin. A page cannot send it.</p>';
  }
  if (section.resolve(responses['200'] ?? {}).content?.['text/event-stream']) {
    return `<p class="note">The response does not end. To see it, use <code>curl -N</code> with the address.</p>`;
  }
  const isMain = (parameter) => ownParameters.includes(parameter) || parameter.in === 'path' || parameter.required;
  const shown = parameters.filter(({ name }) => !madeByPage.has(name));
  const ordered = [...shown.filter((one) => one.in === 'path'), ...shown.filter((one) => one.in !== 'path')];
  // If there is only one operation, the form has no choice of operations.
  const made = variants.length === 1 ? (variants[0].parameters ?? {}) : {};
  const controls = new Controls({ prefix: `${id}.try`, section, made });
  const main = [
    controls.operation(variants),
    controls.choice({ part: 'verb', label: 'Verb', values: verbs.map((one) => one.toUpperCase()) }),
    section.isSigned && /^(get|head)$/.test(verb)
      ? controls.choice({ part: 'endpoint', label: 'Endpoint', values: endpoints })
      : '',
    ...ordered.filter(isMain).map((parameter) => controls.parameter(parameter)),
    section.isSigned
      ? controls.choice({ part: 'accept', label: 'Accept', values: acceptable(responses, section) })
      : '',
  ];
  const more = ordered.filter((parameter) => !isMain(parameter)).map((parameter) => controls.parameter(parameter));
  const form = {
    'aria-label': `Request ${operation.title}`,
    'data-path': path,
    'data-signed': section.isSigned,
    'data-token': !section.isSigned && operation.security === undefined,
    autocomplete: 'off',
    novalidate: true,
  };
  return `<details class="try" hidden><summary>Try it</summary><form${attributes(form)}>
<div class="fields">${main.join('')}</div>${more.length === 0 ? '' : `<details class="more"><summary>More parameters</summary><div class="fields">${more.join('')}</div></details>`}
${requestBody ? controls.body(requestBody.content) : ''}<p><button type="submit">Send</button></p></form>
<p class="status" role="status"></p><div class="result"></div></details>`;
}

/** The values to offer for Accept. Without a body in the response, Accept still decides the format of an error. */
function acceptable(responses, section) {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.keys(section.resolve(response).content ?? {}));
  return types.length === 0 ? ['application/json;odata=nometadata'] : [...new Set(types)];
}

/** The controls of a form. Their ids are unique in the page. */
class Controls {
  #count = 0;

  constructor({ prefix, section, made }) {
    this.prefix = prefix;
    this.section = section;
    this.made = made;
  }

  /** A choice among the operations of one address. Choosing an operation fills in its parameters. */
  operation(variants) {
    if (variants.length < 2) return '';
    const options = variants.map(({ name, parameters = {} }) => ({
      text: name,
      'data-parameters': JSON.stringify(parameters),
    }));
    return this.#select('Operation', { 'data-operations': true }, options);
  }

  /** A choice of one value, at first the first one. If there is only one value, the control is hidden. */
  choice({ part, label, values }) {
    const own = { 'data-part': part, 'data-name': label };
    if (values.length === 1) return `<input${attributes({ type: 'hidden', ...own, value: values[0] })}>`;
    return this.#select(label, own, values.map(asOption));
  }

  parameter({ name, in: part, required, example, schema }) {
    const { const: only, enum: several, examples = [] } = this.section.resolve(schema);
    const own = { 'data-part': part, 'data-name': name };
    const label = required ? `${name} (required)` : name;
    const value = this.made[name] ?? example ?? '';
    const values = several ?? (only === undefined ? [] : [only]);
    if (values.length > 0) {
      const options = (required ? values : ['', ...values]).map(asOption);
      return this.#select(
        label,
        own,
        options.map((option) => ({ ...option, selected: value !== '' && option.text === value })),
      );
    }
    const hint = examples.length === 0 ? undefined : `e.g. ${examples[0]}`;
    const input = { ...own, type: 'text', value, placeholder: hint, spellcheck: 'false' };
    return this.#field(label, (id) => `<input${attributes({ id, ...input })}>`);
  }

  body(content) {
    const options = Object.entries(content).map(([type, media]) => ({
      text: type,
      'data-example': this.#example(media),
    }));
    const type = this.#select('Content-Type', { 'data-part': 'type', 'data-name': 'Content-Type' }, options);
    const text = options[0]['data-example'];
    const rows = Math.min(16, text.split('\n').length + 1);
    const area = { 'data-part': 'body', 'data-name': 'Body', rows, spellcheck: 'false' };
    // HTML drops a line feed directly after the opening tag. The template therefore begins with an additional line
    // feed, which HTML drops instead of a line feed at the start of the text.
    const render = (id) => `<textarea${attributes({ id, ...area })}>\n${escapeHtml(text)}</textarea>`;
    return `<div class="fields">${type}</div>${this.#field('Body', render)}`;
  }

  #example({ schema = {}, examples = {} }) {
    const [example] = Object.values(examples).map((one) => this.section.resolve(one));
    const first = example?.['x-body'] ?? example?.value;
    const value = first ?? this.section.resolve(schema).examples?.[0] ?? '';
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  }

  #select(label, own, options) {
    const items = options
      .map(({ text, ...rest }) => `<option${attributes(rest)}>${escapeHtml(text)}</option>`)
      .join('');
    return this.#field(label, (id) => `<select${attributes({ id, ...own })}>${items}</select>`);
  }

  #field(label, render) {
    this.#count += 1;
    const id = `${this.prefix}.${this.#count}`;
    return `<div class="field"><label for="${id}">${escapeHtml(label)}</label>${render(id)}</div>`;
  }
}

const asOption = (text) => ({ text });
