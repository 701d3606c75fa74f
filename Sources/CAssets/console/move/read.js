/** The beginning of a file: its form, its text, and the rows that a reader sees first. */
import {parseRecords} from './csv.js';
import {endOf, parseMany} from '../frame/json.js';

/** The bytes that are read. UTF-16 has two bytes a letter, so they suffice for the bytes of a proposal. */
const sampleBytes = 2 * 1024 * 1024 + 2;
const proposalBytes = 1024 * 1024;
const shownRows = 8;
/** The rows from which the columns of JSON are known without a proposal. */
const rowCountMax = 500;

export const forms = [
  ['csv', 'CSV: a header line, then one object a line'], ['json', 'JSON: one object a line, an array, or mongoexport’s'],
  ['geojson', 'GeoJSON'], ['realm', 'Realm Studio: “Save data as JSON”'],
  ['store', 'a whole store, as Holdfast exports it']];

export const encodings = [['utf-8', 'UTF-8'], ['windows-1252', 'Windows-1252 (Western Europe)'], ['utf-16le', 'UTF-16'],
  ['windows-1250', 'Windows-1250 (Central Europe)'], ['macintosh', 'Mac OS Roman']];

/** Whether a file is compressed by gzip. */
export async function isGzip(file) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** The first bytes of a file, decompressed. `isWhole` says whether these are all. */
async function firstBytes(file, isCompressed) {
  if (!isCompressed) {
    return {bytes: new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer()), isWhole: file.size <= sampleBytes};
  }
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const chunks = [];
  let length = 0;
  while (length < sampleBytes) {
    const {value, done} = await reader.read();
    if (done) return {bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), isWhole: true};
    chunks.push(value);
    length += value.length;
  }
  await reader.cancel();
  return {bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), isWhole: false};
}

/** The encoding that a text's first bytes suggest. */
function encodingOf(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(bytes, {stream: true});
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The beginnings of Realm Studio's texts: `{"Class":[{` before version 13, `[{"Class":"1"},[` since. */
const [realmTree, realmFlat] = [/^\{\s*"[^"]*"\s*:\s*\[\s*[{\]]/, /^\[\s*\{\s*("[^"]*"\s*:\s*"\d+"\s*,?\s*)+\}\s*,\s*\[/];

/** The beginning of a FeatureCollection or a Feature, whose `type` may stand behind other single values. */
const geoJSON = /^\{[^{}[\]]*"type"\s*:\s*"Feature(Collection)?"/;

/** The form that a text has, by its beginning and the file's name. */
function formOf(text, name) {
  const start = text.trimStart();
  if (/\.(csv|tsv)(\.gz)?$/i.test(name) || !/^[[{]/.test(start)) return 'csv';
  if (start.startsWith('[')) return realmFlat.test(start) ? 'realm' : 'json';
  if (/^\{\s*"holdfast"\s*:/.test(start)) return 'store';
  if (geoJSON.test(start) || /\.geojson[ls]?(\.gz)?$/i.test(name)) return 'geojson';
  const end = endOf(start, 0);
  return realmTree.test(start) && (end < 0 || start.slice(end).trim() === '') ? 'realm' : 'json';
}

/** Reads the beginning of a file. `chosen` has a form and an encoding that the reader chose. */
export async function readSample(file, chosen = {}) {
  const isCompressed = await isGzip(file);
  const {bytes, isWhole} = await firstBytes(file, isCompressed);
  const encoding = chosen.encoding ?? encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes, {stream: true});
  return {file, form: chosen.form ?? formOf(text, file.name), encoding, isCompressed, isWhole, text};
}

/** The bytes of a sample from which a class is proposed. */
export const proposalSample = ({text}) => new TextEncoder().encode(text.slice(0, proposalBytes)).subarray(0, proposalBytes);

/** The delimiter that the first line has most. */
export function likelyDelimiter({text}) {
  const [line] = text.split(/[\r\n]/, 1);
  const count = delimiter => line.split(delimiter === 'tab' ? '\t' : delimiter).length;
  return [',', ';', 'tab', '|'].reduce((best, one) => count(one) > count(best) ? one : best);
}

/** The first rows of a CSV text as objects of texts. An empty cell is null. */
function csvRows({text, isWhole}, delimiter) {
  const [, stated] = /^sep=(.)[\r\n]/i.exec(text) ?? [];
  const [header = [], ...records] = parseRecords(
    text.replace(/^sep=.(\r\n|\r|\n)/i, ''), stated ?? (delimiter === 'tab' ? '\t' : delimiter), shownRows + 1, isWhole);
  const columns = header.map(cell => cell?.trim() ?? '');
  return {columns, rows: records.map(record => Object.fromEntries(columns.map((name, index) => [name, record[index] ?? null])))};
}

/** The objects that the first features of GeoJSON stand for. */
function firstFeatures(text) {
  const list = Math.max(0, text.search(/"features"\s*:/));
  return parseMany(text.slice(list), rowCountMax).map(
    ({id, properties, geometry}) => ({...id !== undefined && {id}, ...properties, geometry}));
}

/** The first rows of a sample, and its columns. A delimiter is that of CSV. */
export function firstRows(sample, delimiter = ',') {
  if (sample.form === 'csv') return csvRows(sample, delimiter);
  const objects = sample.form === 'geojson' ? firstFeatures(sample.text) : parseMany(sample.text, rowCountMax);
  return {columns: [...new Set(objects.flatMap(row => Object.keys(row)))], rows: objects.slice(0, shownRows)};
}

/** The bytes of a whole file in UTF-8. */
function decoded({file, encoding, isCompressed}) {
  const bytes = isCompressed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(bytes.pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream()));
}

/** The text of a whole file. */
export const wholeText = sample => decoded(sample).text();

/** The file in UTF-8, as the service takes it. */
export const inUTF8 = async sample => sample.encoding === 'utf-8' ? sample.file : decoded(sample).blob();
