/**
 * Returns the text of an operation. The filter searches this text for words. The text does not include the form of the
 * operation, because the examples in the form contain unrelated words.
 */
const textOf = (entry) =>
  [...entry.children]
    .filter((child) => !child.matches('.try'))
    .map((child) => child.textContent)
    .join(' ')
    .toLowerCase();

export function setUpFilter() {
  const filter = document.querySelector('#filter');
  const entries = [...document.querySelectorAll('article, .entry')].map((entry) => ({
    entry,
    links: document.querySelectorAll(`[data-for="${CSS.escape(entry.id)}"]`),
    text: textOf(entry),
  }));

  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { entry, links, text } of entries) {
      entry.hidden = !words.every((word) => text.includes(word));
      for (const link of links) link.hidden = entry.hidden;
    }
    for (const list of document.querySelectorAll('nav div')) list.hidden = !list.querySelector('li:not([hidden])');
    for (const rest of document.querySelectorAll('main h2, .intro')) rest.hidden = words.length > 0;
    document.querySelector('#nothing').hidden = entries.some(({ entry }) => !entry.hidden);
  });

  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
    event.preventDefault();
    filter.focus();
  });
}
