/** Editors of values that hold others: lists, sets, maps, embedded objects and mixed values. */
import {button, h} from '../frame/elements.js';
import {editor} from './fields.js';
import {differences, mixedKind, parseJSON} from './values.js';

/** A collection with more elements is edited as one text. */
const mostElements = 100;

/** An editor of JSON as a text. */
function jsonEditor(value, label, isOfKind) {
  const original = JSON.stringify(value, null, 2);
  const input = h('textarea', {
    className: 'code', rows: 12, value: original, 'aria-label': `${label}, as JSON`, spellcheck: false});
  return {
    element: input, focus: () => input.focus(),
    read() {
      if (input.value === original) return value;
      const edited = parseJSON(input.value);
      if (!isOfKind(edited)) throw new Error(`'${label}' stays a collection of its kind.`);
      return edited;
    }};
}

const isMap = value => value !== null && typeof value === 'object' && !Array.isArray(value);

export function collectionEditor(property, value, context) {
  const size = value === undefined ? 0 : Object.keys(value).length;
  if (size > mostElements) return jsonEditor(value, context.label, property.type === 'map' ? isMap : Array.isArray);
  return property.type === 'map' ? mapEditor(property, value, context) : listEditor(property, value, context);
}

/** The element of a property; a map of objects always takes null. */
function elementOf(property, schema) {
  const element = property.element ?? {type: 'mixed'};
  return property.type === 'map' && schema.class(element.class) ? {...element, optional: true} : element;
}

/** A list of parts that can be removed; of a list of lines also moved. `makePart` returns `{element, read, focus}`. */
function parts(label, start, {makePart, isOrdered}) {
  const rows = [];
  const list = h('ol', {className: 'parts', 'aria-label': label});
  const move = (row, step) => {
    const index = rows.indexOf(row);
    const other = rows[index + step];
    if (!other) return;
    [rows[index], rows[index + step]] = [other, row];
    step < 0 ? other.item.before(row.item) : other.item.after(row.item);
  };
  const add = value => {
    const row = makePart(value, rows.length);
    row.item = h('li', {}, row.element, h('span', {className: 'part-buttons'},
      isOrdered && [
        button('↑', () => move(row, -1), {'aria-label': `${label}: up`}),
        button('↓', () => move(row, 1), {'aria-label': `${label}: down`})],
      button('✕', () => {
        rows.splice(rows.indexOf(row), 1);
        row.item.remove();
      }, {'aria-label': `${label}: remove`})));
    rows.push(row);
    list.append(row.item);
    return row;
  };
  start.forEach(add);
  const adder = button('Add', () => add(undefined).focus(), {'aria-label': `${label}: add`});
  return {rows, element: h('div', {className: 'many'}, list, adder), focus: () => (rows[0] ?? adder).focus()};
}

function listEditor(property, value, context) {
  const element = elementOf(property, context.schema);
  const made = parts(context.label, value ?? [], {
    isOrdered: property.type === 'list',
    makePart: (one, index) => editor(element, one === undefined ? initialValue(element) : one, {
      ...context, label: `${context.label} ${index + 1}`})});
  return {
    element: made.element, focus: made.focus,
    read() {
      const read = made.rows.map((row, index) => stated(row.read(), `${context.label} ${index + 1}`));
      return value === undefined && read.length === 0 ? undefined : read;
    }};
}

function mapEditor(property, value, context) {
  const element = elementOf(property, context.schema);
  const made = parts(context.label, Object.entries(value ?? {}), {makePart([key, one] = ['', initialValue(element)], index) {
    const name = h('input', {type: 'text', value: key, 'aria-label': `${context.label}: key ${index + 1}`, placeholder: 'Key'});
    const inner = editor(element, one, {...context, label: `${context.label}: ${key || 'value'}`});
    return {
      name, element: h('div', {className: 'entry'}, name, inner.element), read: inner.read, focus: () => name.focus()};
  }});
  return {
    element: made.element, focus: made.focus,
    read() {
      const names = made.rows.map(row => row.name.value);
      const twice = names.find((name, index) => names.indexOf(name) < index);
      if (twice !== undefined) throw new Error(`The key '${twice}' stands twice in '${context.label}'.`);
      if (value === undefined && names.length === 0) return undefined;
      return Object.fromEntries(made.rows.map(
        (row, index) => [names[index], stated(row.read(), `${context.label}: ${names[index]}`)]));
    }};
}

/** The value of an element, which has no default. */
function stated(value, label) {
  if (value === undefined) throw new Error(`State a value for '${label}', or remove it.`);
  return value;
}

/** The value with which a new element begins: null where that is allowed, and undefined where the reader has to state it. */
function initialValue(element) {
  if (element.type === 'mixed' || element.optional) return null;
  return {bool: false, string: '', data: ''}[element.type] ?? (/^(int|float|double)/.test(element.type) ? 0 : undefined);
}

