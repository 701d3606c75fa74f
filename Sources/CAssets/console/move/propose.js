/** The classes that the service proposes for the beginning of a file. */
import {upload} from '../frame/transfer.js';
import {proposalSample} from './read.js';

const longestName = 57;

/** A name for the class of a file's objects: the part in front of the first dot. */
export function classNameOf(fileName, isTaken = () => false) {
  const cleaned = fileName.split('.')[0].replace(/[^\p{L}\p{N}_ -]+/gu, '_').replace(/^[^\p{L}]+|[_ ]+$/gu, '');
  let base = cleaned ? cleaned[0].toUpperCase() + cleaned.slice(1) : 'Item';
  while (new TextEncoder().encode(base).length > longestName - 3) base = base.slice(0, -1);
  let name = base;
  for (let number = 2; isTaken(name); number++) name = `${base}${number}`;
  return name;
}

/** The parameters of a request for options of reading. */
export function readingParameters(reading) {
  const entries = Object.entries(reading).flatMap(([name, value]) => [value].flat().map(one => [name, `${one}`]));
  return new URLSearchParams(entries.filter(([, value]) => value !== ''));
}

const mediaTypes = {csv: 'text/csv', geojson: 'application/geo+json'};

/** The request for a proposal. `reading` has the options of the import that the reader stated. */
export function proposalRequest(form, name, reading = {}) {
  const parameters = readingParameters({class: name, ...reading});
  return {method: 'POST', path: `/v1/schema/propose?${parameters}`,
    headers: {'Content-Type': mediaTypes[form] ?? 'application/json'}};
}

/** Asks the service for a class for a sample. */
const ask = ({path, headers}, body, signal) => upload(path, new Blob([body]), {headers, signal});

/** A proposal for the beginning of a file. */
export const propose = (sample, name, reading, signal) =>
  ask(proposalRequest(sample.form, name, reading), proposalSample(sample), signal);

/**
 * The classes of a proposal, embedded ones first, each with the `reasons` for its properties and their `sources`: the names that
 * they have in the file.
 */
export function classesOf({class: main, embedded, reasons}) {
  return [...embedded, main].map(({name, kind, primaryKey, properties}) => {
    const own = reasons.filter(reason => reason.class === name && reason.property !== undefined);
    const text = ({name: source, reason}) => source === undefined ? reason : `Named ‘${source}’ in the file. ${reason}`;
    return {name, kind, primaryKey, properties, reasons: Object.fromEntries(own.map(one => [one.property, text(one)])),
      sources: Object.fromEntries(own.map(({property, name: source}) => [property, source ?? property]))};
  });
}

/** The names of a file that a proposal knows, without the names that it leaves out. */
export const columnsOf = ({class: {name}, reasons}) => reasons
  .filter(reason => reason.class === name && reason.property !== undefined).map(reason => reason.name ?? reason.property);

/** The property that a link of a Realm becomes, and its reason. */
const linkOf = ({class: name, isList}) => ({
  property: isList ? {type: 'list', element: {type: 'object', class: name}} : {type: 'object', class: name, optional: true},
  reason: isList ? `Its lists have objects of ${name}.` : `Its values are objects of ${name}.`});

/** The classes for one class of a Realm. The service sees the values; the export itself shows the links. */
async function proposeListed(name, text, links, signal) {
  const empty = {class: {name, kind: 'object', properties: {}}, embedded: [], reasons: []};
  const proposal = text ? await ask(proposalRequest('realm', name), proposalSample({text}), signal) : empty;
  const classes = classesOf(proposal);
  const main = classes.at(-1);
  for (const [member, link] of links) {
    const {property, reason} = linkOf(link);
    main.properties[member] = property;
    main.reasons[member] = reason;
    main.sources[member] = member;
  }
  return classes;
}

/**
 * The classes of a Realm export that the store lacks. A class without a key is embedded if copies of its objects stand in others,
 * because nothing tells of which object each is a copy.
 */
export async function proposeRealm(realm, schema, signal) {
  const proposals = new Map();
  const copied = new Set();
  for (const [name] of realm.lists) {
    if (schema.class(name)) continue;
    const {text, links} = realm.sample(name);
    for (const link of links.values()) if (link.isCopied) copied.add(link.class);
    for (const found of await proposeListed(name, text, links, signal)) proposals.set(found.name, found);
  }
  for (const found of proposals.values()) if (copied.has(found.name) && !found.primaryKey) found.kind = 'embedded';
  return [...proposals.values()];
}

/** The stored class that a file is for: one of the file's name, or one that has a property for each column. */
export function fittingClass({file, columns}, schema) {
  const name = classNameOf(file.name).toLowerCase();
  return schema.objects.find(found => found.name.toLowerCase() === name)
    ?? schema.objects.find(found => columns.length > 1 && columns.every(column => found.property(column)));
}
