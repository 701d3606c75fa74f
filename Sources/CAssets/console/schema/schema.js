/** The schema: its classes, one class, the drawing, and the whole document. */
import {address} from '../console.js';
import {button, goWithNotice, grouped, h, notify} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {classCounts} from '../frame/schema.js';
import {isAdmin} from '../frame/session.js';
import {loadStyle} from '../frame/libraries.js';
import {showDiagram} from './diagram.js';
import {addClass, editClass, editProperty, removeClass, removeProperty} from './edit.js';
import {loadExactSchema} from './exact.js';
import {showDocument} from './json.js';
import {indexCost, shorthand, traits} from './words.js';

const changedNotice = 'The schema is changed.';
const ways = [['', 'Classes'], ['drawing', 'Drawing'], ['json', 'JSON']];

/** The links between the ways to show the schema. */
const wayBar = present => h('nav', {className: 'ways', 'aria-label': 'Ways to show the schema'}, ways.map(([way, text]) =>
  h('a', {href: address('schema', {as: way}), 'aria-current': way === present ? 'page' : undefined}, text)));

/** Shows the schema as it is after a change: of the class with its new name, or of all classes if it is gone. */
function shownAgain(view, name) {
  return async request => {
    // The reader may have gone to another page meanwhile.
    if (!request || !view.isConnected) return;
    const here = address('schema', ...name ? [name] : []);
    if (location.hash !== here) return goWithNotice(here, changedNotice);
    await show(view, {parts: name ? [name] : [], query: {}});
    notify(changedNotice);
    const heading = view.querySelector('h1');
    heading.tabIndex = -1;
    heading.focus();
  };
}

const warningList = (schema, name) => {
  const warnings = (schema.document.warnings ?? []).filter(warning => !name || warning.class === name);
  return warnings.length > 0 && h('div', {}, h('h2', {}, 'Warnings'), h('ul', {}, warnings.map(
    warning => h('li', {}, `${warning.class}.${warning.property}: ${warning.detail}`))));
};

function showClassList(main, schema, counts) {
  const lines = requestLines();
  lines.show({path: '/v1/schema'});
  const indexes = found => found.properties.filter(property => property.indexed || property.unique).map(({name}) => name);
  main.append(
    schema.classes.length === 0 && h('p', {}, 'The store has no classes yet.') || '',
    h('div', {className: 'scroller'}, h('table', {},
      h('caption', {}, `Revision ${schema.revision}`),
      h('thead', {}, h('tr', {}, ['Class', 'Kind', 'Key', 'Objects', 'Properties', 'Indexes'].map(
        (head, index) => h('th', {scope: 'col', className: index === 3 ? 'number' : ''}, head)))),
      h('tbody', {}, schema.classes.map(found => h('tr', {},
        h('th', {scope: 'row'}, h('a', {href: address('schema', found.name)}, found.name)), h('td', {}, found.kind),
        h('td', {}, found.isEmbedded ? '' : found.primaryKey ?? 'made by the store'),
        h('td', {className: 'number'}, grouped(counts.get(found.name))),
        h('td', {}, found.properties.map(property => property.name).join(', ')), h('td', {}, indexes(found).join(', '))))))),
    isAdmin() && h('p', {className: 'bar'}, button('Add a class', async () => {
      const request = await addClass(schema);
      if (request) goWithNotice(address('schema', decodeURIComponent(request.path.split('/').at(-1))), changedNotice);
    }, {className: 'primary'})) || '',
    warningList(schema) || '', lines.element);
}

/** The type of a property, with a link to its class. */
function typeCell(schema, property) {
  if (property.type === 'linkingObjects') {
    return ['inverse of ', h('a', {href: address('schema', property.class)}, `${property.class}.${property.property}`)];
  }
  const name = property.class ?? property.element?.class;
  const text = shorthand(property);
  if (!name) return text;
  return [h('a', {href: address('schema', name)}, name), text.slice(name.length),
    h('small', {}, schema.class(name)?.isEmbedded ? ' embedded' : ' link')];
}

