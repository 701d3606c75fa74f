/** The options of an import: the columns' properties, and the treatment of objects and members that do not fit. */
import {field, h} from '../frame/elements.js';
import {check, choice} from '../schema/fields.js';
import {propertyName} from './propose.js';
import {shown} from '../frame/json.js';

const modes = [
  ['create', 'are faults'], ['merge', 'change the properties that the file has'], ['replace', 'replace the object'],
  ['ignore', 'leave the object as it is']];

const isTakenByCSV = (property, found) => !['list', 'set', 'map', 'linkingObjects', 'mixed'].includes(property.type)
  && !found.target(property)?.isEmbedded;

/** The table of columns and the properties that they become. `renames` has other names of properties than the columns suggest. */
function mappingTable(sample, found, renames) {
  const properties = found.stored.filter(property => sample.form !== 'csv' || isTakenByCSV(property, found));
  const options = [['', '(leave out)'], ...properties.map(property => property.name)];
  const selects = new Map(sample.columns.filter(column => column !== '').map(column => {
    const wanted = renames.get(propertyName(column)) ?? propertyName(column);
    const match = properties.find(property => property.name === wanted || property.mapTo === column)
      ?? properties.find(property => property.name.toLowerCase() === column.toLowerCase());
    return [column, choice(options, match?.name ?? '', {'aria-label': `Property of the column ${column}`})];
  }));
  const valueOf = column => shown(sample.rows.map(row => row[column]).find(value => value !== null && value !== undefined));
  const heads = [sample.form === 'csv' ? 'Column' : 'Member', 'Property', 'A value'];
  const element = h('div', {className: 'scroller'}, h('table', {className: 'mapping'},
    h('thead', {}, h('tr', {}, heads.map(head => h('th', {scope: 'col'}, head)))),
    h('tbody', {}, [...selects].map(([column, select]) => h('tr', {},
      h('th', {scope: 'row'}, column), h('td', {}, select), h('td', {}, valueOf(column).slice(0, 60)))))));
  return {element, pairs: () => [...selects].map(([column, select]) => [column, select.value])};
}

/** The parameters `map` and `skip` for pairs of columns and properties. A column with its property's name needs neither. */
function mapParameters(pairs, parameters, found) {
  const properties = pairs.map(([, name]) => name).filter(Boolean);
  const key = found.property(found.primaryKey);
  const isMade = !key || ['objectId', 'uuid'].includes(key.type) || key.default === '$next';
  if (!isMade && !properties.includes(key.name)) throw new Error(`No column leads to the primary key '${key.name}'. Choose one.`);
  const repeated = properties.find((name, index) => properties.indexOf(name) !== index);
  if (repeated) throw new Error(`Two columns lead to the property '${repeated}'. Leave one of them out.`);
  for (const [column, name] of pairs) {
    if (name === '') parameters.append('skip', column);
    else if (name !== column) parameters.append('map', `${column}=${name}`);
  }
}

/** The options of a file for a class: their element, and `read()`, which returns the `parameters` and the `contentType`. */
export function classOptions(sample, found, forms, renames) {
  const mapping = mappingTable(sample, found, renames);
  const isText = sample.form === 'csv';
  const mode = choice(modes, 'create');
  const [unknown, atomic, decimalComma] = [
    h('input', {type: 'checkbox'}), h('input', {type: 'checkbox'}), h('input', {type: 'checkbox', checked: forms.decimalComma})];
  const dateFormat = h('input', {value: forms.dateFormat, className: 'code', placeholder: '2026-11-20T06:38:58Z'});
  const element = h('div', {}, mapping.element, h('div', {className: 'columns'},
    field('Lines with a key that is there already', mode),
    isText && field('Form of dates', dateFormat, 'Empty: RFC 3339. Otherwise as for strptime, such as %d.%m.%Y %H:%M.'),
    isText && check('Numbers have a decimal comma (1,5)', decimalComma),
    check('Leave out members that the class lacks', unknown, 'Otherwise their lines are faulty.'),
    check('All lines or no line', atomic, 'One transaction, at most 100,000 objects.')));
  const read = () => {
    const parameters = new URLSearchParams({mode: mode.value});
    if (unknown.checked) parameters.set('unknown', 'ignore');
    if (atomic.checked) parameters.set('atomic', 'true');
    mapParameters(mapping.pairs(), parameters, found);
    if (sample.columns.includes('')) parameters.append('skip', '');
    if (isText) {
      if (sample.delimiter !== ',') parameters.set('delimiter', sample.delimiter === '\t' ? 'tab' : sample.delimiter);
      if (decimalComma.checked) parameters.set('decimalComma', 'true');
      if (dateFormat.value.trim()) parameters.set('dateFormat', dateFormat.value.trim());
      return {parameters, contentType: 'text/csv'};
    }
    const isExtended = sample.form !== 'ndjson' || parameters.has('map') || parameters.has('skip');
    return {parameters, contentType: `application/x-ndjson${isExtended ? '; profile=extended-json' : ''}`};
  };
  return {element, read};
}

/** The options of the import of a whole store. */
export function storeOptions() {
  const mode = choice(modes, 'create');
  const unknown = h('input', {type: 'checkbox'});
  const read = () => new URLSearchParams({mode: mode.value, ...unknown.checked && {unknown: 'ignore'}});
  return {read, element: h('div', {className: 'columns'}, field('Lines with a key that is there already', mode),
    check('Leave out members that a class lacks', unknown, 'Otherwise their lines are faulty.'))};
}