export function embeddedEditor(property, value, context) {
  const stored = context.schema.class(property.class);
  const fields = objectFields(stored, value, context);
  return {
    element: h('fieldset', {className: 'embedded'}, h('legend', {}, property.class), fields.element), focus: fields.focus,
    read() {
      if (value === undefined) return fields.read();
      const changes = differences(value, fields.read());
      return Object.keys(changes).length === 0 ? value : {...value, ...changes};
    }};
}

/**
 * The fields of an object, each in the editor of its type. `read` leaves out the members that have no value. Without an object
 * the fields are those of a new one.
 */
export function objectFields(stored, object, {schema, signal, label: owner, isLocked = () => false, note = () => null, omitted}) {
  const rows = stored.stored.filter(({name}) => !isLocked(name)).map(property => {
    const {name} = property;
    const label = owner ? `${owner}: ${name}` : name;
    const hidden = object && (object.$omitted?.includes(name)
      ? omitted?.(property) ?? h('small', {}, 'Too large to be shown here. It stays as it is.')
      : Object.hasOwn(object, name) ? null : h('small', {}, 'Not shown to you.'));
    const made = hidden ? null : editor(property, object?.[name], {schema, signal, label});
    return {name, made, element: h('div', {className: 'property', 'data-property': name},
      h('span', {className: 'name'}, name, ' ', note(property)),
      made ? made.element : hidden)};
  });
  return {
    rows, element: h('div', {className: 'properties'}, rows.map(row => row.element)),
    focus: () => rows.find(row => row.made)?.made.focus(),
    read: () => Object.fromEntries(rows.filter(row => row.made).map(({name, made}) => [name, made.read()])
      .filter(([, value]) => value !== undefined))};
}

/** The name under which JSON states a kind of mixed value. */
const names = {
  double: '$double', float: '$float', decimal128: '$decimal', data: '$data', date: '$date', objectId: '$objectId', uuid: '$uuid'};
const mixedKinds = [
  'null', 'bool', 'int', 'double', 'float', 'decimal128', 'string', 'data', 'date', 'objectId', 'uuid', 'link', 'list', 'map'];

export function mixedEditor(property, value, context) {
  const place = h('div');
  const start = mixedKind(value);
  const kind = h('select', {'aria-label': `${context.label}: kind`, onchange: () => change(undefined)},
    mixedKinds.map(name => h('option', {}, name)));
  kind.value = start;
  let inner;
  const change = one => {
    inner = innerEditor(kind.value, one, context);
    place.replaceChildren(inner.element);
  };
  change(value);
  return {
    element: h('div', {className: 'mixed'}, kind, place), focus: () => kind.focus(),
    read() {
      if (value === undefined && kind.value === 'null') return undefined;
      return inner.read();
    }};
}

/** The editor of a mixed value of a kind. An undefined value begins a new one. */
function innerEditor(kind, value, context) {
  const bare = value === undefined ? undefined : bareValue(value);
  const wrapped = (type, wrap) => {
    const made = editor({type, optional: false}, bare ?? beginning(type), context);
    return {...made, read: () => {
      const edited = made.read();
      return value !== undefined && edited === bare ? value : wrap(edited);
    }};
  };
  switch (kind) {
    case 'null': return {element: h('small', {}, 'null'), read: () => null, focus() {}};
    case 'list': return collectionEditor({type: kind, element: {type: 'mixed'}}, value ?? [], context);
    case 'map': return collectionEditor({type: kind, element: {type: 'mixed'}}, value ?? {}, context);
    case 'link': return mixedLinkEditor(value, context);
    case 'bool': case 'string': return wrapped(kind, edited => edited);
    case 'int': return wrapped(kind, edited => typeof edited === 'string' ? {$int: edited} : edited);
    // A fraction is a double by itself.
    case 'double': return wrapped(kind, edited => edited % 1 ? edited : {$double: edited});
    default: return wrapped(kind, edited => ({[names[kind]]: edited}));
  }
}

const beginning = type => ({
  bool: false, string: '', int: 0, double: 0, float: 0, decimal128: '0', data: '', date: new Date().toISOString()})[type] ?? '';

/** A value without the name of its kind. */
const bareValue = value => isMap(value) && Object.keys(value).length === 1 && Object.keys(value)[0].startsWith('$')
  ? Object.values(value)[0] : value;

/** The editor of a link to an object of any class. */
function mixedLinkEditor(value, context) {
  const {schema, label} = context;
  const classes = schema.objects.filter(({kind}) => kind !== 'asymmetric').map(({name}) => name);
  const place = h('span');
  const choice = h('select', {'aria-label': `${label}: class`, onchange: () => change(undefined)},
    classes.map(name => h('option', {}, name)));
  if (value) choice.value = value.$link.class;
  let inner;
  const change = key => {
    inner = editor({type: 'object', class: choice.value, optional: false}, key, context);
    place.replaceChildren(inner.element);
  };
  change(value?.$link.id);
  return {
    element: h('span', {className: 'with-buttons'}, choice, place), focus: () => choice.focus(),
    read() {
      const id = inner.read();
      if (id === undefined) throw new Error(`Choose an object for '${label}'.`);
      return value && value.$link.id === id && value.$link.class === choice.value ? value : {$link: {class: choice.value, id}};
    }};
}
