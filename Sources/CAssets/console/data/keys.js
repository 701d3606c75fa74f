/** Primary keys in addresses, paths and filters. */
import {address} from '../console.js';

/** The number or text of an integer: a number where JavaScript has it exactly. */
export const integer = text => Number.isSafeInteger(Number(text)) ? Number(text) : text;

/** The type of a class's key; the store's own numbers are ints. */
export const keyType = stored => stored.primaryKey ? stored.property(stored.primaryKey)?.type ?? 'string' : 'int';

/** The key that a text states. Throws if the key's type has no such value. */
export function keyOfText(stored, text) {
  if (!keyType(stored).startsWith('int')) return text;
  if (!/^-?\d+$/.test(text.trim())) throw new Error(`The keys of '${stored.name}' are whole numbers; '${text}' is not one.`);
  return integer(text.trim());
}

/** The address of an object's page. Only the null key needs a query. */
export const objectAddress = (stored, key) => key === null
  ? address('object', stored.name, {key: 'null'}) : address('object', stored.name, `${key}`);

/** The key that the address of an object's page states. */
export function keyOfAddress(stored, [, text], query) {
  if (query.key === 'null') return null;
  if (text === undefined) throw new Error('The address has no key: it is #/object/CLASS/KEY.');
  return keyOfText(stored, text);
}

/** The path of an object in the interface. Keys that a path cannot carry are sent as JSON. */
export function objectPath(stored, key) {
  const path = `/v1/classes/${encodeURIComponent(stored.name)}`;
  const isPlain = key !== null && (typeof key !== 'string' || !/^\.{0,2}$|[/\\]/.test(key));
  return isPlain ? `${path}/objects/${encodeURIComponent(key)}` : `${path}/object?key=${encodeURIComponent(JSON.stringify(key))}`;
}

/** The literal of a string in a filter. */
const quotedText = text => JSON.stringify(text);

/** The literal of a key in a filter. */
function keyLiteral(stored, key) {
  if (key === null) return 'null';
  switch (keyType(stored)) {
    case 'string': return quotedText(key);
    case 'uuid': return `uuid(${key})`;
    case 'objectId': return `oid(${key})`;
    default: return `${key}`;
  }
}

/** The filter that finds the objects of another class whose property links to this object. */
export function inverseFilter(origin, propertyName, target, key) {
  const isMany = ['list', 'set', 'map'].includes(origin.property(propertyName)?.type);
  return `${isMany ? 'ANY ' : ''}${pathText(propertyName)} == obj(${quotedText(target.name)}, ${keyLiteral(target, key)})`;
}

/** A property's name as filters write it. */
export const pathText = name => name.replaceAll(' ', '\\ ');

/** The property that objects of a class are recognized by; undefined if the class has no such property. */
export const titleProperty = stored => ['name', 'title', 'label', 'login', 'email'].find(
  name => stored.property(name)?.type === 'string');
