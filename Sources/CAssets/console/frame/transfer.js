/** Files on their way to the service and back, by requests of the client, with progress. */
import {Holdfast} from '/client/holdfast.js';
import {credentials} from './session.js';

/** The exchanges of the requests under way, by their signals. */
const exchanges = new WeakMap();
let client;

/** A client with the console's token, which sends each request by the exchange of its signal. */
const transferClient = () => client ??= new Holdfast(location.origin, {
  ...credentials, sharedConnection: false, fetch: (url, init) => exchanges.get(init.signal)(url, init)});

function exchanged(method, path, exchange, {headers, signal} = {}) {
  const own = signal ? AbortSignal.any([signal]) : new AbortController().signal;
  exchanges.set(own, exchange);
  return transferClient().request(method, path, {headers, signal: own});
}

/** Sends a file as the body. A report that says that no line was taken counts as a reply, because it has the faults. */
const sending = (file, onProgress) => (url, {method, headers, signal}) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.addEventListener('progress', ({loaded, total}) => onProgress(loaded, total));
  request.addEventListener('load', () => resolve(new Response(request.response || null, {
    status: isReport(request) ? 200 : request.status,
    headers: {'Content-Type': request.getResponseHeader('Content-Type') ?? ''}})));
  request.addEventListener('error', () => reject(new Error('the connection ended before the reply')));
  request.addEventListener('abort', () => reject(signal.reason));
  signal.addEventListener('abort', () => request.abort());
  request.send(file);
});

function isReport({status, response}) {
  if (status !== 422) return false;
  try {
    return JSON.parse(response).code === 'nothing-imported';
  } catch {
    // A proxy may have answered.
    return false;
  }
}

/** Reads the body into a Blob, by way of the streams that `transforms` make. */
const receiving = (result, {onProgress = () => {}, transforms = []}) => async (url, init) => {
  const {Prefer, ...headers} = init.headers;
  const response = await fetch(url, {...init, headers});
  if (!response.ok) return response;
  let loaded = 0;
  const counting = new TransformStream({transform(chunk, controller) {
    onProgress(loaded += chunk.length);
    controller.enqueue(chunk);
  }});
  const stream = [counting, ...transforms].reduce((source, transform) => source.pipeThrough(transform), response.body);
  result.blob = await new Response(stream).blob();
  return new Response(null, {headers: response.headers});
};

/** Sends a file, and returns the reply: of an import, its report. */
export async function upload(path, file, {headers, signal, onProgress = () => {}}) {
  return (await exchanged('POST', path, sending(file, onProgress), {headers, signal})).body;
}

/** Fetches a reply into a Blob. */
export async function download(path, {accept = '*/*', signal, ...options} = {}) {
  const result = {};
  await exchanged('GET', path, receiving(result, options), {headers: {Accept: accept}, signal});
  return result.blob;
}

/** Saves a Blob as a file. */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The values of the metrics, by name. Metrics with labels are left out. */
export async function metrics(signal) {
  const text = await (await download('/metrics', {signal})).text();
  return new Map([...text.matchAll(/^(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));
}