function propertyRow(schema, found, property, count, changed) {
  const target = found.target(property);
  const cost = !found.isEmbedded && indexCost(
    {...property, isEmbedded: target?.isEmbedded}, {definition: found.definition, count});
  return h('tr', {},
    h('th', {scope: 'row'}, property.name), h('td', {}, typeCell(schema, property)),
    h('td', {}, traits(property, found.definition).map(trait => [h('span', {className: 'trait'}, trait), ' '])),
    h('td', {}, cost || ''),
    isAdmin() && h('td', {className: 'acts'}, [['Change', editProperty], ['Remove', removeProperty]].map(([text, act]) => button(
      text, async () => changed(await act(schema, found, property, count)), {'aria-label': `${text} ${property.name}`}))));
}

function showClass(main, view, schema, counts, name) {
  const found = schema.class(name);
  if (!found) throw new Error(`The schema has no class '${name}'.`);
  const count = counts.get(name);
  const changed = shownAgain(view, name);
  const groups = (found.definition.unique ?? []).map(group => group.join(' + '));
  const lines = requestLines();
  lines.show({path: `/v1/schema/classes/${encodeURIComponent(name)}`});
  const incoming = schema.classes.flatMap(owner => owner.stored.filter(property => owner.target(property)?.name === name)
    .map(property => [owner.name, property.name]));
  main.append(
    h('p', {}, found.isEmbedded ? 'Embedded: its objects are parts of other objects.' : [
      found.kind === 'asymmetric' ? 'Asymmetric: its objects are created and handed out, never read. '
        : [h('a', {href: address('class', name)}, `${grouped(count)} ${count === 1 ? 'object' : 'objects'}`), '. '],
      found.primaryKey ? `The primary key is ${found.primaryKey}.` : 'The store numbers its objects.']),
    h('div', {className: 'scroller'}, h('table', {},
      h('thead', {}, h('tr', {}, ['Property', 'Type', 'Traits', 'Index entries', isAdmin() && 'Changes'].filter(Boolean).map(
        head => h('th', {scope: 'col'}, head)))),
      h('tbody', {}, found.properties.map(property => propertyRow(schema, found, property, count, changed))))),
    groups.length > 0 && h('p', {}, `Unique together: ${groups.join('; ')}.`) || '',
    incoming.length > 0 && h('p', {}, 'Links to this class: ', incoming.map(([owner, property], index) => [
      index > 0 && ', ', h('a', {href: address('schema', owner)}, `${owner}.${property}`)]).flat().filter(Boolean), '.') || '',
    isAdmin() && h('p', {className: 'bar'},
      button('Add a property', async () => changed(await editProperty(schema, found, undefined, count)), {className: 'primary'}),
      button('Change the class', async () => {
        const request = await editClass(schema, found);
        shownAgain(view, request?.body.renames?.[name] ?? name)(request);
      }),
      button('Remove the class', async () => shownAgain(view)(await removeClass(schema, found)), {className: 'danger'})) || '',
    warningList(schema, name) || '', lines.element,
    h('details', {}, h('summary', {}, 'This class as JSON'), h('pre', {}, JSON.stringify(found.definition, null, 2))));
}

export async function show(main, {parts, query}) {
  const [schema, counts] = await Promise.all([loadExactSchema(), classCounts(), loadStyle('schema/schema.css')]);
  const [name] = parts;
  const content = h('div', {});
  main.replaceChildren(...name
    ? [h('p', {className: 'trail'}, h('a', {href: address('schema')}, 'Schema')), h('h1', {}, name), content]
    : [h('h1', {}, 'Schema'), wayBar(query.as ?? ''), content]);
  if (name) showClass(content, main, schema, counts, name);
  else if (query.as === 'drawing') showDiagram(content, schema, counts);
  else if (query.as === 'json') showDocument(content, schema, async () => {
    await show(main, {parts, query});
    notify(changedNotice);
  });
  else showClassList(content, schema, counts);
}
