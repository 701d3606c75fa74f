/** The proposal of classes for a file, made from a sample of it: types, dates, keys, null; each with its reason. */
import {dateFormatsOf, hasDecimalCommas, hasDecimalPoints, jsonType, textType} from './values.js';
import {plain} from '../frame/json.js';
import {db} from '../frame/session.js';

const isName = text => /^[\p{L}_][\p{L}\p{M}\p{N}_ -]*$/u.test(text) && new TextEncoder().encode(text).length <= 57;

/** A name that the service takes for a property, made of a column's name. */
export function propertyName(column) {
  if (isName(column)) return column;
  const cleaned = column.replace(/[^\p{L}\p{N}_ -]+/gu, '_').replace(/^_+|_+$/g, '').slice(0, 50).trim();
  return isName(cleaned) ? cleaned : `_${cleaned}`;
}

/** One of the things that a word in the plural names. */
const singular = word => word.replace(/ies$/i, 'y').replace(/(ss|x|ch|sh)es$/i, '$1').replace(/([^suio])s$/i, '$1');

const capitalized = text => text.replace(/(^|[^\p{L}\p{N}]+)(\p{L}?)/gu, (_, __, letter) => letter.toUpperCase());

/** A name for the class of a file's objects. */
export function classNameOf(fileName) {
  const name = singular(capitalized(fileName.replace(/(\.\w{1,6}){1,2}$/, '')));
  return isName(name) ? name : 'Imported';
}

/** A name that is not taken yet. */
function freeName(wanted, taken) {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
  taken.add(name);
  return name;
}

const present = (rows, column) => rows.map(row => row[column]).filter(value => value !== null && value !== undefined);

/** How a CSV file writes dates and decimals. One form holds for all columns. */
export function textForms(sample) {
  const columns = sample.columns.map(column => present(sample.rows, column));
  const counts = new Map();
  for (const values of columns) for (const format of dateFormatsOf(values)) counts.set(format, (counts.get(format) ?? 0) + 1);
  const [dateFormat] = [...counts].reduce((best, one) => one[1] > best[1] ? one : best, ['', 0]);
  const decimalComma = sample.delimiter !== ',' && columns.some(hasDecimalCommas) && !columns.some(hasDecimalPoints);
  return {dateFormat, decimalComma};
}

const keyTypes = new Set(['int', 'string', 'objectId', 'uuid']);

/** The column that identifies the rows; undefined without one. */
function keyOf(className, columns, rows, properties) {
  const isUnique = column => {
    const values = present(rows, column).map(value => JSON.stringify(plain(value)));
    return values.length === rows.length && rows.length > 0 && new Set(values).size === values.length
      && keyTypes.has(properties[propertyName(column)]?.type);
  };
  const own = `${className}[_ -]?(id|key|code|no|nr|number)`;
  const named = new RegExp(`^(_?id|key|code|uuid|guid|iso|slug|sku|isbn|number|${own})$`, 'i');
  const isNamed = column => named.test(column);
  const isSuggested = column => /(id|key|code|number|no|nr|nummer)$/i.test(column);
  return columns.find(column => isNamed(column) && isUnique(column))
    ?? [columns[0]].find(column => column !== undefined && isSuggested(column) && isUnique(column));
}

/** A type that takes the null of some rows, which a collection does not. */
const nullable = (found, hasNull) => hasNull && ['list', 'map'].includes(found.type)
  ? {type: 'mixed', reason: `${found.type}s, and null, which only mixed takes beside them`} : found;

/** Makes proposals of classes, with the classes of nested objects. */
class Proposer {
  constructor(schema, classOf = () => undefined) {
    this.schema = schema;
    this.taken = new Set(schema.classes.map(found => found.name));
    this.classOf = classOf;
    this.classes = [];
  }

  /** Proposes the class of rows. */
  propose(wanted, columns, rows, {kind = 'object', typeOf} = {}) {
    const name = freeName(wanted, this.taken);
    const [properties, reasons] = [{}, {}];
    for (const column of columns.filter(text => text !== '')) {
      const values = present(rows, column);
      const objects = nested => this.objectType(nested, {name, kind}, column);
      const hasNull = rows.some(row => row[column] === null);
      const {reason, ...property} = typeOf ? typeOf(values) : nullable(jsonType(values, objects), hasNull);
      const missing = rows.length - values.length;
      const isSingle = !['list', 'set', 'map', 'mixed'].includes(property.type);
      const isOptional = isSingle && (missing > 0 || property.type === 'object');
      properties[propertyName(column)] = {...property, ...isOptional && {optional: true}};
      reasons[propertyName(column)] = `${reason}${missing > 0 ? `; ${missing} of ${rows.length} rows have no value` : ''}`;
    }
    const key = kind === 'object' ? keyOf(name, columns, rows, properties) : undefined;
    const primaryKey = key && propertyName(key);
    const differ = rows.length === 1 ? '' : `the ${rows.length} values differ, and `;
    if (primaryKey) reasons[primaryKey] += `; ${differ}the name suggests a key`;
    const proposal = {name, kind, primaryKey, properties, reasons};
    this.classes.push(proposal);
    return proposal;
  }

