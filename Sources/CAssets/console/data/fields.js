/**
 * Editors by type. Each is `{element, read(), focus()}`: `read` returns the value in the JSON form of its type, throws an error
 * with a sentence if the text is not one, and returns undefined while the value of a new object is left out.
 */
import {button, h} from '../frame/elements.js';
import {collectionEditor, embeddedEditor, mixedEditor} from './field-collections.js';
import {linkEditor} from './field-link.js';
import {integer} from './keys.js';
import {localTime, utcTime} from '../frame/times.js';

/**
 * The editor of a property or of an element. `context` has the `schema`, a `label` for the fields, and the `signal` of the view.
 * An undefined value stands for the default that the service gives.
 */
export function editor(property, value, context) {
  const make = property.enum ? enumEditor : editorOfType(property, context.schema);
  if (!isNullable(property)) return make(property, value, context);
  return nullableEditor(property, value, context, make);
}

const isNullable = property => property.optional && property.type !== 'mixed';

function editorOfType(property, schema) {
  switch (property.type) {
    case 'list': case 'set': case 'map': return collectionEditor;
    case 'object': case 'embedded': return schema.class(property.class)?.isEmbedded ? embeddedEditor : linkEditor;
    case 'mixed': return mixedEditor;
    case 'bool': return boolEditor;
    case 'string': return stringEditor;
    case 'date': return dateEditor;
    case 'data': return dataEditor;
    case 'uuid': case 'objectId': return identifierEditor;
    case 'float': case 'double': return floatEditor;
    case 'decimal128': return decimalEditor;
    default: return integerEditor;
  }
}

/** Whether a property has an editor of one line, which fits over a cell. */
export function isShort(property, schema) {
  if (['list', 'set', 'map', 'mixed', 'data', 'linkingObjects'].includes(property.type)) return false;
  return !schema.class(property.class)?.isEmbedded;
}

/** An editor with a switch for null beside it. The inner editor is made when it is first shown: embedded classes may nest. */
function nullableEditor(property, value, context, make) {
  const isDefault = value === undefined && property.default === undefined;
  const place = h('div');
  let inner;
  const toggle = h('input', {
    type: 'checkbox', checked: value === null || isDefault, 'aria-label': `${context.label}: null`, onchange() {
      show();
      if (!toggle.checked) inner.focus();
    }});
  function show() {
    place.hidden = toggle.checked;
    if (toggle.checked || inner) return;
    inner = make(property, value === null ? undefined : value, {...context, isUnset: value === null || isDefault});
    place.append(inner.element);
  }
  show();
  return {
    element: h('div', {className: 'nullable'}, place, h('label', {className: 'null'}, toggle, ' null')),
    read() {
      if (toggle.checked) return isDefault ? undefined : null;
      return inner.read() ?? (value === undefined && !isDefault ? undefined : emptyValue(property));
    },
    focus: () => toggle.checked ? toggle.focus() : inner.focus()};
}

/** The value of an optional property that is no longer null, and has nothing stated. */
function emptyValue(property) {
  if (property.type === 'string' || property.type === 'data') return '';
  throw new Error(`State a value for '${property.name ?? 'the element'}', or choose null.`);
}

/** An editor of one line of text. `parse` makes the value of it, or throws. */
function textEditor({value, label, parse, placeholder, more = [], ...members}) {
  const original = value === undefined ? '' : `${value}`;
  const input = h('input', {
    type: 'text', value: original, 'aria-label': label, placeholder: placeholder ?? '', autocomplete: 'off', spellcheck: false,
    ...members});
  return {
    input,
    element: more.length > 0 ? h('span', {className: 'with-buttons'}, input, more) : input,
    read() {
      if (value === undefined && input.value.trim() === '') return undefined;
      return input.value === original ? value : parse(input.value.trim());
    },
    focus() {
      input.focus();
      input.select();
    }};
}

const byDefault = property => property.default === undefined ? '' : `${JSON.stringify(property.default)} by default`;

const bits = {int8: 8n, int16: 16n, int32: 32n};

function integerEditor(property, value, {label}) {
  const limit = 1n << (bits[property.type] ?? 64n) - 1n;
  return textEditor({value, label, inputMode: 'numeric', placeholder: byDefault(property), parse(text) {
    if (!/^[+-]?\d+$/.test(text)) throw new Error(`'${label}' is a whole number; '${text}' is not one.`);
    const number = BigInt(text.replace('+', ''));
    if (number < -limit || number >= limit) {
      throw new Error(`'${label}' is of type ${property.type}, from ${-limit} to ${limit - 1n}.`);
    }
    return integer(`${number}`);
  }});
}

/** The value of a binary fraction; NaN and the infinities are strings. */
function floatOfText(text, label) {
  if (['NaN', 'Infinity', '-Infinity'].includes(text)) return text;
  if (text === '' || !Number.isFinite(Number(text))) {
    throw new Error(`'${label}' is a number, NaN, Infinity or -Infinity; '${text}' is not one.`);
  }
  return Number(text);
}

const floatEditor = (property, value, {label}) => textEditor({
  value, label, inputMode: 'decimal', placeholder: byDefault(property), parse: text => floatOfText(text, label)});

