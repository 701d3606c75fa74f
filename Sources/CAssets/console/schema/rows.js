/** A table in which the properties of a class are listed and edited, one a row. */
import {button, h} from '../frame/elements.js';
import {choice, scalars} from './fields.js';
import {shorthand} from './words.js';

const indexes = [['', 'no'], ['true', 'values'], ['fulltext', 'words'], ['geo', 'points']];

let lastList = 0;

/** The members of a long form that the type's shorthand does not state. */
function membersBesides({type, class: name, optional, element, indexed, ...members}) { return members; }

/** The long form of a type that a reader wrote. */
function typed(text, name) {
  const [, type, optional, ending] = /^(.+?)(\?)?(\[\]|<>|\{\})?$/.exec(text) ?? [];
  if (!type) throw new Error(`Property '${name}' has no type.`);
  const part = {...scalars.includes(type) ? {type} : {type: 'object', class: type}, ...optional && {optional: true}};
  return ending ? {type: {'[]': 'list', '<>': 'set', '{}': 'map'}[ending], element: part} : part;
}

/**
 * The table of a class's properties. `reasons` has a sentence for each property that was proposed. `read()` returns the
 * `primaryKey`, the `properties` in the long form, and the `renames` of the properties that were given.
 */
export function propertyRows({schema, primaryKey, properties, reasons}) {
  const group = `key-${++lastList}`;
  const typeNames = [...scalars, ...schema.classes.map(found => `${found.name}?`)];
  const types = h('datalist', {id: `types-${lastList}`}, typeNames.map(value => h('option', {value})));
  const body = h('tbody');
  const entries = [];
  const addRow = (name, property, isKey) => {
    const called = name || 'the new property';
    const entry = {
      origin: name,
      name: h('input', {value: name, 'aria-label': 'Name', required: true, maxLength: 63}),
      type: h('input', {
        value: property ? shorthand(property) : '', 'aria-label': `Type of ${called}`, required: true, list: types.id, size: 14}),
      indexed: choice(indexes, property?.indexed ? `${property.indexed}` : '', {'aria-label': `Index of ${called}`}),
      key: h('input', {type: 'radio', name: group, checked: isKey, 'aria-label': `${called} is the primary key`}),
      members: property ? membersBesides(property) : {},
    };
    entries.push(entry);
    const row = h('tr', {}, h('td', {}, entry.name), h('td', {}, entry.type), h('td', {className: 'middle'}, entry.key),
      h('td', {}, entry.indexed), reasons && h('td', {}, h('small', {}, reasons[name] ?? '')),
      h('td', {}, button('Remove', () => {
        entries.splice(entries.indexOf(entry), 1);
        row.remove();
        body.dispatchEvent(new Event('input', {bubbles: true}));
      }, {'aria-label': `Remove ${called}`})));
    body.append(row);
    return entry;
  };
  for (const [name, property] of Object.entries(properties)) addRow(name, property, name === primaryKey);
  const noKey = h('input', {type: 'radio', name: group, checked: !primaryKey});
  const heads = ['Name', 'Type', 'Key', 'Index', reasons && 'Reason', 'Remove'].filter(Boolean);
  const element = h('div', {}, types,
    h('div', {className: 'scroller'}, h('table', {className: 'editor'},
      h('thead', {}, h('tr', {}, heads.map(head => h('th', {scope: 'col'}, head)))), body)),
    h('p', {className: 'bar'}, button('Add a property', () => addRow('', null, false).name.focus()),
      h('label', {className: 'check'}, noKey, ' No key: the store numbers the objects')),
    h('p', {}, h('small', {}, 'Types: string, int?, date, City? (a link), string[] (a list), City<> (a set), double{} (a map). '
      + '? allows null.')));
  const read = () => {
    const pairs = entries.map(entry => [entry.name.value.trim(), {
      ...typed(entry.type.value.trim(), entry.name.value), ...entry.members,
      ...entry.indexed.value && {indexed: entry.indexed.value === 'true' || entry.indexed.value}}]);
    const repeated = pairs.find(([name], index) => pairs.findIndex(pair => pair[0] === name) !== index);
    if (repeated) throw new Error(`Two properties are named '${repeated[0]}'.`);
    const key = entries.find(entry => entry.key.checked)?.name.value.trim();
    const renames = entries.filter(entry => entry.origin).map(entry => [entry.origin, entry.name.value.trim()]);
    return {primaryKey: key, properties: Object.fromEntries(pairs), renames: new Map(renames)};
  };
  return {element, read};
}
