/** The objects that link to an object, by the properties that hold the links. */
import {address} from '../console.js';
import {button, faults, grouped, h} from '../frame/elements.js';
import {inverseFilter, objectAddress, objectPath, titleProperty} from './keys.js';
import {db} from '../frame/session.js';
import {shortText} from './values.js';

const pageSize = 20;

/** A list for each property that links here. The first ones are read at once, the others when they are opened. */
export function incomingLinks(stored, key, signal) {
  const lists = [...direct(stored, key, signal), ...embedded(stored, key, signal)].map(linkList);
  return lists.length === 0 ? null : h('section', {}, h('h2', {}, 'Links to this object'), lists);
}

/** The properties of other classes whose values link to objects of this class. */
function direct(stored, key, signal) {
  if (key === null) return [];
  const origins = stored.schema.objects.filter(({kind}) => kind === 'object');
  return origins.flatMap(origin => origin.stored.filter(property => origin.target(property) === stored).map(property => {
    const filter = inverseFilter(origin, property.name, stored, key);
    const pages = db.class(origin.name).query({
      filter, fields: [...new Set([origin.keyName, titleProperty(origin) ?? origin.keyName])], limit: pageSize, count: 'exact',
      signal});
    return {
      name: `${origin.name}.${property.name}`,
      table: h('a', {href: address('class', origin.name, {filter})}, `As a table of ${origin.name}`),
      async read(cursor) {
        const {objects, next, count} = await pages.page(cursor);
        return {next, count, links: objects.map(object => [objectAddress(origin, origin.keyOf(object)), origin.title(object)])};
      }};
  }));
}

/** The declared inverse links of embedded classes: the links lead to the objects that own the embedded ones. */
function embedded(stored, key, signal) {
  const path = objectPath(stored, key);
  if (path.includes('?')) return [];
  const isOfEmbedded = ({type, class: name}) => type === 'linkingObjects' && stored.schema.class(name)?.isEmbedded;
  return stored.properties.filter(isOfEmbedded).map(property => ({
    name: `${property.class}.${property.property}`,
    async read(cursor) {
      const search = new URLSearchParams({fields: '$owner', limit: pageSize, count: 'exact', ...cursor && {cursor}});
      const {body} = await db.request('GET', `${path}/properties/${encodeURIComponent(property.name)}?${search}`, {signal});
      return {next: body.next, count: body.count, links: body.objects.map(({$owner: {$link}}) => [
        objectAddress(stored.schema.class($link.class), $link.id), `${$link.class} ${shortText($link.id)}`])};
    }}));
}

function linkList({name, table, read}, index) {
  const list = h('ul', {className: 'links'});
  const count = h('small');
  let next;
  let isRead = false;
  async function readMore() {
    isRead = true;
    const page = await read(next);
    next = page.next;
    count.textContent = ` ${grouped(page.count)}`;
    list.append(...page.links.map(([href, title]) => h('li', {}, h('a', {href}, title || '""'))));
    more.hidden = next === undefined;
  }
  const more = button('More', readMore, {hidden: true, 'aria-label': `More of ${name}`});
  const element = h('details', {open: index < 3, ontoggle() {
    if (!element.open || isRead) return;
    readMore().catch(error => { if (error.name !== 'AbortError') list.after(faults(error)); });
  }}, h('summary', {}, name, count), list, h('p', {className: 'bar'}, more, table));
  return element;
}
