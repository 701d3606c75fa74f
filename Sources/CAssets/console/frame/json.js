/** JSON as files have it: large integers, many values in one text, extended JSON, and the values of a reply as lines. */

/** A text in which `replacement` stands in the place of each integer beyond 2^53. */
const guarded = (text, replacement) => text.replace(
  // Strings are passed over, and so are the digits of a fraction or an exponent.
  /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g,
  found => found[0] === '"' || Number.isSafeInteger(Number(found)) ? found : replacement(found));

/** The value of a JSON text, with integers beyond 2^53 as `{$numberLong}`. */
export const parseExactly = text => JSON.parse(guarded(text, digits => `{"$numberLong":"${digits}"}`));

/** A JSON text with integers beyond 2^53 as texts, which the service takes for integers. */
export const withTexts = text => guarded(text, digits => `"${digits}"`);

/** Where the JSON value that begins at a position ends; -1 if the text ends before. */
export function endOf(text, start) {
  let depth = 0;
  for (let position = start; position < text.length; position++) {
    const letter = text[position];
    if (letter === '"') {
      for (position++; position < text.length && text[position] !== '"'; position++) if (text[position] === '\\') position++;
    } else if (letter === '{' || letter === '[') depth++;
    else if ((letter === '}' || letter === ']') && --depth === 0) return position + 1;
  }
  return -1;
}

/** The first objects of a text that is an array of them, or has one after the other. A broken one is passed over. */
export function parseMany(text, countMax) {
  const values = [];
  let position = text.indexOf('{');
  while (position >= 0 && values.length < countMax) {
    const end = endOf(text, position);
    if (end < 0) break;
    try {
      values.push(parseExactly(text.slice(position, end)));
    } catch { /* The import reports the fault. */ }
    position = text.indexOf('{', end);
  }
  return values;
}

const extendedTypes = {
  $oid: 'objectId', $date: 'date', $numberLong: 'int', $numberInt: 'int', $numberDouble: 'double', $numberDecimal: 'decimal128',
  $uuid: 'uuid', $binary: 'data', $symbol: 'string'};

/** The type of a value of extended JSON; undefined for other values. */
export function extendedType(value) {
  const name = value && typeof value === 'object' && Object.keys(value).find(member => Object.hasOwn(extendedTypes, member));
  if (!name) return undefined;
  const isUUID = name === '$binary' && ['04', '4'].includes(value.$binary?.subType ?? value.$type);
  return isUUID ? 'uuid' : extendedTypes[name];
}

/** The plain value of a value of extended JSON. */
export function plain(value) {
  if (!extendedType(value)) return value;
  const [[name, inner]] = Object.entries(value);
  if (name === '$date') {
    const milliseconds = typeof inner === 'object' ? Number(inner.$numberLong) : inner;
    return typeof milliseconds === 'number' ? new Date(milliseconds).toISOString() : inner;
  }
  if (name === '$binary') return inner?.base64 ?? inner;
  if (name === '$numberDouble') return Number.isFinite(Number(inner)) ? Number(inner) : inner;
  return name === '$numberInt' ? Number(inner) : inner;
}

/** A value as a reader sees it in a table. */
export function shown(value) {
  const simple = plain(value);
  if (simple === null || simple === undefined) return '';
  return typeof simple === 'object' ? JSON.stringify(simple) : `${simple}`;
}

/** The JSON of a property's value in a reply: integers that came as texts are digits again. */
export function exactText(value, property) {
  const type = property?.element?.type ?? property?.type;
  const isDigits = item => typeof item === 'string' && /^int\d*$/.test(type ?? '') && /^-?\d+$/.test(item);
  const one = item => isDigits(item) ? item : JSON.stringify(item);
  if (Array.isArray(value)) return `[${value.map(one).join(',')}]`;
  if (property?.type !== 'map' || !value) return one(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${one(item)}`).join(',')}}`;
}

/** The value of a JSON text, changed by `revive`; undefined if it is blank. An error names the field. */
export function parsed(text, name, revive = undefined) {
  if (!text.trim()) return undefined;
  try {
    return JSON.parse(text, revive);
  } catch (error) {
    throw new Error(`${name}: this is not valid JSON. ${error.message}`);
  }
}

/** A reviver for `JSON.parse` that keeps integers beyond 2^53 as strings, where the browser shows it their text. */
export function exactly(name, value, context) {
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '');
  return isInexact ? context.source : value;
}
