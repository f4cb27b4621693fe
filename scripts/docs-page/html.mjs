// Pieces of HTML. Every text of a document goes through escapeHtml.

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeHtml = (text) => String(text).replaceAll(/[&<>"]/g, (character) => escapes[character]);
export const code = (text) => `<code>${escapeHtml(text)}</code>`;
export const codes = (list = []) => list.map(code).join(' ');

/** Attributes in the order given. `true` writes only the name; `false` and undefined write nothing. */
export const attributes = (values) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`))
    .join('');

/** Renders the Markdown of descriptions, which has only paragraphs and code between backticks. */
export const inline = (text) => escapeHtml(text.trim()).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

export const prose = (text = '') =>
  text.trim() === ''
    ? ''
    : text
        .trim()
        .split(/\n\s*\n/)
        .map((part) => `<p>${inline(part)}</p>`)
        .join('');

export const list = (items) =>
  items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
export const part = (title, content) => (content === '' ? '' : `<h4>${title}</h4>${content}`);
