/** The store's classes as the caller sees them. */
import {db} from './session.js';

/** The name of a type as a schema states it, such as `int?`, `Person<>` or `string[]`. */
export function typeText(property) {
  const {type, optional, element, value} = property;
  const one = part => (part.type === 'object' || part.type === 'embedded' ? part.class : part.type) + (part.optional ? '?' : '');
  switch (type) {
    case 'list': return `${one(element)}[]`;
    case 'set': return `${one(element)}<>`;
    case 'map': return `${one(element ?? value)}{}`;
    case 'linkingObjects': return `${property.class}.${property.property} ↩`;
    default: return one({type, class: property.class, optional: optional && type !== 'object'}) + (type === 'object' ? '?' : '');
  }
}

/** A class, its properties in the order of the schema. */
class StoredClass {
  constructor(schema, definition) {
    this.schema = schema;
    this.definition = definition;
    this.name = definition.name;
    this.kind = definition.kind;
    this.primaryKey = definition.primaryKey;
    this.properties = Object.entries(definition.properties ?? {}).map(([name, property]) => ({name, ...property}));
  }

  property(name) { return this.properties.find(property => property.name === name); }
  get isEmbedded() { return this.kind === 'embedded'; }
  /** The name of the key in an object of a reply. */
  get keyName() { return this.primaryKey ?? '$id'; }
  keyOf(object) { return object[this.keyName]; }
  /** The properties whose values are stored; inverse links are computed. */
  get stored() { return this.properties.filter(property => property.type !== 'linkingObjects'); }
  /** The class that a property or its elements link to; undefined for other types. */
  target(property) {
    const name = property.class ?? property.element?.class ?? property.value?.class;
    return name && this.schema.class(name);
  }
  /** A text that a reader recognizes an object by. */
  title(object) {
    const named = ['name', 'title', 'label', 'login', 'email'].find(name => typeof object[name] === 'string');
    return named ? object[named] : `${this.keyOf(object)}`;
  }
}

class Schema {
  constructor(document) {
    this.document = document;
    this.revision = document.revision;
    this.classes = document.classes.map(definition => new StoredClass(this, definition));
  }

  class(name) { return this.classes.find(found => found.name === name); }
  /** The classes whose objects have a place of their own. */
  get objects() { return this.classes.filter(found => !found.isEmbedded); }
}

let known;

/** The schema; read once, and again after `forgetSchema`. */
export const loadSchema = () => known ??= db.request('GET', '/v1/schema').then(
  reply => new Schema(reply.body), error => { known = undefined; throw error; });

export const forgetSchema = () => { known = undefined; };

/** The classes with the number of their objects. */
export async function classCounts() {
  const {body} = await db.request('GET', '/v1/classes');
  return new Map(body.classes.map(({name, count}) => [name, count]));
}
