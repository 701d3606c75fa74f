/** Fields of forms, and the values of a schema in them. */
import {h} from '../frame/elements.js';

export const scalars = [
  'string', 'int', 'double', 'bool', 'date', 'decimal128', 'objectId', 'uuid', 'data', 'mixed', 'float', 'int8', 'int16', 'int32',
  'int64'];

const isInteger = type => /^int\d*$/.test(type);

/** A checkbox with its label behind it. */
export const check = (label, input, hint) => h('label', {className: 'check'},
  input, ` ${label}`, hint && h('small', {}, ` ${hint}`));

/** A select of `[value, text]` pairs, or of values. */
export function choice(options, value, members) {
  const select = h('select', members, options.map(option => {
    const [name, text] = Array.isArray(option) ? option : [option, option];
    return h('option', {value: name}, text);
  }));
  if (value !== undefined) select.value = value;
  return select;
}

/** The value of a default or an enum that a reader wrote. An integer beyond 2^53 stays a text. */
export function valueOf(text, type) {
  const number = Number(text);
  if (type === 'bool') return text === 'true';
  if (isInteger(type)) return Number.isSafeInteger(number) ? number : text;
  if (type === 'float' || type === 'double') return Number.isFinite(number) ? number : text;
  if (!['mixed', 'list', 'set', 'map'].includes(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text of a stored value, from which `valueOf` makes it again. */
export const textOf = (value, type) => typeof value === 'string' && type !== 'mixed' ? value : JSON.stringify(value);
