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

  /** A blob with the lines that import the objects into a store with this schema, and the objects that get no line. */
  lines(schema) {
    const {warnings, ...document} = schema.document;
    const parts = [`${JSON.stringify({holdfast: 1, schema: document, projections: []})}\n`];
    const faults = [];
    for (const [name, objects] of this.lists) {
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
    for (const [name, value] of Object.entries(object)) {
      const property = found.property(name);
      if (name === '$refId' || property?.type === 'linkingObjects') continue;
      const target = property && found.target(property);
      const one = item => target && isObject(item) ? this.#linked(item, target, name, schema) : simple(item);
      if (Array.isArray(value)) members[name] = value.map(one);
      else if (property?.type !== 'map' || !isObject(value)) members[name] = one(value);
      else members[name] = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]));
    }
    return members;
  }

  #linked(object, target, name, schema) {
    if (target.isEmbedded) return this.#members(object, target, schema);
    if (target.primaryKey) {
      if (target.primaryKey in object) return simple(object[target.primaryKey]);
      throw new Error(`an object of class '${target.name}' lacks its key '${target.primaryKey}'`);
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
