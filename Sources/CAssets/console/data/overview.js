/** The classes with their counts. */
import {address} from '../console.js';
import {grouped, h} from '../frame/elements.js';
import {classCounts, loadSchema, typeText} from '../frame/schema.js';
import {requestLines, sameRequest} from '../frame/request-lines.js';
import {isAdmin} from '../frame/session.js';

export async function show(main) {
  const [schema, counts] = await Promise.all([loadSchema(), classCounts()]);
  const lines = requestLines();
  lines.show(sameRequest('GET', '/v1/classes'), sameRequest('GET', '/v1/schema'));
  main.append(h('h1', {}, 'Data'));
  main.append(...schema.objects.length > 0 ? [classTable(schema, counts)] : [
    h('p', {}, 'The store has no classes yet.'),
    ...isAdmin() ? [h('p', {}, h('a', {href: address('schema')}, 'Make a class'), ', or ',
      h('a', {href: address('move')}, 'bring a file'), '.')] : []], lines.element);
}

const classTable = (schema, counts) => h('table', {},
  h('thead', {}, h('tr', {}, ['Class', 'Objects', 'Key', 'Properties'].map(name => h('th', {}, name)))),
  h('tbody', {}, schema.objects.map(found => h('tr', {},
    h('td', {}, h('a', {href: address('class', found.name)}, found.name)),
    h('td', {className: 'number'}, grouped(counts.get(found.name))),
    h('td', {}, found.primaryKey ?? 'made by the store'),
    h('td', {}, found.properties.map((property, index) => [
      index > 0 && ', ', property.name, h('small', {}, ` ${typeText(property)}`)]))))));
