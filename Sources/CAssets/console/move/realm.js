/** Realm Studio's JSON: its objects, and the lines of a store's import that they become. */
import {extendedType, parseExactly, plain} from '../frame/json.js';

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);

/** The value of a text since version 13, in which each object, array and string stands in a list and is named by its index. */
function unflattened(list) {
  const made = new Map();
  const valueAt = index => {
    const value = list[index];
    if (value === null || typeof value !== 'object') return value;
    if (made.has(index)) return made.get(index);
    const copy = Array.isArray(value) ? [] : {};
    made.set(index, copy);
    waiting.push([value, copy]);
    return copy;
  };
  const waiting = [];
  const whole = valueAt('0');
  while (waiting.length > 0) {
    const [value, copy] = waiting.pop();
    for (const [name, member] of Object.entries(value)) copy[name] = typeof member === 'string' ? valueAt(member) : member;
  }
  return whole;
}

/** Puts the object that has a `$refId` in full in the place of each object that only names it. */
function resolveReferences(lists) {
  const full = new Map();
  const waiting = [...lists];
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    if (isObject(value) && '$refId' in value && Object.keys(value).length > 1) full.set(value.$refId, value);
    for (const member of Object.values(value)) if (member !== null && typeof member === 'object') waiting.push(member);
  }
  const settle = owner => {
    for (const [name, member] of Object.entries(owner)) {
      const isReference = isObject(member) && '$refId' in member && Object.keys(member).length === 1;
      if (isReference) owner[name] = full.get(member.$refId) ?? null;
    }
  };
  const settled = new Set();
  waiting.push(...lists);
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    if (settled.has(value)) continue;
    settled.add(value);
    settle(value);
    for (const member of Object.values(value)) if (member !== null && typeof member === 'object') waiting.push(member);
  }
}

const sampledRows = 5000;

/** An export of Realm Studio. */
export class RealmExport {
  constructor(text) {
    const document = parseExactly(text);
    const classes = Array.isArray(document) ? unflattened(document) : document;
    if (!isObject(classes) || !Object.values(classes).every(Array.isArray)) {
      throw new Error('This is not Realm Studio’s JSON: it does not list the objects of classes.');
    }
    if (!Array.isArray(document)) resolveReferences(Object.values(classes));
    /** The objects by class. */
    this.lists = Object.entries(classes);
    this.owners = new Map();
    for (const [name, objects] of this.lists) for (const object of objects) this.owners.set(object, name);
    this.numbers = new Map([...this.owners.keys()].map((object, index) => [object, index + 1]));
  }

  /** Whether a class lists this very object. */
  isListed(object) { return this.owners.has(object); }

  /** The class that lists an object, or one whose objects have the same members. */
  classOf(object) {
    if (this.owners.has(object)) return this.owners.get(object);
    const names = Object.keys(object).filter(name => name !== '$refId').sort().join();
    return this.lists.find(([, [first]]) => isObject(first)
      && Object.keys(first).filter(name => name !== '$refId').sort().join() === names)?.[0];
  }

  /** The members of rows that link to listed objects: the class, whether they are lists, and whether copies stand there. */
  #links(rows) {
    const links = new Map();
    for (const row of rows) {
      for (const [member, value] of Object.entries(row)) {
        const items = [value].flat().filter(item => isObject(item) && !extendedType(item));
        const name = items.length > 0 && this.classOf(items[0]);
        if (!name) continue;
        const isCopied = links.get(member)?.isCopied || items.some(item => !this.isListed(item));
        links.set(member, {class: name, isList: Array.isArray(value), isCopied});
      }
    }
    return links;
  }

  /** A class's first objects as JSON, empty without members, and the `links` of the class, which the text leaves out. */
  sample(name) {
    const [, objects] = this.lists.find(([listed]) => listed === name);
    const rows = objects.slice(0, sampledRows);
    const links = this.#links(rows);
    const isOut = member => member === '$refId' || links.has(member);
    const kept = new Set(rows.map(row => Object.fromEntries(Object.entries(row).filter(([member]) => !isOut(member)))));
    const isLink = value => isObject(value) && !extendedType(value) && !kept.has(value) && this.classOf(value);
    const hasMembers = [...kept].some(row => Object.keys(row).length > 0);
    return {links, text: hasMembers && JSON.stringify(
      [...kept], (member, value) => member === '$refId' || isLink(value) ? undefined : value)};
  }

  /**
   * A blob with the lines that import the objects into a store with this schema, and the objects that get no line. `names` has
   * the classes that were made of proposals, with their properties, by the names of the export.
   */
  lines(schema, names = new Map()) {
    const {warnings, ...document} = schema.document;
    const parts = [`${JSON.stringify({holdfast: 1, schema: document, projections: []})}\n`];
    const faults = [];
    this.properties = new Map([...names.values()].map(({name, properties}) => [name, properties]));
    for (const [listed, objects] of this.lists) {
      const name = names.get(listed)?.name ?? listed;
      const found = schema.class(name);
      if (found?.isEmbedded) continue;
      for (const [position, object] of objects.entries()) {
        try {
          if (!found) throw new Error(`the store has no class '${name}'`);
          const id = found.primaryKey ? undefined : this.numbers.get(object);
          parts.push(`${JSON.stringify({class: name, id, object: this.#members(object, found, schema)})}\n`);
        } catch (error) {
          faults.push({detail: `${name}[${position}]: ${error.message}`});
        }
      }
    }
    return {blob: new Blob(parts), faults};
  }

  /** An object's members as an import takes them: without inverse links, and with keys for links. */
  #members(object, found, schema) {
    const members = {};
    const made = this.properties.get(found.name);
    for (const [member, value] of Object.entries(object)) {
      const name = made?.has(member) ? made.get(member) : member;
      const property = found.property(name);
      if (member === '$refId' || name === undefined || property?.type === 'linkingObjects') continue;
      const target = property && found.target(property);
      const one = item => target && isObject(item) ? this.#linked(item, target, name, schema) : simple(item);
      if (Array.isArray(value)) members[name] = value.map(one);
      else if (property?.type !== 'map' || !isObject(value)) members[name] = one(value);
      else members[name] = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]));
    }
    return members;
  }

  /** The member of the export that becomes a property. */
  #memberOf(found, property) {
    return [...this.properties.get(found.name) ?? []].find(([, name]) => name === property)?.[0] ?? property;
  }

  #linked(object, target, name, schema) {
    if (target.isEmbedded) return this.#members(object, target, schema);
    if (target.primaryKey) {
      const key = this.#memberOf(target, target.primaryKey);
      if (key in object) return simple(object[key]);
      throw new Error(`an object of class '${target.name}' lacks its key '${key}'`);
    }
    const number = this.numbers.get(object);
    if (number === undefined) {
      throw new Error(`'${name}' has a copy of an object of class '${target.name}', which has no key to identify it`);
    }
    return number;
  }
}

/** A value without extended JSON. Objects within a circle become null. */
function simple(value, outer = new Set()) {
  if (value === null || typeof value !== 'object') return value;
  if (extendedType(value)) return plain(value);
  if (outer.has(value)) return null;
  const inner = new Set(outer).add(value);
  if (Array.isArray(value)) return value.map(item => simple(item, inner));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, simple(member, inner)]));
}
