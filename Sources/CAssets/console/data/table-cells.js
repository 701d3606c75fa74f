/** The columns of a table: the fields that they ask for, their order, and the contents of their cells. */
import {address} from '../console.js';
import {h} from '../frame/elements.js';
import {inverseFilter, keyType, objectAddress, titleProperty} from './keys.js';
import {typeText} from '../frame/schema.js';
import {shortText} from './values.js';

const isCollection = ({type}) => ['list', 'set', 'map'].includes(type);
const isInverse = ({type}) => type === 'linkingObjects';

/** The class that a single link leads to; undefined for other properties. */
const linkTarget = (stored, property) => {
  const target = isCollection(property) || isInverse(property) ? undefined : stored.target(property);
  return target?.isEmbedded ? undefined : target;
};

/** The name of a property's member in a row. */
export const memberOf = property => isInverse(property) ? `${property.name}.@count` : property.name;

/** The fields of a row: of a link the key and the title of its target, of an inverse link the count. */
export function fieldsOf(stored, properties) {
  const fields = properties.flatMap(property => {
    const target = linkTarget(stored, property);
    if (!target) return [memberOf(property)];
    return [...new Set([target.keyName, titleProperty(target) ?? target.keyName])].map(name => `${property.name}.${name}`);
  });
  return [...new Set([stored.keyName, ...fields, '$version'])];
}

/** The path by which a column sorts. An embedded object has none: the service says so. */
function sortPath(stored, property) {
  const target = linkTarget(stored, property);
  if (target) return `${property.name}.${titleProperty(target) ?? target.primaryKey ?? '$id'}`;
  return isCollection(property) || isInverse(property) ? `${property.name}.@count` : property.name;
}

/** The longest string that a row keeps. An editor reads the object again. */
const longestString = 500;

/** An object as a row keeps it: collections, embedded objects and mixed values as short texts, strings without their ends. */
export function compact(stored, object) {
  const row = {...object};
  for (const property of stored.stored) {
    const value = row[property.name];
    if (typeof value === 'string' && property.name !== stored.keyName) {
      if (value.length > longestString) row[property.name] = `${value.slice(0, longestString)}…`;
    } else if (value !== null && typeof value === 'object' && !linkTarget(stored, property)) {
      row[property.name] = shortText(value);
    }
  }
  return row;
}

const nothing = () => h('em', {}, 'null');

/** The content of a cell. It is always an element or a text node, so that the grid reads no value as HTML. */
function cellContent(stored, property, row) {
  const value = row[memberOf(property)];
  if (row.$omitted?.includes(property.name)) return h('small', {}, 'too large to show');
  if (value === undefined) return document.createTextNode('');
  if (isInverse(property)) return inverseLink(stored, property, row, value);
  if (value === null) return nothing();
  const target = linkTarget(stored, property);
  if (target) {
    const key = target.keyOf(value);
    return link(objectAddress(target, key), shortText(target.title(value)));
  }
  if (property.name === stored.keyName) {
    return link(objectAddress(stored, value), shortText(value));
  }
  return document.createTextNode(shortText(value));
}

/** A link in a cell. The keyboard follows it from its cell, so that Tab does not stop at each. */
const link = (href, text) => h('a', {href, tabIndex: -1}, text || h('em', {}, 'empty'));

/** The number of objects that link here, as a link to them. */
function inverseLink(stored, property, row, count) {
  const origin = stored.schema.class(property.class);
  if (!origin || origin.isEmbedded || count === 0 || stored.keyOf(row) === null) return document.createTextNode(`${count}`);
  const filter = inverseFilter(origin, property.property, stored, stored.keyOf(row));
  return link(address('class', origin.name, {filter}), count.toLocaleString());
}

const widths = {
  bool: 90, int8: 90, int16: 100, int: 170, int64: 170, date: 240, uuid: 310, objectId: 220, string: 200, list: 220, set: 220,
  map: 220, object: 180};

/** The columns that are shown if the address does not choose: the first ones, without bytes. */
export const usualColumns = stored => stored.properties.filter(({type}) => type !== 'data').slice(0, 12);

/**
 * The definition of a column for the grid. `sort` is the path and direction of the present order, and `onSort(path)` changes
 * it.
 */
export function columnOf(stored, property, {sort, onSort}) {
  const path = sortPath(stored, property);
  const direction = sort.includes(path) ? 'ascending' : sort.includes(`-${path}`) ? 'descending' : 'none';
  const isNumber = /^(int|float|double|decimal)/.test(property.type) || isInverse(property);
  return {
    title: property.name, field: memberOf(property), headerSort: false, width: widths[property.type] ?? 150, minWidth: 60,
    hozAlign: isNumber ? 'right' : 'left', headerHozAlign: isNumber ? 'right' : 'left',
    titleFormatter() {
      const arrow = {ascending: ' ▲', descending: ' ▼', none: ''}[direction];
      return h('button', {
        type: 'button', className: 'sorter', 'data-direction': direction, title: `${typeText(property)} · sort by ${path}`,
        onclick: () => onSort(path)},
      property.name, h('span', {'aria-hidden': 'true'}, arrow));
    },
    formatter(cell) {
      const element = cell.getElement();
      element.tabIndex = -1;
      element.dataset.property = property.name;
      return cellContent(stored, property, cell.getRow().getData());
    }};
}

/** The key of a class without a primary key, as a property. */
export const ownKey = stored => stored.primaryKey
  ? stored.property(stored.primaryKey) : {name: '$id', type: keyType(stored)};