  /** The type of nested objects: a link to a known class, a map, or an embedded class, which is proposed too. */
  objectType(values, owner, column) {
    const linked = this.classOf(values);
    if (linked) return {type: 'object', ...linked};
    const columns = [...new Set(values.flatMap(value => Object.keys(value)))];
    const mean = values.reduce((sum, value) => sum + Object.keys(value).length, 0) / values.length;
    if (columns.length > 10 && columns.length > 3 * mean) {
      const {reason, ...element} = jsonType(values.flatMap(Object.values), () => ({type: 'mixed', reason: 'objects'}));
      return ['list', 'map'].includes(element.type) ? {type: 'mixed', reason: 'objects with many names'}
        : {type: 'map', element, reason: `objects with names that differ from row to row: ${reason}`};
    }
    if (!columns.every(isName) || columns.length === 0) return {type: 'mixed', reason: 'objects with names that no class has'};
    const isPoint = owner.kind === 'object' && values.every(value => value.type === 'Point' && Array.isArray(value.coordinates));
    const stored = this.schema.classes.find(found => found.isEmbedded && columns.every(name => found.property(name)));
    const wanted = capitalized(`${owner.name} ${column}`);
    const name = stored?.name ?? this.propose(wanted, columns, values, {kind: 'embedded'}).name;
    const reason = stored ? `objects like the ones of the class ${name}` : 'objects with the same names: an embedded class';
    return {type: 'object', class: name, ...isPoint && {indexed: 'geo'},
      reason: isPoint ? 'GeoJSON points, with an index for geoWithin' : reason};
  }
}

/** Turns columns into links where the sampled values are keys of a class with the column's name. */
async function proposeLinks({properties, reasons, primaryKey}, sample, schema, signal) {
  for (const column of sample.columns) {
    const name = propertyName(column);
    const stem = singular(column.replace(/[_ -]?(id|key|code|iso)$/i, '')).toLowerCase().replaceAll(/[_ -]/g, '');
    const target = schema.objects.find(found => found.primaryKey && found.kind === 'object' && found.name.toLowerCase() === stem);
    if (!target || name === primaryKey || !keyTypes.has(properties[name]?.type)) continue;
    const isNumber = /^int/.test(target.property(target.primaryKey).type);
    const keys = [...new Set(present(sample.rows, column).map(plain))].slice(0, 50).map(key => isNumber ? Number(key) : `${key}`);
    if (keys.length === 0) continue;
    const filter = `${target.primaryKey} IN {${keys.map((_, index) => `$${index}`).join(', ')}}`;
    const {count} = await db.class(target.name).query({filter, args: keys, limit: 1, count: 'exact', signal})
      .page().catch(() => ({count: 0}));
    if (count === keys.length) {
      properties[name] = {type: 'object', class: target.name, optional: true};
      reasons[name] = `a link: each of ${count} sampled values is a key of ${target.name}`;
    } else if (count > 0) {
      reasons[name] += `; ${count} of ${keys.length} sampled values are keys of ${target.name}, so it is no link`;
    }
  }
}

/** The classes that a sample's objects need, embedded ones first. The last one is the class of the objects. */
export async function propose(sample, schema, forms, signal) {
  const proposer = new Proposer(schema);
  const typeOf = sample.form === 'csv' ? values => textType(values, forms) : undefined;
  const main = proposer.propose(classNameOf(sample.file.name), sample.columns, sample.rows, {typeOf});
  await proposeLinks(main, sample, schema, signal);
  return proposer.classes;
}

/**
 * The classes of a Realm export that the store lacks. A class without a key is embedded if copies of its objects stand in others,
 * because nothing tells of which object each is a copy.
 */
export function proposeRealm(realm, schema) {
  const copied = new Set();
  const proposer = new Proposer(schema, values => {
    const name = realm.classOf(values[0]);
    if (!values.every(value => realm.isListed(value))) copied.add(name);
    return name && {class: name, reason: `objects of the class ${name}`};
  });
  for (const [name, objects] of realm.lists) {
    if (schema.class(name)) continue;
    const rows = objects.slice(0, 5000).map(({$refId, ...row}) => row);
    proposer.propose(name, [...new Set(rows.flatMap(row => Object.keys(row)))], rows);
  }
  for (const proposal of proposer.classes) if (copied.has(proposal.name) && !proposal.primaryKey) proposal.kind = 'embedded';
  return proposer.classes;
}

/** The stored class that has most of a sample's columns, if the sample has half of its properties or its name. */
export function fittingClass(sample, schema) {
  const name = classNameOf(sample.file.name);
  const known = found => sample.columns.filter(column => found.property(propertyName(column))).length;
  const scores = schema.objects.map(found => ({
    found, score: known(found) / Math.max(1, sample.columns.length) + (found.name === name ? 0.2 : 0)}));
  const best = scores.reduce((one, other) => other.score > one.score ? other : one, {score: 0});
  const isFull = best.found && (best.found.name === name || known(best.found) >= best.found.stored.length / 2);
  return isFull && best.score >= 0.7 ? best.found : undefined;
}

