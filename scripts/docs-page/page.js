const filter = document.querySelector('#filter');
const entries = [...document.querySelectorAll('article, .entry')].map((entry) => ({
  entry,
  links: document.querySelectorAll(`[data-for="${CSS.escape(entry.id)}"]`),
  text: entry.textContent.toLowerCase(),
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
  if (event.key !== '/' || event.target === filter) return;
  event.preventDefault();
  filter.focus();
});

/** What a link leads to is opened, and shown although the filter hides it. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.hidden = false;
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', reveal);
reveal();
