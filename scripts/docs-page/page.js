import { setUpConnect } from './connect.js';
import { setUpFilter } from './filter.js';
import { chooseOperation, setUpForms } from './try-it.js';

/** Opens the target of a link. Shows the target even if the filter hides it. */
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const article = target.closest('article');
  for (const one of [target, article]) if (one) one.hidden = false;
  if (target instanceof HTMLDetailsElement) target.open = true;
  if (article) chooseOperation(article, target.id.split('.').at(-1));
  target.scrollIntoView();
}

setUpFilter();
setUpConnect();
setUpForms();
addEventListener('hashchange', reveal);
reveal();
