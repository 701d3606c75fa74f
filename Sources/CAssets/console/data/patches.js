/**
 * The patch that changes an object. Values that hold others are patched at the places that differ: all else in them stays as it
 * is stored, also a double such as `1.0`, which a browser reads as `1`.
 */
import {areEqual, kindName} from './values.js';

const step = name => `/${`${name}`.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A merge patch where all changed values are single ones, otherwise a JSON patch. */
export function patchOf(stored, before, changes) {
  const isSingle = name => {
    const property = stored.property(name);
    return !property || !['list', 'set', 'map', 'mixed'].includes(property.type) && !stored.target(property)?.isEmbedded;
  };
  if (Object.keys(changes).every(isSingle)) return changes;
  return Object.entries(changes).flatMap(
    ([name, value]) => operations(stored.schema, stored.property(name) ?? {}, before[name], value, step(name)));
}

const isMap = value => value !== null && typeof value === 'object' && !Array.isArray(value) && !kindName(value);

/** The operations that make `after` of `before`, a value of a property or of an element. */
function operations(schema, property, before, after, path) {
  if (areEqual(before, after)) return [];
  const whole = [{op: 'replace', path, value: after}];
  const embedded = schema.class(property.class);
  if (Array.isArray(before) && Array.isArray(after)) {
    return property.type === 'set' ? whole : listOperations(schema, elementOf(property), before, after, path);
  }
  if (!isMap(before) || !isMap(after)) return whole;
  if (property.type === 'map' || property.type === 'mixed') {
    return mapOperations(before, after, path, () => elementOf(property), schema);
  }
  return embedded?.isEmbedded ? mapOperations(before, after, path, name => embedded.property(name) ?? {}, schema) : whole;
}

/** The type of the elements; those of a mixed value are mixed. */
const elementOf = property => property.element ?? {type: 'mixed'};

function mapOperations(before, after, path, propertyOf, schema) {
  const removed = Object.keys(before).filter(name => !Object.hasOwn(after, name));
  return [
    ...removed.map(name => ({op: 'remove', path: path + step(name)})),
    ...Object.entries(after).flatMap(([name, value]) => Object.hasOwn(before, name)
      ? operations(schema, propertyOf(name), before[name], value, path + step(name))
      : [{op: 'add', path: path + step(name), value}])];
}

/** Changes the elements between those that are equal at the start and at the end. */
function listOperations(schema, element, before, after, path) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && areEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && areEqual(before.at(-1 - end), after.at(-1 - end))) end++;
  const [oldEnd, newEnd] = [before.length - end, after.length - end];
  const common = Math.min(oldEnd, newEnd);
  const result = [];
  for (let index = start; index < common; index++) {
    result.push(...operations(schema, element, before[index], after[index], path + step(index)));
  }
  for (let index = oldEnd - 1; index >= common; index--) result.push({op: 'remove', path: path + step(index)});
  for (let index = common; index < newEnd; index++) result.push({op: 'add', path: path + step(index), value: after[index]});
  return result;
}

/** The headers of a request that changes an object, for its line of `curl`. */
export const patchHeaders = (patch, etag) => ({
  'Content-Type': `application/${Array.isArray(patch) ? 'json-patch' : 'merge-patch'}+json`,
  ...(etag && {'If-Match': `"${etag}"`})});
