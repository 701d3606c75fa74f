/** Values as short texts, and as they are compared. */

const longest = 120;

const shortened = text => text.length > longest ? `${text.slice(0, longest)}…` : text;

/** The kinds of a mixed value that JSON states under a name. */
const kinds = {
  $int: 'int', $double: 'double', $float: 'float', $decimal: 'decimal128', $data: 'data', $date: 'date', $objectId: 'objectId',
  $uuid: 'uuid', $link: 'link'};

/** The name under which JSON states the kind of a mixed value, such as `$date`; undefined for plain JSON. */
export function kindName(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const [name, ...more] = Object.keys(value);
  return more.length === 0 && Object.hasOwn(kinds, name) ? name : undefined;
}

/** The kind of a mixed value. A whole number is an int: JSON in a browser does not tell `1.0` from `1`. */
export function mixedKind(value) {
  const name = kindName(value);
  if (name) return kinds[name];
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'double';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** A value as one short line. */
export function shortText(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return shortened(value);
  if (typeof value !== 'object') return `${value}`;
  const name = kindName(value);
  if (name === '$link') return `${value.$link.class} ${value.$link.id}`;
  if (name) return shortText(value[name]);
  return Array.isArray(value) ? listText(value) : mapText(value);
}

/** As many elements as fit into a line, and the number of all. */
function listText(list) {
  if (list.length === 0) return '';
  let text = '';
  for (const [index, element] of list.entries()) {
    const part = element === null ? 'null' : typeof element === 'object' ? `(${shortText(element)})` : shortText(element);
    text += `${index > 0 ? ', ' : ''}${part}`;
    if (text.length > longest) return `${shortened(text)} (${list.length.toLocaleString()})`;
  }
  return text;
}

function mapText(map) {
  let text = '';
  for (const name of Object.keys(map)) {
    if (name.startsWith('$')) continue;
    text += `${text && ', '}${name}: ${map[name] === null ? 'null' : shortText(map[name])}`;
    if (text.length > longest) break;
  }
  return shortened(text);
}

/** Whether two values of JSON are equal. */
export function areEqual(left, right) {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every(
    name => Object.hasOwn(right, name) && areEqual(left[name], right[name]));
}

/** The properties of `edited` that differ from `before`. */
export const differences = (before, edited) => Object.fromEntries(
  Object.entries(edited).filter(([name, value]) => !areEqual(value, before[name])));

/** Reads JSON. Throws for integers that a browser would round, which are written as strings instead. */
export function parseJSON(text) {
  const value = JSON.parse(text);
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi)) {
    if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
      throw new Error(`Write ${token} in quotes, or in a mixed value as {"$int": "${token}"}: a browser rounds it otherwise.`);
    }
  }
  return value;
}
