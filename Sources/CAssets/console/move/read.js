/** The form of a file, and its first rows. */
import {parseRecords, separatorOf} from './csv.js';
import {endOf, parseMany} from '../frame/json.js';

const sampleBytes = 4 * 1024 * 1024;
const rowCountMax = 5000;

export const forms = [
  ['csv', 'CSV: a header line, then one object a line'], ['ndjson', 'NDJSON: one JSON object a line'],
  ['array', 'a JSON array of objects'], ['extended', 'MongoDB’s extended JSON (mongoexport)'],
  ['realm', 'Realm Studio: “Save data as JSON”'], ['store', 'a whole store, as Holdfast exports it']];

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

const extendedNames = /\{\s*"\$(oid|date|numberLong|numberInt|numberDouble|numberDecimal|uuid|binary)"/;

/** The beginnings of Realm Studio's texts: `{"Class":[{` before version 13, `[{"Class":"1"},[` since. */
const [realmTree, realmFlat] = [/^\{\s*"[^"]*"\s*:\s*\[\s*[{\]]/, /^\[\s*\{\s*("[^"]*"\s*:\s*"\d+"\s*,?\s*)+\}\s*,\s*\[/];

/** The form that a text has, by its beginning and the file's name. */
function formOf(text, name) {
  const start = text.replace(/^\ufeff?\s*/, '');
  if (/\.(csv|tsv)(\.gz)?$/i.test(name) || !/^[[{]/.test(start)) return 'csv';
  if (start.startsWith('[')) return realmFlat.test(start) ? 'realm' : extendedNames.test(start) ? 'extended' : 'array';
  if (/^\{\s*"holdfast"\s*:/.test(start)) return 'store';
  const end = endOf(start, 0);
  const [first, rest] = end < 0 ? [start, ''] : [start.slice(0, end), start.slice(end)];
  if (rest.trim() === '' && realmTree.test(start)) return 'realm';
  return extendedNames.test(start) || first.includes('\n') ? 'extended' : 'ndjson';
}

/** The names of the objects' members, in the order in which they come. */
const columnsOf = rows => [...new Set(rows.flatMap(row => Object.keys(row)))];

/** The rows of a CSV text as objects of texts; an empty cell is null. */
export function csvRows(text, delimiter, isWhole) {
  const records = parseRecords(text, delimiter, rowCountMax + 1, isWhole);
  const [header = [], ...rest] = records;
  const columns = header.map(cell => cell?.trim() ?? '');
  return {columns, rows: rest.map(record => Object.fromEntries(columns.map((name, index) => [name, record[index] ?? null])))};
}

/** Reads the beginning of a file: its form, and the rows that a proposal is made from. */
export async function readSample(file, chosen = {}) {
  const isCompressed = await isGzip(file);
  const {bytes, isWhole} = await firstBytes(file, isCompressed);
  const encoding = chosen.encoding ?? encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes, {stream: true});
  const form = chosen.form ?? formOf(text, file.name);
  const sample = {file, form, encoding, isCompressed, isWhole, text};
  if (form === 'csv') {
    sample.delimiter = chosen.delimiter ?? separatorOf(text);
    return {...sample, ...csvRows(text, sample.delimiter, isWhole)};
  }
  if (form === 'realm') return {...sample, rows: [], columns: []};
  const rows = parseMany(text, rowCountMax).filter(row => row !== null && typeof row === 'object' && !Array.isArray(row));
  return {...sample, rows, columns: columnsOf(rows)};
}

/** The file in UTF-8, as the service takes it. */
export async function inUTF8({file, encoding, isCompressed}) {
  if (encoding === 'utf-8') return file;
  const bytes = isCompressed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(bytes.pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream())).blob();
}
