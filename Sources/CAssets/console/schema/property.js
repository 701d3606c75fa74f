/** The form of one property. */
import {field, grouped, h} from '../frame/elements.js';
import {check, choice, scalars, textOf, valueOf} from './fields.js';

/** The types that have no enums. */
const caseless = new Set(['data', 'mixed']);
const shapes = [
  ['single', 'one value'], ['list', 'a list'], ['set', 'a set'], ['map', 'a map'], ['linkingObjects', 'inverse links']];
const indexes = [
  ['', 'no index'], ['true', 'of the values'], ['fulltext', 'of the words (TEXT)'], ['geo', 'of points (geoWithin)']];
const deleteRules = [['nullify', 'the link becomes null, or leaves the collection'], ['cascade', 'this object is deleted too'],
  ['deny', 'the target can’t be deleted']];

/** The links of the schema that lead to a class, as `Class.property`. */
const linksTo = (schema, name) => schema.classes.flatMap(owner => owner.stored
  .filter(property => (property.class ?? property.element?.class) === name).map(property => `${owner.name}.${property.name}`));

/** The types of a property: scalars, and classes as `object:Name`. */
function typeChoice(schema, part) {
  const select = choice(scalars, undefined, {});
  const linkable = schema.classes.filter(found => found.kind !== 'asymmetric');
  const group = (label, classes) => classes.length > 0 && h('optgroup', {label}, classes.map(
    found => h('option', {value: `object:${found.name}`}, found.name)));
  select.append(...[group('Link to', linkable.filter(found => !found.isEmbedded)),
    group('Embedded', linkable.filter(found => found.isEmbedded))].filter(Boolean));
  select.value = part ? part.type === 'object' ? `object:${part.class}` : part.type : 'string';
  return select;
}

/** The value that a property or its elements have. */
const partOf = property => property?.element ?? (property?.type === 'linkingObjects' ? undefined : property);

/** The fields of a property's form, filled with its present members. */
function fieldsOf(schema, definition, property) {
  const part = partOf(property);
  const isInverse = property?.type === 'linkingObjects';
  const cases = (property?.enum ?? []).map(value => textOf(value, part?.type));
  return {
    name: h('input', {value: property?.name ?? '', required: true, maxLength: 63}),
    shape: choice(shapes, property?.element || isInverse ? property.type : 'single'),
    type: typeChoice(schema, part),
    origin: choice(linksTo(schema, definition.name), isInverse ? `${property.class}.${property.property}` : undefined),
    optional: h('input', {type: 'checkbox', checked: part?.optional ?? false}),
    required: h('input', {type: 'checkbox', checked: property?.required ?? false}),
    unique: h('input', {type: 'checkbox', checked: property?.unique ?? false}),
    indexed: choice(indexes, property?.indexed ? `${property.indexed}` : ''),
    default: h('input', {value: property?.default === undefined || property.default === null
      ? '' : textOf(property.default, part?.type)}),
    cases: h('textarea', {rows: 2, className: 'code', value: cases.join('\n')}),
    onDelete: choice(deleteRules, property?.onDelete ?? 'nullify'),
    mapTo: h('input', {value: property?.mapTo ?? ''}),
  };
}

/** The property in the long form, as the fields state it. */
function stated(fields) {
  const shape = fields.shape.value;
  const mapTo = fields.mapTo.value.trim() || undefined;
  if (shape === 'linkingObjects') {
    const [, name, property] = /^(.*)\.([^.]*)$/.exec(fields.origin.value) ?? [];
    if (!name) throw new Error('No property links to this class. Add the link first.');
    return {type: shape, class: name, property, mapTo};
  }
  const [type, name] = fields.type.value.split(/:(.*)/s);
  const isShown = input => !input.closest('label').hidden;
  const part = {type, class: name, optional: fields.optional.checked || undefined};
  const cases = isShown(fields.cases) ? fields.cases.value.split('\n').map(text => text.trim()).filter(Boolean) : [];
  const indexed = isShown(fields.indexed) ? fields.indexed.value : '';
  return {
    ...shape === 'single' ? part : {type: shape, element: part},
    indexed: indexed === 'true' || indexed || undefined,
    unique: isShown(fields.unique) && fields.unique.checked || undefined,
    required: fields.required.checked || undefined,
    default: isShown(fields.default) && fields.default.value !== '' ? valueOf(fields.default.value, type) : undefined,
    enum: cases.length > 0 ? cases.map(text => valueOf(text, type)) : undefined,
    onDelete: isShown(fields.onDelete) && fields.onDelete.value !== 'nullify' ? fields.onDelete.value : undefined,
    mapTo,
  };
}

const known = members => Object.fromEntries(Object.entries(members)
  .filter(([, value]) => value !== undefined)
  .map(([name, value]) => [name, name === 'element' ? known(value) : value]));

/**
 * The form of a property of a class with `count` objects: its element, and `read()`, which returns `{name, property}`.
 */
export function propertyForm(schema, definition, property, count) {
  const fields = fieldsOf(schema, definition, property);
  const optional = check('Null is allowed', fields.optional);
  const entries = count ? `One entry for each of ${grouped(count)} objects` : 'One entry per object';
  const rows = {
    type: field('Type', fields.type), origin: field('Links that are collected', fields.origin),
    indexed: field('Index', fields.indexed, `${entries}: filters and sorts get faster, writes slower.`),
    unique: check('Unique: no two objects share the value', fields.unique),
    required: check('New objects have to state it', fields.required),
    default: field('Default', fields.default, 'A value, or $now, $uuid, $objectId, $next (key). Empty: the type’s own.'),
    cases: field('Allowed values, one a line', fields.cases, 'Empty: every value of the type.'),
    onDelete: field('When the target is deleted', fields.onDelete),
  };
  const arrange = () => {
    const [shape, type] = [fields.shape.value, fields.type.value.split(':')[0]];
    const [isSingle, isInverse, isObject] = [shape === 'single', shape === 'linkingObjects', type === 'object'];
    const target = isObject && schema.class(fields.type.value.slice('object:'.length));
    rows.type.hidden = rows.required.hidden = optional.hidden = isInverse;
    rows.origin.hidden = !isInverse;
    rows.indexed.hidden = !isSingle || type === 'data' || isObject && !target?.isEmbedded;
    rows.unique.hidden = !isSingle || isObject || type === 'data';
    rows.default.hidden = !isSingle || isObject;
    rows.cases.hidden = isInverse || isObject || caseless.has(type);
    rows.onDelete.hidden = isInverse || !isObject || target?.isEmbedded;
  };
  fields.shape.addEventListener('change', arrange);
  fields.type.addEventListener('change', arrange);
  const element = h('div', {className: 'columns'},
    field('Name', fields.name), field('Holds', fields.shape), rows.type, rows.origin, optional, rows.required, rows.indexed,
    rows.unique, rows.default, rows.cases, rows.onDelete, field('Second name for queries', fields.mapTo));
  arrange();
  return {element, read: () => ({name: fields.name.value.trim(), property: known(stated(fields))})};
}
