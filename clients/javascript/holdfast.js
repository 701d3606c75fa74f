/**
 * The JavaScript client of Holdfast: requests, accounts, and live queries that follow the rule for clients of
 * docs/change-streams.md. One module without dependencies, for browsers, Node 18 and later, and Deno.
 *
 * The upper half computes and has no input, output or clock: `EventParser`, `ResultView`, `LiveState` and the policy of
 * retries. The lower half sends requests: `StreamConnection` follows all live queries of a user on one connection,
 * `ConnectionHub` shares it among tabs, and `Holdfast` is the client.
 */

// ---------------------------------------------------------------- Errors

/** An error of the service, of the network, or of a proxy in between. */
export class HoldfastError extends Error {
  /**
   * `status` is the HTTP status; 0 if no reply came, or if an event stream reported the error. `code` is the service's
   * stable code. The client's own codes are `network-error`, `unexpected-reply`, `token-failed`, `stream-ended` and `closed`.
   * `errors` has each fault of the request, `current` the stored object of a failed precondition (412), and `retryAfter`
   * seconds.
   */
  constructor({status = 0, code, detail, errors = [], current, retryAfter, cause}) {
    super(detail, cause === undefined ? undefined : {cause});
    Object.assign(this, {name: 'HoldfastError', status, code, detail, errors, retryAfter});
    if (current) {
      this.current = current;
      remember(current.object, current.etag);
    }
  }

  /** The nearest known name, if the service found one for an unknown name. */
  get hint() { return this.errors.find(fault => fault.hint)?.hint; }

  /** Whether the same request may succeed later. */
  get isTransient() { return this.code === 'unexpected-reply' || isTransient(this.status); }

  /** The error of a reply with a status other than 2xx. */
  static async from(response) {
    const text = await response.text().catch(() => '');
    const retryAfter = parseRetryAfter(response.headers.get('Retry-After'), Date.now());
    try {
      const problem = JSON.parse(text);
      if (typeof problem.code === 'string') return new HoldfastError({...problem, status: response.status, retryAfter});
    } catch { /* Not a reply of the service. */ }
    return new HoldfastError({
      status: response.status, code: 'unexpected-reply', retryAfter,
      detail: `The reply has status ${response.status} and is not the service's: look at the proxy in between.`});
  }
}

/** The members of an error that a message to another thread carries. */
const portable = ({status, code, detail, errors, retryAfter}) => ({status, code, detail, errors, retryAfter});

// ---------------------------------------------------------------- The policy of retries

/** Whether a request that failed with this status may succeed later; 0 stands for no reply. */
export const isTransient = status => status === 0 || status === 408 || status === 425 || status === 429 || status >= 500;

