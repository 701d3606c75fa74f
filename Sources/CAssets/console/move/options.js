/** The options of an import: how the text is written, the columns' properties, and objects and members that do not fit. */
import {field, h} from '../frame/elements.js';
import {check, choice} from '../schema/fields.js';
import {readingParameters} from './propose.js';
import {shown} from '../frame/json.js';

const delimiters = [[',', 'comma'], [';', 'semicolon'], ['tab', 'tab'], ['|', 'bar |'], [':', 'colon']];

const modes = [
  ['create', 'report a fault'], ['merge', 'change the properties that the file has'], ['replace', 'replace the object'],
  ['ignore', 'keep the object as it is']];
const modeLabel = 'If the store has an object with the same key';

const isTakenByCSV = (property, found) => !['list', 'set', 'map', 'linkingObjects', 'mixed'].includes(property.type)
  && !found.target(property)?.isEmbedded;

/**
 * The options that say how a CSV text is written, filled with those of a proposal. `again` is called to read the file with them.
 * `read()` returns them by the names of the import's parameters.
 */
export function readingFields(parameters, again) {
  const dates = parameters.dateFormat ?? [];
  const inputs = {
    delimiter: choice(delimiters, parameters.delimiter ?? ',', {onchange: again}),
    decimalComma: h('input', {type: 'checkbox', checked: parameters.decimalComma ?? false}),
    dateFormat: h('textarea', {value: dates.join('\n'), rows: Math.max(2, dates.length), className: 'code',
      placeholder: '%d.%m.%Y\nAm=%d.%m.%Y'}),
    trueWord: h('input', {value: parameters.trueWord ?? '', placeholder: 'ja', size: 8}),
    falseWord: h('input', {value: parameters.falseWord ?? '', placeholder: 'nein', size: 8}),
  };
  const element = h('fieldset', {}, h('legend', {}, 'How the file is written'), h('div', {className: 'columns'},
    field('Between cells', inputs.delimiter),
    check('Numbers have a decimal comma', inputs.decimalComma, 'such as 1,5 and 9.429,59'),
    field('Word for true', inputs.trueWord, 'Beside true, yes, t, y and 1.'),
    field('Word for false', inputs.falseWord, 'Beside false, no, f, n and 0.'),
    field('Forms of dates, one a line', inputs.dateFormat,
      'As for strptime; for one column with its name in front. Otherwise RFC 3339.')),
  h('p', {className: 'bar'}, h('button', {type: 'button', onclick: again}, 'Read the file again with these')));
  const read = () => ({
    delimiter: inputs.delimiter.value, decimalComma: inputs.decimalComma.checked ? 'true' : '',
    dateFormat: inputs.dateFormat.value.split('\n').map(line => line.trim()).filter(Boolean),
    trueWord: inputs.trueWord.value.trim(), falseWord: inputs.falseWord.value.trim()});
  return {element, read};
}

/** The property that a column is for: the one that was made of it, or one with its name. */
function propertyFor(column, properties, made, proposed) {
  const named = name => properties.find(property => property.name === name || property.mapTo === name);
  if (made?.has(column)) return named(made.get(column));
  return named(column) ?? named(proposed.get(column))
    ?? properties.find(property => property.name.toLowerCase() === column.toLowerCase());
}

/** The table of columns and the properties that they become. */
function mappingTable(sample, found, made) {
  const properties = found.stored.filter(property => sample.form !== 'csv' || isTakenByCSV(property, found));
  const options = [['', '(leave out)'], ...properties.map(property => property.name)];
  const selects = new Map(sample.columns.filter(column => column !== '').map(column => {
    const name = propertyFor(column, properties, made, sample.proposed)?.name ?? '';
    return [column, choice(options, name, {'aria-label': `Property of the column ${column}`})];
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

/** The options of reading for a class: without the forms of dates of columns that become no dates. */
function readingFor(reading, pairs, found, proposed) {
  const pairOf = column => pairs.find(([text]) => text === column) ?? pairs.find(([text]) => proposed.get(text) === column);
  const dateFormat = reading.dateFormat.flatMap(text => {
    const [, column, format] = /^([^%]+)=(.*)$/.exec(text) ?? [];
    const [source, name] = pairOf(column) ?? [];
    // The service reports a column that the file lacks.
    if (source === undefined) return [text];
    if (found.property(name)?.type !== 'date') return [];
    return [source.includes('%') ? text : `${source}=${format}`];
  });
  return {...reading, dateFormat};
}

/**
 * The options of a file for a class: their element, and `read()`, which returns the `parameters` and the `contentType`.
 * `made` has the properties that were made for the columns; `reading` are the fields of `readingFields`.
 */
export function classOptions(sample, found, {made, reading}) {
  const mapping = mappingTable(sample, found, made);
  const mode = choice(modes, 'create');
  const [unknown, atomic] = [h('input', {type: 'checkbox'}), h('input', {type: 'checkbox'})];
  const element = h('div', {}, mapping.element, h('div', {className: 'columns'},
    field(modeLabel, mode),
    check('Leave out members that the class lacks', unknown, 'Otherwise their lines are faulty.'),
    check('All lines or no line', atomic, 'One transaction, at most 100,000 objects.')));
  const read = () => {
    const pairs = mapping.pairs();
    const parameters = readingParameters(reading ? readingFor(reading.read(), pairs, found, sample.proposed) : {});
    parameters.set('mode', mode.value);
    if (unknown.checked) parameters.set('unknown', 'ignore');
    if (atomic.checked) parameters.set('atomic', 'true');
    mapParameters(pairs, parameters, found);
    if (sample.columns.includes('')) parameters.append('skip', '');
    // Plain lines of JSON have no other names than the properties.
    const needsNames = (parameters.has('map') || parameters.has('skip')) && sample.contentType === 'application/x-ndjson';
    return {parameters, contentType: needsNames ? 'application/x-ndjson; profile=extended-json' : sample.contentType};
  };
  return {element, read};
}

/** The options of the import of a whole store. */
export function storeOptions() {
  const mode = choice(modes, 'create');
  const unknown = h('input', {type: 'checkbox'});
  const read = () => new URLSearchParams({mode: mode.value, ...unknown.checked && {unknown: 'ignore'}});
  return {read, element: h('div', {className: 'columns'}, field(modeLabel, mode),
    check('Leave out members that a class lacks', unknown, 'Otherwise their lines are faulty.'))};
}
