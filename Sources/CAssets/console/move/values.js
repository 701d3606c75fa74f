/** The types that fit the values of a column, each with its reason. */
import {extendedType} from '../frame/json.js';

const patterns = {
  bool: /^(true|false|yes|no)$/i,
  int: /^[+-]?(0|[1-9]\d*)$/,
  digits: /^\d+$/,
  number: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  comma: /^[+-]?(\d+,?\d*|,\d+)$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  objectId: /^([\da-f]{24}|ObjectId\([\da-f]{24}\))$/i,
  rfc3339: /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/,
};

const days = ['%Y-%m-%d', '%d.%m.%Y', '%d/%m/%Y', '%m/%d/%Y', '%Y/%m/%d', '%d-%m-%Y', '%d.%m.%y'];
const times = ['', ' %H:%M', ' %H:%M:%S', 'T%H:%M', 'T%H:%M:%S'];
const conversions = {
  '%Y': '\\d{4}', '%y': '\\d\\d', '%m': '(0?[1-9]|1[0-2])', '%d': '(0?[1-9]|[12]\\d|3[01])', '%H': '([01]?\\d|2[0-3])',
  '%M': '[0-5]\\d', '%S': '[0-5]\\d(\\.\\d{1,9})?'};

/** The date formats that a proposal knows, with their patterns. */
const dateForms = days.flatMap(day => times.map(time => day + time)).map(format => ({
  format, pattern: new RegExp(`^${format.replace(/[./]/g, '\\$&').replace(/%\w/g, name => conversions[name])}$`)}));

const all = (values, pattern) => values.length > 0 && values.every(value => pattern.test(value));

/** The share of values from which on the others count as slips. */
const shareMin = 0.95;

/** The date formats that fit these texts, but for a few slips. */
export function dateFormatsOf(values, share = shareMin) {
  const first = values.slice(0, 5);
  const candidates = dateForms.filter(({pattern}) => first.some(value => pattern.test(value)));
  return candidates.filter(({pattern}) => values.filter(value => pattern.test(value)).length >= share * values.length)
    .map(({format}) => format);
}

/** Whether texts are numbers with a comma before their decimals. */
export const hasDecimalCommas = values => all(values, patterns.comma) && values.some(value => value.includes(','));
/** Whether texts are numbers with a point before their decimals. */
export const hasDecimalPoints = values => all(values, patterns.number) && values.some(value => value.includes('.'));

const isWide = text => text.replace(/^[+-]?0*/, '').length > 18
  && (BigInt(text) > 9223372036854775807n || BigInt(text) < -9223372036854775808n);

/** The type of whole numbers. */
const wholeType = texts => texts.some(isWide)
  ? {type: 'decimal128', reason: 'whole numbers that do not fit into 64 bits'} : {type: 'int', reason: 'whole numbers'};

/** The date form of a column: the file's, or RFC 3339. */
function dateType(values, dateFormat) {
  if (!dateFormat) return {type: 'date', pattern: patterns.rfc3339, reason: 'dates of RFC 3339'};
  const other = dateFormatsOf(values).find(format => format !== dateFormat);
  return {type: 'date', pattern: dateForms.find(({format}) => format === dateFormat).pattern,
    reason: `dates of the form ${dateFormat}${other ? ` (${other} fits too)` : ''}`};
}

/** The type of texts of CSV. `dateFormat` and `decimalComma` say how the file writes dates and numbers. */
export function textType(values, {dateFormat, decimalComma}) {
  if (values.length === 0) return {type: 'string', reason: 'no value in the sample'};
  if (all(values, patterns.int)) return wholeType(values);
  if (all(values, patterns.digits)) return {type: 'string', reason: 'digits with leading zeros, which a number would lose'};
  const types = [
    {type: 'bool', pattern: patterns.bool, reason: 'truth values'},
    {type: 'int', pattern: patterns.int, reason: 'whole numbers'},
    {type: 'double', pattern: decimalComma ? patterns.comma : patterns.number, reason: 'numbers with decimals'},
    {type: 'uuid', pattern: patterns.uuid, reason: 'UUIDs'},
    {type: 'objectId', pattern: patterns.objectId, reason: 'object ids of 24 hexadecimal digits'},
    dateType(values, dateFormat)];
  const {type, reason} = types.find(({pattern}) => all(values, pattern)) ?? {};
  if (type) return {type, reason};
  for (const {pattern, reason: most} of types) {
    const others = values.filter(value => !pattern.test(value));
    if (values.length - others.length < shareMin * values.length) continue;
    const share = `${values.length - others.length} of ${values.length}`;
    return {type: 'string', reason: `texts: ${share} are ${most}, but for instance ‘${others[0].slice(0, 30)}’ is not`};
  }
  const isDate = dateFormatsOf(values).length > 0 || all(values, patterns.rfc3339);
  return {type: 'string', reason: isDate ? 'dates of another form than the file’s other dates' : 'texts'};
}

/** The kind of one value of JSON. */
function kindOf(value) {
  const extended = extendedType(value);
  if (extended) return extended;
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'double';
  return typeof value === 'string' ? 'text' : 'object';
}

/** The type of texts of JSON. */
function jsonTextType(values) {
  if (all(values, patterns.rfc3339)) return {type: 'date', reason: 'dates of RFC 3339'};
  if (all(values, patterns.uuid)) return {type: 'uuid', reason: 'only UUIDs'};
  if (all(values, patterns.objectId)) return {type: 'objectId', reason: 'only object ids of 24 hexadecimal digits'};
  const isDate = dateFormatsOf(values, 1).length > 0;
  return {type: 'string', reason: isDate ? 'dates without a time or zone, which the type date does not take from JSON' : 'texts'};
}

/** The type of values of JSON. `objects(values)` gives the type of objects. */
export function jsonType(values, objects) {
  const kinds = [...new Set(values.map(kindOf))].sort();
  const [kind] = kinds;
  if (kinds.length === 0) return {type: 'string', reason: 'no value in the sample'};
  if (kinds.join() === 'double,int') return {type: 'double', reason: 'numbers, some with decimals'};
  if (kinds.join() === 'text,uuid' || kinds.join() === 'objectId,text') return {type: 'string', reason: 'texts and identifiers'};
  if (kinds.length > 1) return {type: 'mixed', reason: `values of several types: ${kinds.join(', ')}`};
  if (kind === 'text') return jsonTextType(values);
  if (kind === 'object') return objects(values);
  if (kind === 'array') return listType(values, objects);
  const reasons = {bool: 'only truth values', int: 'whole numbers', double: 'numbers with decimals'};
  return {type: kind, reason: reasons[kind] ?? `only ${kind} of extended JSON`};
}

function listType(values, objects) {
  const items = values.flat();
  const present = items.filter(item => item !== null);
  const element = jsonType(present, objects);
  if (element.type === 'list' || element.type === 'map') return {type: 'mixed', reason: 'lists within lists'};
  if (present.length === 0) return {type: 'list', element: {type: 'mixed'}, reason: 'only empty lists in the sample'};
  const isOptional = present.length < items.length && element.type !== 'mixed';
  const {type, class: name, reason} = element;
  return {type: 'list', element: {type, ...name && {class: name}, ...isOptional && {optional: true}}, reason: `lists: ${reason}`};
}
