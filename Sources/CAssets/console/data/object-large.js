/** A collection that replies omit because of its size, page by page. */
import {button, grouped, h} from '../frame/elements.js';
import {objectAddress, objectPath} from './keys.js';
import {db} from '../frame/session.js';
import {shortText} from './values.js';

const pageSize = 100;

/** Shows the elements from the start on. They are changed by the requests for elements, which the documentation describes. */
export function largeCollection(stored, key, property, signal) {
  const path = objectPath(stored, key);
  if (path.includes('?')) return h('small', {}, 'Too large to be shown here. It stays as it is.');
  const target = stored.target(property);
  const list = h('ol', {className: 'large'});
  const size = h('small', {}, 'Too large to be edited as a whole. ');
  const more = button('Show the elements', read, {'aria-label': `${property.name}: show the elements`});
  let next;
  const content = element => {
    if (!target || target.isEmbedded) return shortText(element) || '""';
    return h('a', {href: objectAddress(target, target.keyOf(element))}, target.title(element) || '""');
  };
  async function read() {
    const search = new URLSearchParams({limit: pageSize, count: 'exact', ...next && {cursor: next}});
    const {body} = await db.request('GET', `${path}/properties/${encodeURIComponent(property.name)}?${search}`, {signal});
    next = body.next;
    size.textContent = `${grouped(body.count)} elements; too large to be edited as a whole. `;
    list.append(...(body.elements ?? body.objects ?? []).map(element => h('li', {}, content(element))),
      ...(body.entries ?? []).map(entry => h('li', {}, `${entry.key}: `, content(entry.value))));
    more.textContent = 'More';
    more.hidden = next === undefined;
  }
  return h('div', {}, size, list, more);
}
