/** The changes of the schema: dialogs that make requests. */
import {field, h} from '../frame/elements.js';
import {askChange} from './change.js';
import {check, choice} from './fields.js';
import {propertyForm} from './property.js';
import {propertyRows} from './rows.js';

const pathOf = name => `/v1/schema/classes/${encodeURIComponent(name)}`;

/** A merge patch that makes `after` of `before`; undefined if they are equal. */
function patchOf(before = {}, after) {
  const patch = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = null;
  for (const [name, value] of Object.entries(after)) {
    const isPart = name === 'element' && before[name];
    const change = isPart ? patchOf(before[name], value) : value;
    if (change !== undefined && JSON.stringify(before[name]) !== JSON.stringify(value)) patch[name] = change;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Changes a property, or adds one without `property`. The class has `count` objects. */
export function editProperty(schema, found, property, count) {
  const form = propertyForm(schema, found.definition, property, count);
  const before = property && found.definition.properties[property.name];
  return askChange(property ? `Change ${found.name}.${property.name}` : `Add a property to ${found.name}`, {
    schema, content: form.element, makeRequest() {
      const {name, property: after} = form.read();
      if (!property && found.property(name)) throw new Error(`${found.name} has a property '${name}' already.`);
      const patch = patchOf(before, after);
      const isRenamed = property && name !== property.name;
      return {method: 'PATCH', path: pathOf(found.name), body: {
        ...isRenamed && {renames: {[`${found.name}.${property.name}`]: `${found.name}.${name}`}},
        ...patch && {properties: {[name]: patch}}}};
    }});
}

export const removeProperty = (schema, found, property) => askChange(`Remove ${found.name}.${property.name}`, {
  schema, makeRequest: () => ({method: 'PATCH', path: pathOf(found.name), body: {properties: {[property.name]: null}}})});

export const removeClass = (schema, found) => askChange(`Remove the class ${found.name}`, {
  schema, makeRequest: () => ({method: 'DELETE', path: pathOf(found.name)})});

const kinds = [['object', 'object: independent, can be linked to'], ['embedded', 'embedded: part of one other object'],
  ['asymmetric', 'asymmetric: created and handed out, never read']];

/** The field of the groups of properties that are unique together, one group a line. */
const groupsField = found => h('textarea', {
  rows: 2, className: 'code', value: (found.definition.unique ?? []).map(group => group.join(', ')).join('\n')});

const groupsOf = text => text.split('\n').map(line => line.split(',').map(name => name.trim()).filter(Boolean))
  .filter(group => group.length > 0);

/** Changes a class's name, kind, key and unique groups. */
export function editClass(schema, found) {
  const name = h('input', {value: found.name, required: true, maxLength: 57});
  const kind = choice(found.isEmbedded ? kinds.slice(1, 2) : [kinds[0], kinds[2]], found.kind);
  const keys = found.stored.filter(property => /^(int\d*|string|objectId|uuid)$/.test(property.type));
  const keyNames = [['', 'no key: the store numbers the objects'], ...keys.map(property => property.name)];
  const key = choice(keyNames, found.primaryKey ?? '');
  const groups = groupsField(found);
  return askChange(`Change the class ${found.name}`, {
    schema, content: h('div', {},
      field('Name', name), field('Kind', kind), !found.isEmbedded && field('Primary key', key),
      !found.isEmbedded && field('Unique together, one group a line', groups, 'Such as: city, terminal')),
    makeRequest() {
      const unique = groupsOf(groups.value);
      const isSame = JSON.stringify(unique) === JSON.stringify(found.definition.unique ?? []);
      return {method: 'PATCH', path: pathOf(found.name), body: {
        ...name.value !== found.name && {renames: {[found.name]: name.value.trim()}},
        ...kind.value !== found.kind && {kind: kind.value},
        ...key.value !== (found.primaryKey ?? '') && {primaryKey: key.value || null},
        ...!isSame && {unique: unique.length > 0 ? unique : null}}};
    }});
}

/** Adds a class. */
export function addClass(schema) {
  const name = h('input', {required: true, maxLength: 57});
  const kind = choice(kinds, 'object');
  const rows = propertyRows({schema, primaryKey: 'id', properties: {id: {type: 'int'}, name: {type: 'string'}}});
  const hasNumbers = h('input', {type: 'checkbox', checked: true});
  return askChange('Add a class', {
    schema, content: h('div', {},
      h('div', {className: 'columns'}, field('Name', name), field('Kind', kind)), rows.element,
      check('The store gives new objects the next number as their key ($next)', hasNumbers)),
    makeRequest() {
      if (schema.class(name.value.trim())) throw new Error(`There is a class '${name.value.trim()}' already.`);
      const {primaryKey, properties} = rows.read();
      const isEmbedded = kind.value === 'embedded';
      const isNumbered = primaryKey && !isEmbedded && hasNumbers.checked && /^int\d*$/.test(properties[primaryKey].type);
      if (isNumbered) properties[primaryKey].default = '$next';
      return {method: 'PUT', path: pathOf(name.value.trim()), body: {
        kind: kind.value, ...primaryKey && !isEmbedded && {primaryKey}, properties}};
    }});
}
