/** The figures of the last hour: read from `/metrics` in the Prometheus text format, kept while the console is open. */
import {figures} from './list.js';
import {download} from '../frame/transfer.js';

export const sampleInterval = 5000;
const sampleMaximum = 3_600_000 / sampleInterval;

/**
 * The samples, the oldest first. Each has `at`, in milliseconds, and `values`: for each figure a list with a value for each line.
 */
export const samples = [];
let last;

/** The last reading: `at` and `families`. */
export const lastReading = () => last;

/** The families of a text of figures: by name a list of `{labels, value}`. */
export function parseFigures(text) {
  const families = new Map();
  for (const line of text.split('\n')) {
    const found = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!found) continue;
    const [, name, labelText = '', valueText] = found;
    const labels = Object.fromEntries([...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
      label, value.replace(/\\(.)/g, (whole, character) => (character === 'n' ? '\n' : character))]));
    if (!families.has(name)) families.set(name, []);
    families.get(name).push({labels, value: valueText === '+Inf' ? Infinity : Number(valueText)});
  }
  return families;
}

/** Reads the figures once. */
async function readFigures() {
  const figures = await download('/metrics', {signal: AbortSignal.timeout(sampleInterval)});
  return parseFigures(await figures.text());
}

const listeners = new Set();
let timer, lastError = null;

async function sample() {
  try {
    const reading = {families: await readFigures(), at: Date.now()};
    samples.push({at: reading.at, values: figures.map(({lines}) => lines.map(line => line.at(reading, last)))});
    last = reading;
    if (samples.length > sampleMaximum) samples.shift();
    lastError = null;
  } catch (error) {
    lastError = error;
    if (error.status === 401 || error.status === 403) {
      clearInterval(timer);
      timer = undefined;
    }
  }
  for (const listener of listeners) listener(lastError);
}

/** Begins to read the figures, if that has not begun. */
export function keepFigures() {
  if (timer !== undefined) return;
  timer = setInterval(sample, sampleInterval);
  sample();
}

/**
 * Begins to read the figures, if that has not begun. Each sample or error is reported to `listener` until `signal` is aborted.
 */
export function followFigures(listener, signal) {
  listeners.add(listener);
  signal.addEventListener('abort', () => listeners.delete(listener));
  if (timer === undefined) keepFigures();
  else listener(lastError);
}
