/** GeoJSON: the features of a FeatureCollection, and the lines that an import takes for them. */
import {endOf} from '../frame/json.js';

const [blanks, string, word] = [/\s*/y, /"(?:[^"\\]|\\.)*"/ys, /[^\s,\]}]+/y];

/** Where a match that begins at a position ends; -1 without one. */
function endOfMatch(pattern, text, start) {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const next = (text, start) => endOfMatch(blanks, text, start);

/** Where the JSON value that begins at a position ends; -1 if the text ends before. */
const endOfValue = (text, start) => '{['.includes(text[start] ?? ' ') ? endOf(text, start)
  : endOfMatch(text[start] === '"' ? string : word, text, start);

/** The members of the object that begins at a position: their names, and where their values stand. The text may be cut. */
function* members(text, objectStart) {
  let position = next(text, objectStart + 1);
  while (text[position] === '"') {
    const nameEnd = endOfValue(text, position);
    if (nameEnd < 0) return;
    const start = next(text, next(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    yield {name: JSON.parse(text.slice(position, nameEnd)), start, end};
    if (end < 0) return;
    position = next(text, next(text, end) + 1);
  }
}

/** Whether a text that begins with a bracket is a FeatureCollection. */
export const isCollection = text => [...members(text, 0)].some(
  ({name, start, end}) => name === 'type' && text.slice(start, end) === '"FeatureCollection"');

/** The texts of the features. */
function* features(text) {
  const list = [...members(text, text.indexOf('{'))].find(({name}) => name === 'features');
  if (!list || text[list.start] !== '[') return;
  let position = next(text, list.start + 1);
  while (text[position] === '{') {
    const end = endOf(text, position);
    if (end < 0) return;
    yield text.slice(position, end);
    position = next(text, next(text, end) + 1);
  }
}

/** The names of an object's members with the texts of their values. */
const textsOf = text => [...members(text, 0)].map(({name, start, end}) => [name, text.slice(start, end)]);

/** The object that a feature stands for, as one line: its id, its properties and its geometry. Numbers keep their digits. */
function lineOf(feature) {
  const found = new Map(textsOf(feature));
  const own = (found.get('properties')?.startsWith('{') ? textsOf(found.get('properties')) : [])
    .filter(([name]) => name !== 'geometry');
  const id = found.has('id') && !own.some(([name]) => name === 'id') ? [['id', found.get('id')]] : [];
  const all = [...id, ...own, ['geometry', found.get('geometry') ?? 'null']];
  return `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`.replace(/[\r\n]+/g, ' ');
}

/** The objects of the first features. */
export function firstFeatures(text, countMax) {
  const objects = [];
  for (const feature of features(text)) if (objects.push(JSON.parse(lineOf(feature))) >= countMax) break;
  return objects;
}

/** A blob with a line for each feature. */
export function featureLines(text) {
  const parts = [];
  for (const feature of features(text)) parts.push(`${lineOf(feature)}\n`);
  return new Blob(parts);
}