/** The seconds of a `Retry-After` header, which holds a number or a date; undefined without one. */
export function parseRetryAfter(text, now) {
  if (!text) return undefined;
  if (/^\s*\d+\s*$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

const RETRY_AFTER_MAX = 300;

/**
 * The milliseconds to wait before the next attempt. They begin at `retry`, which the service sends, double with each
 * failure in a row, end at `maximum`, and lose up to half at random. `retryAfter` (seconds, at most 300) is waited at least.
 */
export function retryDelay({failures = 0, retry = 2000, retryAfter = 0, maximum = 30000, random = Math.random}) {
  const delay = Math.min(maximum, retry * 2 ** Math.min(failures, 20)) * (1 - random() / 2);
  return Math.max(delay, Math.min(retryAfter, RETRY_AFTER_MAX) * 1000);
}

// ---------------------------------------------------------------- Server-sent events

/** Reads server-sent events from chunks of bytes or text, cut anywhere (WHATWG HTML, section 9.2). */
export class EventParser {
  #decoder = new TextDecoder();
  #text = '';
  #scanned = 0;
  #endsInReturn = false;
  #block = {};

  /**
   * Takes a chunk, and returns the events that it completes, as `{event, data, id, retry}`. `id` and `retry` are undefined
   * if the event does not state them. An event without `data` is a heartbeat.
   */
  push(chunk) {
    const events = [];
    let text = typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, {stream: true});
    if (text === '') return events;
    if (this.#endsInReturn && text[0] === '\n') text = text.slice(1);
    this.#endsInReturn = text === '' ? false : text.endsWith('\r');
    this.#text += text;
    const end = /\r\n?|\n/g;
    end.lastIndex = this.#scanned;
    let begin = 0;
    for (let found; (found = end.exec(this.#text)); begin = end.lastIndex) {
      this.#take(this.#text.slice(begin, found.index), events);
    }
    this.#text = this.#text.slice(begin);
    this.#scanned = this.#text.length;
    return events;
  }

  #take(line, events) {
    if (line === '') {
      const {event, data, id, retry} = this.#block;
      if (Object.keys(this.#block).length > 0) events.push({event: event || 'message', data: data?.join('\n'), id, retry});
      this.#block = {};
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') (this.#block.data ??= []).push(value);
    else if (field === 'event') this.#block.event = value;
    else if (field === 'id' && !value.includes('\0')) this.#block.id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.#block.retry = Number(value);
  }
}

// ---------------------------------------------------------------- The state of live queries

const entryOf = ({id, etag, object}) => ({id, etag, object});

/** The result of one query: its objects by their keys, or in their order if it is a live list. */
export class ResultView {
  #entries;

  constructor(isList = false) { this.#entries = isList ? [] : new Map(); }

  /** The entries `{id, etag, object}`, in order if it is a live list. */
  get entries() { return [...this.#entries.values()]; }

  get size() { return this.#entries.size ?? this.#entries.length; }

  clear() { this.#entries = Array.isArray(this.#entries) ? [] : new Map(); }

  /** Applies the entries of `snapshot` and `change` events in their order, after forgetting everything if `reset`. */
  apply({reset, changes}) {
    if (reset) this.clear();
    if (Array.isArray(this.#entries)) this.#applyToList(changes);
    else {
      for (const change of changes) {
        if (change.op === 'leave' || change.op === 'delete') this.#entries.delete(change.id);
        else if (change.op !== 'indices') this.#entries.set(change.id, entryOf(change));
      }
    }
  }

  #applyToList(changes) {
    const list = this.#entries;
    let placed = [];
    for (const change of changes) {
      // An entry of a snapshot has no `op`, and stands behind the one before.
      if (change.op === undefined) list.push(entryOf(change));
      else if (change.op !== 'indices') {
        if (change.index !== undefined) placed.push(change);
      } else {
        for (const index of [...change.deletions].sort((a, b) => b - a)) list.splice(index, 1);
        for (const index of [...change.insertions].sort((a, b) => a - b)) list.splice(index, 0, null);
        for (const one of placed) list[one.index] = entryOf(one);
        placed = [];
      }
    }
  }
}

/**
 * The state of a client that follows one query, or several on one connection: a pure function of the events.
 *
 * The view of a query holds only complete states. Entries wait until an event says that the state is complete, so a result
 * is never empty or half old while a new snapshot arrives, and queries of one transaction change together.
 */
export class LiveState {
  /** The last `id`: the position to resume from. At `start`, the next connection begins with snapshots. */
  id = 'start';
  /** The seconds without an event after which the service sends a heartbeat. */
  heartbeat = 15;
  #queries = new Map();

  /** Adds a query. A stream of one query has no names: leave the name out. */
  add(name = '', {isList = false} = {}) {
    // isBegun: its entries count, after a `reset` or after `id`. isKnown: `id` covers it. isCurrent: its view is complete.
    this.#queries.set(
      name, {view: new ResultView(isList), pending: null, isBegun: false, isKnown: false, isCurrent: false});
  }

  remove(name = '') { this.#queries.delete(name); }

  /** The result of a query, as it was when it was last complete. */
  view(name = '') { return this.#queries.get(name)?.view; }

  /** Whether the position to resume from covers the query, so that a new stream may begin with it. */
  isKnown(name = '') { return this.#queries.get(name)?.isKnown ?? false; }

  /** Whether the view is the query's result, as far as the events of this connection say. */
  isCurrent(name = '') { return this.#queries.get(name)?.isCurrent ?? false; }

  /** Begins a connection that resumes at `id`, with the queries of these names. */
  begin(names = this.#queries.keys()) {
    this.end();
    for (const name of names) {
      const query = this.#queries.get(name);
      if (query) query.isBegun = this.id !== 'start' && query.isKnown;
    }
  }

  /** Ends a connection. Entries without a complete state are forgotten: they come again after `id`. */
  end() {
    for (const query of this.#queries.values()) Object.assign(query, {pending: null, isBegun: false, isCurrent: false});
  }

  /**
   * Applies an event of `EventParser`. Returns
   *
   * - `shown`: the queries whose results are complete now, each with its `changes`, and `reset` if they replace the result;
   * - `failed`: the queries that ended with an `error`, each with its `code` and `detail`;
   * - `end`: the `error` that ends the stream, if there is one.
   */
  apply({event, data: text, id}) {
    const outcome = {shown: [], failed: [], end: null};
    const data = text === undefined ? {} : JSON.parse(text);
    const query = this.#queries.get(data.query ?? '');
    switch (event) {
      case 'hello':
        this.heartbeat = data.heartbeat ?? this.heartbeat;
        break;
      case 'reset':
        if (query) Object.assign(query, {pending: {reset: true, changes: []}, isBegun: true, isCurrent: false});
        break;
      case 'snapshot':
        for (const entry of data.objects) this.#collect(entry);
        break;
      case 'change':
        for (const entry of data.changes) this.#collect(entry, data.version);
        // The indices of a stream of one live list stand beside its entries.
        if (data.deletions) this.#collect({...data, changes: undefined, op: 'indices'}, data.version);
        break;
      case 'upToDate':
        if (query?.isBegun) this.#show(data.query ?? '', query, outcome);
        break;
      case 'error':
        if (data.query === undefined) outcome.end = data;
        else if (query) {
          Object.assign(query, {pending: null, isBegun: false, isKnown: false, isCurrent: false});
          query.view.clear();
          outcome.failed.push(data);
        }
        break;
    }
    if (id !== undefined) {
      this.id = id;
      // No event has an id while a query's state is incomplete.
      if (id !== 'start') for (const [name, one] of this.#queries) if (one.isBegun) this.#show(name, one, outcome);
    } else if (event === 'change' && data.last) {
      for (const [name, one] of this.#queries) {
        if (one.isCurrent && one.pending?.version === data.version) this.#show(name, one, outcome);
      }
    }
    return outcome;
  }

  #collect(entry, version) {
    const query = this.#queries.get(entry.query ?? '');
    if (!query?.isBegun) return;
    query.pending ??= {reset: false, changes: []};
    query.pending.changes.push(entry);
    query.pending.version = version;
  }

  #show(name, query, outcome) {
    const {reset, changes} = query.pending ?? {reset: false, changes: []};
    const isNews = query.pending !== null || !query.isCurrent;
    Object.assign(query, {pending: null, isKnown: true, isCurrent: true});
    if (!isNews) return;
    query.view.apply({reset, changes});
    outcome.shown.push({query: name, reset, changes});
  }
}

// ---------------------------------------------------------------- Requests

/**
 * Settles as `promise` does, or is rejected with the reason of `signal` as soon as the signal is aborted. `fetch` is not
 * enough for that: in Node 18, its requests do not learn of an abort after a garbage collection.
 */
function orAborted(signal, promise) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** The JSON of a value, in which a bigint is a number with all its digits. */
function textOf(value) {
  const mark = `bigint ${Math.random()} `;
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${mark}${one}` : one))
    ?.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** The body of a reply: the value of JSON, or the text if the request asks for another type. Null without a body. */
function bodyOf(text, {status, headers}, isOtherAllowed) {
  const type = headers.get('Content-Type') ?? 'no type';
  if (text === '') return null;
  try {
    if (/^application\/([^;]*\+)?json\s*(;|$)/.test(type)) return JSON.parse(text);
    if (isOtherAllowed) return text;
  } catch { /* Not a reply of the service. */ }
  throw new HoldfastError({
    status, code: 'unexpected-reply',
    detail: `The reply is not JSON (${type}): look at the proxy in between, or ask for another type by the header Accept.`});
}

/** Sends a request: `{status, headers, body}`. */
async function send({url, fetch = globalThis.fetch}, token, method, path, {body, headers, signal} = {}) {
  const sent = {Accept: 'application/json', Prefer: 'int64=string', ...headers};
  if (body !== undefined) sent['Content-Type'] ??= 'application/json';
  if (token) sent.Authorization = `Bearer ${token}`;
  const sentBody = textOf(body);
  const exchange = async () => {
    // With the browser's cache, a request would wait for an equal one that is under way.
    const response = await fetch(url + path, {method, headers: sent, body: sentBody, cache: 'no-store', signal});
    if (!response.ok) throw await HoldfastError.from(response);
    const received = bodyOf(await response.text(), response, headers?.Accept !== undefined);
    return {status: response.status, headers: response.headers, body: received};
  };
  try {
    return await orAborted(signal, exchange());
  } catch (error) {
    // An aborted request throws the reason of its signal, as `fetch` does.
    throw signal?.aborted ? error : networkError(error);
  }
}

const networkError = error => error instanceof HoldfastError ? error : new HoldfastError({
  code: 'network-error', detail: `No reply came: ${error?.cause?.message ?? error?.message ?? error}.`, cause: error});

// ---------------------------------------------------------------- One connection for many queries

/** The reasons to end a connection from inside. */
const CLOSED = Symbol('closed'), SILENT = Symbol('silent');
const REQUEST_MILLISECONDS_MAX = 30000;
/** The codes with which a connection is lost and its stream goes on. With any other code of an event, the stream has ended. */
const LOST = new Set(['network-error', 'unexpected-reply', 'stream-ended', 'access-ended']);

/** Whether an error is about the request itself, so that repeating it is of no use. */
const isRefusal = ({status, code, isTransient}) =>
  status >= 400 && status !== 401 && !isTransient && code !== 'stream-not-found' && code !== 'stream-in-use';

/** Follows all live queries of one user on one event stream (`/v1/streams`), and comes back by itself. */
class StreamConnection {
  #options; #token; #state = new LiveState(); #clients = new Set();
  /** The token that was refused, while another one is awaited; otherwise undefined. */
  #refusedToken;
  /** The queries by their names in the stream, and the names that the service's stream has. No name is used twice. */
  #queries = new Map(); #served = new Set(); #count = 0;
  /** The id of the service's stream, if there is one. */
  #stream = null;
  #isRunning = false; #isOpen = false; #isPatching = false;
  /** The number of queries that one request adds. It is 1 while a refusal has to be narrowed down. */
  #batch = Infinity;
  #failures = 0; #retry; #heardAt = 0; #abort = null; #wakeUp = null;

  constructor(options) {
    this.#options = options;
    this.#token = options.token;
  }

  get isUnused() { return this.#clients.size === 0; }

  attach(client, token) {
    this.#clients.add(client);
    if (this.#refusedToken !== undefined) this.setToken(token);
  }

  detach(client) {
    this.#clients.delete(client);
    this.#unfollow(follower => follower.client === client);
  }

  /** Follows a query for a client, under a number of the client's. Equal queries are followed once. */
  add(client, number, query) {
    const text = textOf(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
    let found = [...this.#queries.values()].find(one => one.text === text);
    if (!found) {
      found = {name: `q${++this.#count}`, text, query, followers: [], failure: null};
      this.#queries.set(found.name, found);
      this.#state.add(found.name, {isList: query.sort !== undefined});
    }
    found.followers.push({client, number});
    if (found.failure) client.receive({failed: [{number, error: found.failure}]});
    else if (this.#state.isKnown(found.name)) {
      const changes = this.#state.view(found.name).entries, isCurrent = this.#state.isCurrent(found.name);
      client.receive({shown: [{number, reset: true, changes, isCurrent}]});
    }
    this.#run();
    this.#patch();
  }

  drop(client, number) { this.#unfollow(follower => follower.client === client && follower.number === number); }

  #unfollow(isGone) {
    for (const query of [...this.#queries.values()]) {
      query.followers = query.followers.filter(follower => !isGone(follower));
      if (query.followers.length === 0) this.#forget(query.name);
    }
    // Queries that are removed and added in one go keep the connection.
    setTimeout(() => { if (this.#queries.size === 0) this.#interrupt(CLOSED); });
    this.#patch();
  }

  #forget(name) {
    this.#queries.delete(name);
    this.#state.remove(name);
  }

  /** Continues with another token of the same user. */
  setToken(token) {
    if (token === this.#token) return;
    this.#token = token;
    this.#refusedToken = undefined;
    this.#wakeUp?.();
  }

  /** Looks at once whether the connection is still there, and ends a pause before the next attempt. */
  wake() {
    this.#wakeUp?.();
    this.#endIfSilent();
  }

  // ---- Attempts

  async #run() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Queries that are added in one go begin in one request.
    await null;
    while (this.#queries.size > 0) {
      try {
        if (!this.#stream) await this.#makeStream();
        if (this.#stream && this.#queries.size > 0) await this.#follow();
      } catch (error) {
        await this.#recover(error);
      }
    }
    this.#isRunning = false;
    this.#deleteStream();
    this.#state.id = 'start';
  }

  #ask(method, path, body) {
    return send(this.#options, this.#token, method, path, {body, signal: AbortSignal.timeout(REQUEST_MILLISECONDS_MAX)})
      .catch(error => { throw networkError(error); });
  }

  #bodies(names) { return Object.fromEntries(names.map(name => [name, this.#queries.get(name).query])); }

  /** Makes a stream of the queries that the position covers, or of all queries if everything begins anew. */
  async #makeStream() {
    let names = [...this.#queries.keys()].filter(name => this.#state.isKnown(name));
    if (names.length === 0) this.#state.id = 'start';
    if (this.#state.id === 'start') names = [...this.#queries.keys()];
    names = names.slice(0, this.#batch);
    try {
      const {body} = await this.#ask(
        'POST', '/v1/streams', {queries: this.#bodies(names), interval: this.#options.interval});
      this.#stream = body.id;
      this.#served = new Set(names);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#refuse(names, error);
    }
  }

  async #deleteStream() {
    const stream = this.#stream;
    this.#stream = null;
    if (stream) await this.#ask('DELETE', `/v1/streams/${stream}`).catch(() => {});
  }

  /** Opens the event stream, and returns the reader of its bytes. */
  async #openStream(signal) {
    const {url, fetch = globalThis.fetch} = this.#options;
    const headers = {Accept: 'text/event-stream', ...(this.#token && {Authorization: `Bearer ${this.#token}`})};
    const response = await fetch(
      `${url}/v1/streams/${this.#stream}?since=${encodeURIComponent(this.#state.id)}`, {headers, cache: 'no-store', signal});
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
    if (!response.ok || !isStream) throw await HoldfastError.from(response);
    return response.body.getReader();
  }

  async #follow() {
    const abort = this.#abort = new AbortController();
    this.#state.begin(this.#served);
    this.#heardAt = Date.now();
    const watch = setInterval(() => this.#endIfSilent(), Math.min(5000, this.#state.heartbeat * 500));
    const opening = this.#openStream(abort.signal);
    try {
      const parser = new EventParser(), reader = await orAborted(abort.signal, opening);
      for (;;) {
        const {done, value} = await orAborted(abort.signal, reader.read());
        if (done) throw new HoldfastError({code: 'stream-ended', detail: 'The connection of the event stream was closed.'});
        this.#heardAt = Date.now();
        for (const event of parser.push(value)) this.#take(event);
      }
    } catch (error) {
      throw abort.signal.aborted ? abort.signal.reason : networkError(error);
    } finally {
      clearInterval(watch);
      this.#isOpen = false;
      this.#abort = null;
      this.#state.end();
      // The body is not read any more. Cancelling it closes a connection on which the abort had no effect.
      abort.abort(CLOSED);
      opening.then(reader => reader.cancel()).catch(() => {});
    }
  }

  #take(event) {
    this.#retry = event.retry ?? this.#retry;
    const {shown, failed, end} = this.#state.apply(event);
    if (event.event === 'hello') {
      this.#isOpen = true;
      this.#tell({status: 'open'});
    }
    if (shown.length > 0) this.#failures = 0;
    for (const {query} of shown) this.#queries.get(query).failure = null;
    for (const failure of failed) this.#queries.get(failure.query).failure = portable(new HoldfastError(failure));
    this.#tellFollowers(
      ...shown.map(({query, reset, changes}) => [query, 'shown', {reset, changes, isCurrent: true}]),
      ...failed.map(({query}) => [query, 'failed', {error: this.#queries.get(query).failure}]));
    this.#patch();
    if (end) throw new HoldfastError(end);
  }

  /** Ends a connection on which nothing came for two and a half heartbeats: the network is gone, or the machine slept. */
  #endIfSilent() {
    const silence = Date.now() - this.#heardAt;
    if (silence < 0) this.#heardAt = Date.now();
    else if (this.#abort && silence > this.#state.heartbeat * 2500) this.#interrupt(SILENT);
  }

  #interrupt(reason) {
    this.#abort?.abort(reason);
    this.#wakeUp?.();
  }

  async #recover(error) {
    if (error === CLOSED) return;
    this.#tell({status: 'waiting', error: error === SILENT ? undefined : portable(error)});
    if (error === SILENT) return;
    if (error.status === 401) {
      this.#refusedToken = this.#token;
      this.#tell({status: 'signedOut', error: portable(error), refusedToken: this.#token});
      while (this.#refusedToken !== undefined && this.#queries.size > 0) await this.#pause();
      return;
    }
    const isFirst = this.#failures++ === 0;
    // The service may not have noticed that the last connection is lost. Another stream can begin at once.
    if (error.code === 'stream-in-use') await this.#deleteStream();
    if (error.code === 'stream-not-found') this.#stream = null;
    // After `access-ended` the next request tells whether the token has ended.
    if (isFirst && ['stream-in-use', 'stream-not-found', 'access-ended'].includes(error.code)) return;
    if (error.code === 'invalid-cursor') {
      this.#stream = null;
      this.#state.id = 'start';
    } else if (isRefusal(error)) return this.#end([...this.#queries.keys()], error);
    else if (error.status === 0 && !LOST.has(error.code)) this.#stream = null;
    await this.#pause(this.#delay(this.#failures - 1, error));
  }

  #delay(failures, {retryAfter}) {
    return retryDelay({failures, retry: this.#retry, retryAfter, maximum: this.#options.retryMaximum});
  }

  #pause(milliseconds) {
    return new Promise(resolve => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
      this.#wakeUp = () => { clearTimeout(timer); resolve(); };
    }).finally(() => { this.#wakeUp = null; });
  }

  // ---- Added and removed queries

  /** Brings the service's stream to the present queries. */
  async #patch() {
    if (this.#isPatching || !this.#isOpen) return;
    this.#isPatching = true;
    await null;
    for (let failures = 0; this.#isOpen;) {
      const stream = this.#stream, present = [...this.#queries.keys()];
      const removed = [...this.#served].filter(name => !this.#queries.has(name));
      // Queries that continue have to be up to date before others are added.
      const isReady = present.every(
        name => !this.#served.has(name) || !this.#state.isKnown(name) || this.#state.isCurrent(name));
      const added = isReady ? present.filter(name => !this.#served.has(name)).slice(0, this.#batch) : [];
      if (present.length === 0 || removed.length + added.length === 0) break;
      const queries = {...this.#bodies(added), ...Object.fromEntries(removed.map(name => [name, null]))};
      try {
        await this.#ask('PATCH', `/v1/streams/${stream}`, {queries});
        if (stream !== this.#stream) continue;
        for (const name of removed) this.#served.delete(name);
        for (const name of added) this.#served.add(name);
        failures = 0;
      } catch (error) {
        if (stream !== this.#stream) continue;
        if (error.code === 'stream-not-found' || error.status === 401) this.#interrupt(error);
        else if (isRefusal(error)) added.length > 0 ? this.#refuse(added, error) : this.#interrupt(error);
        // The same names are sent again: if they had arrived, equal queries take their place.
        else await new Promise(resolve => setTimeout(resolve, this.#delay(failures++, error)));
      }
    }
    if (this.#isOpen) this.#batch = Infinity;
    this.#isPatching = false;
  }

  /** Ends the queries that a refusal names. A refusal without names is narrowed down by adding one query at a time. */
  #refuse(names, error) {
    let isNamed = false;
    for (const name of names) {
      const errors = error.errors.filter(({pointer}) => `${pointer}/`.startsWith(`/queries/${name}/`));
      if (errors.length === 0) continue;
      isNamed = true;
      this.#end([name], {...portable(error), code: errors[0].code, detail: errors[0].detail, errors});
    }
    if (isNamed) return;
    if (names.length > 1) this.#batch = 1;
    else this.#end(names, error);
  }

  #end(names, error) {
    const ended = names.filter(name => this.#queries.has(name));
    this.#tellFollowers(...ended.map(name => [name, 'failed', {error: portable(error), isEnd: true}]));
    for (const name of ended) this.#forget(name);
  }

  // ---- Messages

  #tell(message) { for (const client of [...this.#clients]) client.receive(message); }

  /** Sends each client one message, so that the queries of one event change together. */
  #tellFollowers(...all) {
    const messages = new Map();
    for (const [name, kind, content] of all) {
      for (const {client, number} of this.#queries.get(name).followers) {
        if (!messages.has(client)) messages.set(client, {shown: [], failed: []});
        messages.get(client)[kind].push({number, ...content});
      }
    }
    for (const [client, message] of messages) client.receive(message);
  }
}

/** The connections of a page, or of a shared worker for all tabs: one for each service and user. */
class ConnectionHub {
  #connections = new Map();

  /** Adds a client, to which `receive` passes messages. Returns the function that takes the client's messages. */
  connect(receive) {
    const client = {receive};
    let connection = null, key = null;
    const close = () => {
      connection?.detach(client);
      if (connection?.isUnused) this.#connections.delete(key);
      connection = null;
    };
    const actions = {
      close,
      open: ({options, user}) => {
        close();
        key = JSON.stringify([options.url, options.interval, user]);
        connection = this.#connections.get(key) ?? new StreamConnection(options);
        this.#connections.set(key, connection);
        connection.attach(client, options.token);
      },
      add: ({number, query}) => connection?.add(client, number, query),
      drop: ({number}) => connection?.drop(client, number),
      token: ({token}) => connection?.setToken(token),
      wake: () => connection?.wake()};
    return message => actions[message.do]?.(message);
  }
}

const sharedHub = new ConnectionHub();
const WORKER_NAME = 'holdfast-connections-1';

/**
 * Serves clients at the other end of a `MessagePort`, with one connection for all of them, in a worker or a process of
 * your own. A client uses it by `sharedConnection: () => port`.
 */
export function serveConnections(port) {
  const take = sharedHub.connect(message => port.postMessage(message));
  port.onmessage = ({data}) => {
    // The lock that a tab holds is free when the tab is gone, however it ended.
    if (data.do === 'lock') navigator.locks.request(data.name, () => take({do: 'close'}));
    else take(data);
  };
}

// The module is its own shared worker.
if (typeof SharedWorkerGlobalScope !== 'undefined' && globalThis instanceof SharedWorkerGlobalScope
    && globalThis.name.startsWith(WORKER_NAME)) {
  // The lock that the worker holds is free when the worker is gone.
  const lock = `holdfast worker ${Math.random()}`;
  const held = new Promise(resolve => {
    navigator.locks?.request(lock, () => { resolve(); return new Promise(() => {}); });
  });
  globalThis.onconnect = ({ports: [port]}) => {
    serveConnections(port);
    held.then(() => port.postMessage({lock}));
  };
}

// ---------------------------------------------------------------- Objects and their ETags

const etags = new WeakMap();
const withoutQuotes = tag => tag.replace(/^(W\/)?"(.*)"$/, '$2');

function remember(object, etag) {
  if (etag && object !== null && typeof object === 'object') etags.set(object, withoutQuotes(etag));
  return object;
}

/** The ETag of an object that the client returned, without quotes; undefined if the client does not know it. */
export const etagOf = object => etags.get(object) ?? object?.$version;

/** The text of `ifMatch`: an ETag, `*`, or the ETag of an object. */
function tagText(value) {
  const tag = typeof value === 'string' ? withoutQuotes(value) : etagOf(value);
  if (!tag) throw new TypeError('The object of ifMatch has no known ETag: read it with get, live or $version in fields.');
  return tag;
}

/** The headers of the options of a write. */
function headersOf({ifMatch, ifNoneMatch, idempotencyKey, minimal, contentType}) {
  const quoted = value => (tagText(value) === '*' ? '*' : `"${tagText(value)}"`);
  return {
    ...(ifMatch !== undefined && {'If-Match': quoted(ifMatch)}),
    ...(ifNoneMatch !== undefined && {'If-None-Match': quoted(ifNoneMatch)}),
    ...(idempotencyKey !== undefined && {'Idempotency-Key': idempotencyKey}),
    ...(minimal && {Prefer: 'int64=string, return=minimal'}),
    ...(contentType && {'Content-Type': contentType})};
}

// ---------------------------------------------------------------- Live queries

/** A live query: its objects, and an async iterator of its results. `Collection.live` makes it. */
export class LiveQuery {
  /** Whether the objects are the query's result at present. False while the connection is lost. */
  isUpToDate = false;
  /** The error that ended the query, or that suspends it until it is valid again; null without one. */
  error = null;
  /** Whether the query has ended: by `close`, its signal, `signOut` or an error. */
  isClosed = false;
  /** Resolves with the objects of the first result. Rejects if the query ends before. */
  ready;
  #query; #view; #listeners; #leave; #settle; #event; #abort = () => this.close();
  #objects = null; #count = 0; #waiting = [];

  constructor(query, listeners, leave) {
    this.#query = query;
    this.#view = new ResultView(query.sort !== undefined);
    this.#listeners = listeners;
    this.#leave = leave;
    this.ready = new Promise((resolve, reject) => { this.#settle = {resolve, reject}; });
    this.ready.catch(() => {});
    const {signal} = listeners;
    if (signal?.aborted) queueMicrotask(this.#abort);
    else signal?.addEventListener('abort', this.#abort);
  }

  /** The objects of the last complete result. An object that has not changed stays the identical one. */
  get objects() { return (this.#objects ??= this.#view.entries.map(entry => entry.object)); }

  /** The same with keys and ETags, as `{id, etag, object}`. */
  get entries() { return this.#view.entries; }

  /** Ends the query. Iterators end, and the callback is not called any more. */
  close() { this._end(null); }

  /** Yields the present result, then each later one. A slow reader gets the newest one. Leaving the loop closes the query. */
  [Symbol.asyncIterator]() {
    const results = this.#results(), end = results.return;
    // A generator returns only after a `next` that waits, which ends with the query.
    results.return = value => {
      this.close();
      return end.call(results, value);
    };
    return results;
  }

  async *#results() {
    for (let seen = 0; ;) {
      if (this.#count > seen) {
        seen = this.#count;
        yield this.objects;
      } else if (!this.isClosed) await new Promise(resolve => this.#waiting.push(resolve));
      else if (this.error) throw this.error;
      else return;
    }
  }

  // ---- For `Holdfast`

  get _query() { return this.#query; }

  _apply({reset, changes, isCurrent}) {
    for (const {object, etag} of changes) remember(object, etag);
    this.#view.apply({reset, changes});
    this.#objects = null;
    this.isUpToDate = isCurrent;
    this.error = null;
    this.#event = {reset, changes: reset ? [] : changes.filter(({op}) => op !== 'indices')};
  }

  /** Reports the applied result, unless it is the last one again. */
  _report() {
    const {reset, changes} = this.#event;
    if (this.isClosed || (this.#count > 0 && !reset && changes.length === 0)) return;
    this.#count++;
    this.#settle.resolve(this.objects);
    this.#wake();
    call(this.#listeners.callback, this.objects, this.#event);
  }

  /** Forgets the objects, because the user is another one or may not read them any more. */
  _clear() {
    if (this.#view.size === 0) return;
    this._apply({reset: true, changes: [], isCurrent: false});
    this._report();
  }

  /** Suspends the query until its next result. */
  _fail(error) {
    this._clear();
    Object.assign(this, {error, isUpToDate: false});
    call(this.#listeners.onError, error);
  }

  _end(error) {
    if (this.isClosed) return;
    Object.assign(this, {error, isClosed: true, isUpToDate: false});
    this.#listeners.signal?.removeEventListener('abort', this.#abort);
    this.#settle.reject(error ?? new HoldfastError({code: 'closed', detail: 'The live query was closed.'}));
    this.#leave();
    this.#wake();
    if (error) call(this.#listeners.onError, error);
  }

  #wake() { for (const resolve of this.#waiting.splice(0)) resolve(); }
}

/** Calls a listener of the application. Its error is reported like one of an event listener. */
function call(listener, ...values) {
  try { listener?.(...values); } catch (error) { queueMicrotask(() => { throw error; }); }
}

// ---------------------------------------------------------------- Collections

/** The objects of a class or a projection. `Holdfast.class` and `Holdfast.projection` make it. */
export class Collection {
  #db; #kind; #name; #path;

  constructor(db, kind, name) {
    this.#db = db;
    this.#kind = kind;
    this.#name = name;
    this.#path = `/v1/${kind === 'class' ? 'classes' : 'projections'}/${encodeURIComponent(name)}`;
  }

  /** Reads one object. 404 `object-not-found` if it does not exist, or is hidden from the user. */
  get(key, {fields, expand, signal} = {}) { return this.#one('GET', key, {fields, expand}, undefined, {signal}); }

  /** Queries objects: `await` gives the first page `{objects, next, count}`, `for await` all objects, page by page. */
  query({signal, ...query} = {}) {
    const page = async cursor => (
      await this.#db.request('POST', `${this.#path}/query`, {body: {...query, ...(cursor && {cursor})}, signal})).body;
    return {
      page,
      then: (resolve, reject) => page().then(resolve, reject),
      async *[Symbol.asyncIterator]() {
        for (let found = {next: query.cursor}, isFirst = true; isFirst || found.next !== undefined; isFirst = false) {
          found = await page(found.next);
          yield* found.objects;
        }
      }};
  }

  /** Creates one object, or an array of objects in one transaction. 409 `duplicate-key` if the key is taken. */
  async create(object, {mode, signal, ...options} = {}) {
    const {body, headers} = await this.#db.request(
      'POST', withParameters(`${this.#path}/objects`, {mode}), {body: object, headers: headersOf(options), signal});
    if (!Array.isArray(object)) return remember(body, headers.get('ETag'));
    // In other modes, an object may be older than the transaction.
    if (mode === undefined || mode === 'create') for (const one of body?.objects ?? []) remember(one, body.version);
    return body?.objects ?? null;
  }

  /** Creates or replaces an object. With `ifMatch`, 412 `precondition-failed` if it has changed: `error.current` has it. */
  replace(key, object, options = {}) { return this.#one('PUT', key, {}, object, options); }

  /** Changes properties: an object is a merge patch, an array a JSON patch. With `upsert`, creates a missing object. */
  patch(key, changes, {upsert, ...options} = {}) {
    const contentType = `application/${Array.isArray(changes) ? 'json-patch' : 'merge-patch'}+json`;
    return this.#one('PATCH', key, {upsert}, changes, {contentType, ...options});
  }

  /** Deletes an object. Takes `ifMatch`. */
  async delete(key, options = {}) { await this.#one('DELETE', key, {}, undefined, options); }

  /**
   * Follows a query. `callback(objects, {reset, changes})` is called with the first result and after each change.
   * `onError(error)` is called when the query ends with an error, or is suspended until it is valid again.
   */
  live({signal, onError, ...query} = {}, callback = undefined) {
    return this.#db._follow({[this.#kind]: this.#name, ...query}, {callback, onError, signal});
  }

  async #one(method, key, parameters, body, {signal, ...options}) {
    const path = pathOf(this.#path, key, parameters);
    const reply = await this.#db.request(method, path, {body, headers: headersOf(options), signal});
    return remember(reply.body, reply.headers.get('ETag'));
  }
}

function withParameters(path, parameters) {
  const query = String(new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined)));
  return query ? `${path}?${query}` : path;
}

/** The path of an object. A key that a path or a proxy could misread is sent as JSON in the query. */
function pathOf(path, key, parameters) {
  const isPlain = typeof key === 'string' ? !/^\.{0,2}$|[/\\]/.test(key) : key !== null;
  return isPlain
    ? withParameters(`${path}/objects/${encodeURIComponent(key)}`, parameters)
    : withParameters(`${path}/object`, {key: JSON.stringify(key), ...parameters});
}

// ---------------------------------------------------------------- The client

/** The codes with which a request is refused if the session or token has ended. */
const SESSION_CODES = new Set(['token-invalid', 'token-missing', 'access-ended']);

/** A client of one service, for one user at a time. */
export class Holdfast {
  #options; #token = null; #user = null;
  /** The user that has signed in last; null after a sign-out. */
  #lastUser = null;
  #lives = new Map(); #count = 0;
  /** Sends a message to the hub of the connection; null before the first live query. */
  #post = null;
  #isOpened = false; #isAsking = false;
  /** Its signal ends what `close` has to end. */
  #closing = new AbortController();

  /**
   * - `url`: the address of the service, such as `https://data.example.org`.
   * - `token`: a token, or a function that returns a valid token of the same user whenever one is needed.
   * - `storage`: `localStorage` or `sessionStorage`, which keeps the session of `signIn`.
   * - `onSignedIn(user)`: called when there is a session or another token, also by another tab with the same storage.
   * - `onSignedOut(error)`: called when the session or token has ended, and without an error after `signOut`.
   * - `onConnection(status, error)`: called when the connection of live queries is `open`, or lost (`waiting`).
   * - `interval`: the least milliseconds between two events of live queries.
   * - `retryMaximum`: the longest pause between two attempts to connect, in milliseconds (30,000).
   * - `sharedConnection`: false for a connection of this client only; or a function that returns a `MessagePort`.
   * - `fetch`: in place of the global function. The client then has a connection of its own.
   */
  constructor(url, options = {}) {
    this.#options = {...options, url: String(url).replace(/\/+$/, '')};
    if (typeof options.token === 'string') this.#token = options.token;
    else if (!options.token) ({token: this.#token, user: this.#user} = stored(options.storage?.getItem(this.#storageKey)));
    this.#lastUser = this.#user;
    if (typeof document !== 'undefined') this.#listen();
  }

  /** The id of the user that has signed in by this client; null without one. */
  get user() { return this.#user; }

  /** Whether the client has a token, or a function that makes one. */
  get isSignedIn() { return this.#token !== null || typeof this.#options.token === 'function'; }

  // ---- Accounts

  /** Creates an account, and the user's own `object` if given, and signs in. 409 `account-exists`, 422 `invalid-account`. */
  async signUp(login, password, {object, signal} = {}) {
    await send(this.#options, null, 'POST', '/v1/accounts', {body: {login, password, object}, signal});
    return this.signIn(login, password, {signal});
  }

  /** Signs in with an account: `{user, expires}`. 401 `sign-in-refused`, 429 `too-many-tries`. */
  async signIn(login, password, {signal} = {}) {
    const {body} = await send(this.#options, null, 'POST', '/v1/sessions', {body: {login, password}, signal});
    this.setToken(body.token, body.user);
    return {user: body.user, expires: body.expires};
  }

  /** Ends the session and all live queries. */
  async signOut() {
    const token = this.#token;
    for (const live of [...this.#lives.values()]) live.close();
    this.#endSession();
    this.#isOpened = false;
    if (token) await send(this.#options, token, 'DELETE', '/v1/sessions/current').catch(() => {});
  }

  /** Continues with another token: of the same user, or of the user with the id `user`. */
  setToken(token, user = this.#lastUser) {
    this.#adopt(token, user);
    this.#options.storage?.setItem(this.#storageKey, JSON.stringify({token, user}));
  }

  /** The user of the token, with claims and roles. */
  async me({signal} = {}) { return (await this.request('GET', '/v1/me', {signal})).body; }

  /** Changes the password of the session's account. The account's other sessions end. 403 `password-wrong`. */
  async changePassword(password, newPassword, {signal} = {}) {
    await this.request('PUT', '/v1/me/password', {body: {password, newPassword}, signal});
  }

  /** Sets another password by a code that an admin has created. All sessions of the account end. */
  async resetPassword(code, newPassword, {signal} = {}) {
    await send(this.#options, null, 'POST', '/v1/password-resets', {body: {code, newPassword}, signal});
  }

  /** Ends all live queries, and what the client needs for them. The session stays. The client follows no other queries. */
  close() {
    for (const live of [...this.#lives.values()]) live.close();
    this.#leave();
    this.#closing.abort();
  }

  get #storageKey() { return `holdfast ${this.#options.url}`; }

  #adopt(token, user) {
    if (token === this.#token) return;
    const isOther = this.#lastUser !== null && user !== this.#lastUser;
    this.#token = token;
    this.#user = this.#lastUser = user;
    if (isOther) for (const live of this.#lives.values()) live._clear();
    if (this.#lives.size > 0) this.#open();
    else this.#leave();
    call(this.#options.onSignedIn, user);
  }

  /** Forgets the token. Live queries wait for the next one; without an error, which means a sign-out, they are emptied. */
  #endSession(error) {
    this.#token = this.#user = null;
    // Another tab learns of an error by its own requests.
    if (error) this.#options.storage?.setItem(this.#storageKey, '{}');
    else this.#options.storage?.removeItem(this.#storageKey);
    if (!error) {
      this.#lastUser = null;
      if (this.#isOpened) this.#post({do: 'close'});
    }
    for (const live of this.#lives.values()) {
      if (!error) live._clear();
      live.isUpToDate = false;
    }
    call(this.#options.onSignedOut, error);
  }

  /** The token of the application's function, or null. */
  async #makeToken() {
    const {token} = this.#options;
    try {
      return typeof token === 'function' ? await token() : null;
    } catch (cause) {
      throw new HoldfastError({
        code: 'token-failed', detail: `The function \`token\` has failed: ${cause?.message ?? cause}.`, cause});
    }
  }

  /** Asks for another token after one was refused. Returns whether there is one. */
  async #renew(refused, error) {
    if (this.#token !== refused) return this.#token !== null;
    const token = await this.#makeToken();
    if (token && token !== refused) this.#use(token);
    else this.#endSession(error);
    return this.#token !== null;
  }

  /** The same for live queries: if the function fails, it is asked again after a pause. */
  async #renewForLives(refused, error) {
    for (let failures = 0; this.#lives.size > 0; failures++) {
      try {
        return await this.#renew(refused, error);
      } catch (fault) {
        call(this.#options.onConnection, 'waiting', fault);
        const milliseconds = retryDelay({failures, maximum: this.#options.retryMaximum});
        await new Promise(resolve => setTimeout(resolve, milliseconds));
      }
    }
    return false;
  }

  /** Takes a token of the same user, for requests and for live queries. */
  #use(token) {
    this.#token = token;
    if (this.#isOpened) this.#post({do: 'token', token});
    else if (this.#lives.size > 0) this.#open();
  }

  // ---- Objects

  /** The objects of a class. */
  class(name) { return new Collection(this, 'class', name); }

  /** The objects of a projection. */
  projection(name) { return new Collection(this, 'projection', name); }

  /**
   * Makes several changes as a whole or not at all: `{version, results}`. `ifMatch` of an operation is an ETag or an
   * object. 412 `precondition-failed` or `store-changed` if a condition is not met.
   */
  async transaction(operations, {ifVersion, signal, ...options} = {}) {
    const sent = operations.map(one => (one.ifMatch === undefined ? one : {...one, ifMatch: tagText(one.ifMatch)}));
    const {body} = await this.request(
      'POST', '/v1/transactions', {body: {operations: sent, ifVersion}, headers: headersOf(options), signal});
    for (const {object, etag} of body.results ?? []) remember(object, etag);
    return body;
  }

  /**
   * Sends a request with the token: `{status, headers, body}`, where `body` is the JSON of the reply or null. If `headers` has
   * an `Accept`, the body of another type is a text. Throws `HoldfastError` for each status that is not 2xx.
   */
  async request(method, path, options = {}) {
    if (this.#token === null) {
      const made = await this.#makeToken();
      if (made && this.#token === null) this.#use(made);
    }
    const token = this.#token;
    try {
      return await send(this.#options, token, method, path, options);
    } catch (error) {
      if (error.status !== 401 || !SESSION_CODES.has(error.code) || !await this.#renew(token, error)) throw error;
      return send(this.#options, this.#token, method, path, options);
    }
  }

  /**
   * The address at which an `EventSource` of your own opens an event stream: `path` with a ticket, which opens it once
   * within 30 s. The client's live queries need no ticket.
   */
  async eventSourceURL(path, {signal} = {}) {
    const {body: {ticket}} = await this.request('POST', '/v1/tickets', {body: {url: path}, signal});
    return `${this.#options.url}${path}${path.includes('?') ? '&' : '?'}ticket=${encodeURIComponent(ticket)}`;
  }

  // ---- Live queries

  _follow(query, listeners) {
    // A query that JSON cannot state is refused here, and not where the request is sent.
    textOf(query);
    const number = ++this.#count;
    const live = new LiveQuery(query, listeners, () => {
      this.#lives.delete(number);
      this.#post?.({do: 'drop', number});
    });
    this.#lives.set(number, live);
    if (this.#closing.signal.aborted) live.close();
    else if (this.#isOpened) this.#post({do: 'add', number, query});
    else this.#open();
    return live;
  }

  /** Joins the connection of the present token, with all live queries. */
  #open() {
    if (this.#token === null && typeof this.#options.token === 'function') {
      if (this.#isAsking) return;
      this.#isAsking = true;
      this.#renewForLives(null).finally(() => { this.#isAsking = false; });
      return;
    }
    const {url, interval, retryMaximum} = this.#options, token = this.#token;
    this.#post ??= this.#connect();
    this.#post({do: 'open', user: userOf(token), options: {url, token, interval, retryMaximum}});
    this.#isOpened = true;
    for (const [number, live] of this.#lives) this.#post({do: 'add', number, query: live._query});
  }

  /** Leaves the connection. */
  #leave() {
    if (this.#isOpened) this.#post({do: 'close'});
    this.#isOpened = false;
  }

  /** Connects anew, after the worker has failed. */
  #reopen(connect) {
    this.#post = connect();
    this.#isOpened = false;
    for (const live of this.#lives.values()) live.isUpToDate = false;
    if (this.#lives.size > 0) this.#open();
  }

  #receive({shown = [], failed = [], status, error, refusedToken}) {
    const changed = shown.filter(({number}) => this.#lives.has(number)).map(({number, ...result}) => {
      const live = this.#lives.get(number);
      live._apply(result);
      return live;
    });
    for (const live of changed) live._report();
    for (const {number, error: members, isEnd} of failed) {
      const live = this.#lives.get(number), failure = new HoldfastError(members);
      if (isEnd) live?._end(failure);
      else live?._fail(failure);
    }
    if (status === undefined) return;
    const reason = error && new HoldfastError(error);
    if (status !== 'open') for (const live of this.#lives.values()) live.isUpToDate = false;
    if (status !== 'signedOut') return call(this.#options.onConnection, status, reason);
    this.#renewForLives(refusedToken, reason).then(isRenewed => { if (isRenewed) this.#use(this.#token); });
  }

  /** Connects to the hub: in a shared worker, at a port of the application's, or in this client. */
  #connect(workerName = WORKER_NAME) {
    const {sharedConnection, fetch} = this.#options, {signal} = this.#closing;
    const useOwn = () => {
      const take = new ConnectionHub().connect(message => this.#receive(message));
      return message => take(message.options && fetch ? {...message, options: {...message.options, fetch}} : message);
    };
    const usePort = port => {
      port.onmessage = ({data}) => {
        if (!data.lock) return this.#receive(data);
        // The worker holds the lock as long as it lives. All tabs then start the same next worker.
        const connect = () => this.#connect(`${WORKER_NAME} after ${data.lock}`);
        navigator.locks.request(data.lock, {signal}, () => this.#reopen(connect)).catch(() => {});
      };
      signal.addEventListener('abort', () => port.close());
      return message => port.postMessage(message);
    };
    if (typeof sharedConnection === 'function') return usePort(sharedConnection());
    if (sharedConnection === false || fetch || typeof SharedWorker === 'undefined') return useOwn();
    try {
      const worker = new SharedWorker(import.meta.url, {type: 'module', name: workerName});
      // A browser or a policy without module workers: the client connects by itself.
      worker.onerror = () => this.#reopen(useOwn);
      const name = `holdfast ${Math.random()}`;
      globalThis.navigator?.locks?.request(name, () => {
        worker.port.postMessage({do: 'lock', name});
        return new Promise(resolve => signal.addEventListener('abort', resolve));
      });
      return usePort(worker.port);
    } catch {
      // The module is of another origin than the page.
      return useOwn();
    }
  }

  /** Listens to the page: the network, the browser's cache of pages, and sign-ins of other tabs. */
  #listen() {
    const {signal} = this.#closing;
    const on = (event, act, target = globalThis) => target.addEventListener(event, act, {signal});
    const wake = () => { if (this.#isOpened) this.#post({do: 'wake'}); };
    on('online', wake);
    on('visibilitychange', () => { if (document.visibilityState === 'visible') wake(); }, document);
    on('pagehide', () => this.#leave());
    on('pageshow', ({persisted}) => { if (persisted && this.#lives.size > 0) this.#open(); });
    const {storage, token: ownToken} = this.#options;
    on('storage', ({key, newValue, storageArea}) => {
      if (storageArea !== storage || key !== this.#storageKey || typeof ownToken === 'function') return;
      const {token, user} = stored(newValue);
      if (token !== null) this.#adopt(token, user);
      else if (newValue === null && this.#token !== null) this.#endSession();
    });
  }
}

/** The session of a storage's text. A text that is not the client's is no session. */
function stored(text) {
  try {
    const {token = null, user = null} = JSON.parse(text);
    return {token, user};
  } catch {
    return {token: null, user: null};
  }
}

/** Names the user of a token, so that tabs with different tokens of one user share a connection. */
function userOf(token) {
  try {
    // The tokens of an identity provider differ by their times.
    const {exp, iat, nbf, jti, ...user} = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
    return JSON.stringify(user);
  } catch {
    return token;
  }
}