const decimalEditor = (property, value, {label}) => textEditor({
  value, label, inputMode: 'decimal', placeholder: byDefault(property), parse(text) {
    if (!/^([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|NaN|-?Infinity)$/i.test(text)) {
      throw new Error(`'${label}' is a decimal number; '${text}' is not one.`);
    }
    return text;
  }});

function stringEditor(property, value, {label, isUnset}) {
  const input = h('textarea', {
    value: value ?? '', rows: 1, 'aria-label': label, placeholder: value === undefined && !isUnset ? byDefault(property) : ''});
  return {
    element: input,
    // A text area writes all ends of lines as \n; a value that was not changed stays as it was.
    read() {
      if (value === undefined && input.value === '') return undefined;
      return input.value === (value ?? '').replaceAll(/\r\n?/g, '\n') ? value : input.value;
    },
    focus() {
      input.focus();
      input.select();
    }};
}

function boolEditor(property, value, {label, isUnset}) {
  const start = value ?? property.default ?? false;
  const input = h('input', {type: 'checkbox', checked: start, 'aria-label': label});
  return {
    element: input, focus: () => input.focus(),
    read: () => value === undefined && !isUnset && input.checked === start ? undefined : input.checked};
}

function enumEditor(property, value, {label, isUnset}) {
  const texts = property.enum.map(one => h('option', {value: JSON.stringify(one)}, `${one}`));
  const nothing = value === undefined && !isUnset
    && h('option', {value: ''}, byDefault(property) || 'The first value by default');
  const input = h('select', {'aria-label': label}, nothing, texts);
  if (value !== undefined) input.value = JSON.stringify(value);
  return {
    element: input, focus: () => input.focus(),
    read: () => input.value === '' ? undefined : JSON.parse(input.value)};
}

function dateEditor(property, value, {label}) {
  const picker = h('input', {
    type: 'datetime-local', step: 1, className: 'picker', title: 'Choose a local time', 'aria-label': `${label}: local time`,
    value: Number.isNaN(Date.parse(value)) ? '' : localTime(new Date(value)), onchange() {
      if (picker.value) made.input.value = utcTime(picker.value);
    }});
  const made = textEditor({
    value, label, placeholder: property.default ? byDefault(property) : '2026-11-20T06:38:58Z', parse(text) {
      const isDate = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(text);
      if (!isDate) throw new Error(`'${label}' is a time such as 2026-11-20T06:38:58Z, with a zone; '${text}' is not one.`);
      return text.replace(' ', 'T');
    },
    more: [picker, button('Now', () => { made.input.value = new Date().toISOString(); }, {'aria-label': `${label}: now`})]});
  return made;
}

const hex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** A random uuid of version 4. `crypto.randomUUID` is missing where the page has no secure context. */
function randomUUID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = bytes[6] & 0x0f | 0x40;
  bytes[8] = bytes[8] & 0x3f | 0x80;
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** An objectId of the present second. */
const randomObjectId = () => Math.floor(Date.now() / 1000).toString(16).padStart(8, '0')
  + hex(crypto.getRandomValues(new Uint8Array(8)));

function identifierEditor(property, value, {label}) {
  const isUUID = property.type === 'uuid';
  const form = isUUID ? /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i : /^[0-9a-f]{24}$/i;
  const made = textEditor({
    value, label, placeholder: value === undefined ? 'A random one by default' : '', parse(text) {
      if (!form.test(text)) throw new Error(`'${label}' is of type ${property.type}; '${text}' is not one.`);
      return text.toLowerCase();
    },
    more: [button('New', () => {
      made.input.value = isUUID ? randomUUID() : randomObjectId();
    }, {'aria-label': `${label}: new`})]});
  return made;
}

/** The bytes of a text in base64. */
const bytesOf = text => Uint8Array.from(atob(text), character => character.charCodeAt(0));

async function base64Of(file) {
  const reader = new FileReader();
  await new Promise((resolve, reject) => Object.assign(reader, {onload: resolve, onerror: reject}).readAsDataURL(file));
  return reader.result.slice(reader.result.indexOf(',') + 1);
}

function dataEditor(property, value, {label}) {
  const size = h('small');
  const input = h('textarea', {
    value: value ?? '', rows: 2, className: 'code', 'aria-label': `${label}, in base64`, spellcheck: false, oninput: showSize});
  const file = h('input', {type: 'file', 'aria-label': `${label}: from a file`, onchange: async () => {
    if (file.files[0]) input.value = await base64Of(file.files[0]);
    showSize();
  }});
  const save = button('Save as a file', () => {
    const href = URL.createObjectURL(new Blob([bytesOf(input.value.trim())]));
    h('a', {href, download: `${label}.bin`}).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
  function showSize() {
    const text = input.value.trim();
    size.textContent = `${Math.floor(text.replaceAll('=', '').length * 3 / 4).toLocaleString()} bytes`;
  }
  showSize();
  return {
    element: h('div', {}, input, h('div', {className: 'bar'}, size, file, save)), focus: () => input.focus(),
    read() {
      const text = input.value.replaceAll(/\s/g, '');
      if (value === undefined && text === '') return undefined;
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Error(`'${label}' is not in base64.`);
      return text;
    }};
}
