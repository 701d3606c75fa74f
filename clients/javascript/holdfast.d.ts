/** The types of the JavaScript client of Holdfast. */

/** A value of JSON. */
export type JSONValue = null | boolean | number | string | JSONValue[] | {[name: string]: JSONValue};

/** A primary key, or the `$id` in a class without one. An integer beyond 2^53 is a string or a bigint; replies have a string. */
export type Key = string | number | bigint | null;

/** Names or paths: with commas between them, or as an array. */
export type Names = string | readonly string[];

/** An ETag with or without quotes, `*`, or an object that the client returned. */
export type Tag = string | object;

/** One fault of a request. */
export interface Fault {
  code: string;
  detail: string;
  /** A JSON pointer into the body. */
  pointer?: string;
  parameter?: string;
  line?: number;
  column?: number;
  /** The nearest known name. */
  hint?: string;
}

/** An error of the service, of the network, or of a proxy in between. */
export class HoldfastError<T extends object = any> extends Error {
  constructor(members: {
    status?: number; code: string; detail: string; errors?: Fault[]; current?: {etag: string; object: object};
    retryAfter?: number; cause?: unknown});
  /** The HTTP status; 0 if no reply came, or if an event stream reported the error. */
  readonly status: number;
  /** The service's stable code, or the client's `network-error`, `unexpected-reply`, `token-failed`, `stream-ended` or `closed`. */
  readonly code: string;
  /** A sentence about the error; the same as `message`. */
  readonly detail: string;
  /** Each fault of the request. */
  readonly errors: Fault[];
  /** The nearest known name, if the service found one. */
  readonly hint: string | undefined;
  /** The stored object of a failed precondition (412). */
  readonly current?: {etag: string; object: T};
  /** The seconds after which another attempt makes sense. */
  readonly retryAfter?: number;
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean;
  /** The error of a reply with a status other than 2xx. */
  static from(response: Response): Promise<HoldfastError>;
}

export interface Cancellable {
  signal?: AbortSignal;
}

/** The options of a client. */
export interface HoldfastOptions {
  /** A token, or a function that returns a valid token of the same user whenever one is needed. */
  token?: string | (() => string | null | Promise<string | null>);
  /** Keeps the session of `signIn`: `localStorage` or `sessionStorage`. */
  storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Called when there is a session or another token, also by another tab with the same storage. */
  onSignedIn?: (user: string | null) => void;
  /** Called when the session or token has ended, and without an error after `signOut`. */
  onSignedOut?: (error?: HoldfastError) => void;
  /** Called when the connection of live queries is open, or lost. */
  onConnection?: (status: 'open' | 'waiting', error?: HoldfastError) => void;
  /** The least milliseconds between two events of live queries, from 10 to 10,000. */
  interval?: number;
  /** The longest pause between two attempts to connect, in milliseconds; 30,000 by default. */
  retryMaximum?: number;
  /** False for a connection of this client only; or a function that returns a port of `serveConnections`. */
  sharedConnection?: boolean | (() => MessagePort);
  /** In place of the global function. The client then has a connection of its own. */
  fetch?: typeof fetch;
}

export interface ReadOptions extends Cancellable {
  fields?: Names;
  expand?: Names;
}

export interface WriteOptions extends Cancellable {
  /** Writes only if the stored ETag is this one, or `*` for any. Otherwise 412 `precondition-failed`. */
  ifMatch?: Tag;
  /** `*`: writes only if the object does not exist. Otherwise 412. */
  ifNoneMatch?: '*';
  /** Leaves the object out of the reply, which is null then. */
  minimal?: boolean;
}

export interface RepeatableOptions {
  /** Makes the request safe to repeat: a repeat with the same key gets the first reply. */
  idempotencyKey?: string;
}

export interface QueryOptions extends Cancellable, ReadOptions {
  filter?: string;
  /** The values of `$0`, `$1`… */
  args?: readonly unknown[];
  sort?: Names;
  distinct?: Names;
  /** The objects of a page: 100 by default, at most 1,000. */
  limit?: number;
  cursor?: string;
  count?: 'none' | 'exact';
}

export interface Page<T> {
  objects: T[];
  /** The cursor of the next page; undefined on the last one. */
  next?: string;
  /** The number of all objects that match, with `count: 'exact'`. */
  count?: number;
}

/** A query: `await` gives its first page, `for await` all objects, page by page. */
export interface Query<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {
  /** The page behind a cursor, or the first one. */
  page(cursor?: string): Promise<Page<T>>;
}

export interface LiveOptions extends Cancellable {
  filter?: string;
  args?: readonly unknown[];
  /** Follows one object, which need not exist yet. Not together with `filter` or `sort`. */
  id?: Key;
  /** Makes a live list: the first `limit` objects in this order. */
  sort?: Names;
  /** The length of a live list: 100 by default, at most 1,000. Needs `sort`. */
  limit?: number;
  fields?: Names;
  expand?: Names;
  /** Reports updates only for these paths. */
  keyPaths?: Names;
  /** Adds `old` to the changes that are updates. */
  old?: boolean;
  /** Called when the query ends with an error, or is suspended until it is valid again. */
  onError?: (error: HoldfastError) => void;
}

/** A change of a result. */
export interface Change<T> {
  op: 'enter' | 'update' | 'leave' | 'delete';
  id: Exclude<Key, bigint>;
  etag?: string;
  object?: T;
  /** The top-level properties that changed. */
  changed?: string[];
  /** With `old`, the former values of these properties. */
  old?: Partial<T>;
  /** Of a live list, the index after the change. */
  index?: number;
}

export interface LiveEvent<T> {
  /** Whether the whole result is new. `changes` is empty then. */
  reset: boolean;
  changes: Change<T>[];
}

export interface Entry<T> {
  id: Exclude<Key, bigint>;
  etag: string;
  object: T;
}

/** A live query: its objects, and an async iterator of its results. */
export class LiveQuery<T = any> implements AsyncIterable<T[]> {
  private constructor();
  /** The objects of the last complete result, in order if the query has `sort`. */
  readonly objects: T[];
  /** The same with keys and ETags. */
  readonly entries: Entry<T>[];
  /** Whether the objects are the query's result at present. */
  readonly isUpToDate: boolean;
  /** Whether the query has ended. */
  readonly isClosed: boolean;
  /** The error that ended the query, or that suspends it. */
  readonly error: HoldfastError | null;
  /** Resolves with the objects of the first result. Rejects if the query ends before. */
  readonly ready: Promise<T[]>;
  /** Ends the query. */
  close(): void;
  /** Yields the present result, then each later one. Leaving the loop closes the query. */
  [Symbol.asyncIterator](): AsyncGenerator<T[], void, undefined>;
}

/** The objects of a class or a projection. */
export class Collection<T extends object = any> {
  private constructor();
  /** Reads one object. 404 `object-not-found` if it does not exist, or is hidden from the user. */
  get(key: Key, options?: ReadOptions): Promise<T>;
  /** Queries objects. 400 `invalid-query`, with the place of each fault in `errors`; 410 `cursor-expired`. */
  query(options?: QueryOptions): Query<T>;
  /** Creates an object, or several in one transaction, and returns none. */
  create(object: Partial<T> | readonly Partial<T>[], options: CreateOptions & {minimal: true}): Promise<null>;
  /** Creates an object. Null if the user may not read it. 409 `duplicate-key`. */
  create(object: Partial<T>, options?: CreateOptions): Promise<T>;
  /** Creates several objects in one transaction. */
  create(objects: readonly Partial<T>[], options?: CreateOptions): Promise<T[]>;
  replace(key: Key, object: Partial<T>, options: WriteOptions & {minimal: true}): Promise<null>;
  /** Creates or replaces an object: a property that is left out gets its default. Null if the user may not read it. */
  replace(key: Key, object: Partial<T>, options?: WriteOptions): Promise<T>;
  patch(key: Key, changes: MergePatch<T> | readonly PatchOperation[], options: PatchOptions & {minimal: true}): Promise<null>;
  /** Changes properties by a merge patch. With `upsert`, creates an object that is missing. Null if the user may not read it. */
  patch(key: Key, changes: MergePatch<T>, options?: PatchOptions): Promise<T>;
  /** Changes an object by a JSON patch (RFC 6902). */
  patch(key: Key, changes: readonly PatchOperation[], options?: PatchOptions): Promise<T>;
  delete(key: Key, options?: Pick<WriteOptions, 'ifMatch' | 'signal'>): Promise<void>;
  /** Follows a query. The callback is called with the first result, and after each change. */
  live(options?: LiveOptions, callback?: (objects: T[], event: LiveEvent<T>) => void): LiveQuery<T>;
}

export interface CreateOptions extends WriteOptions, RepeatableOptions {
  /** The treatment of an object with the same key; `create` refuses it. */
  mode?: 'create' | 'merge' | 'replace' | 'ignore';
}

export interface PatchOptions extends WriteOptions, RepeatableOptions {
  upsert?: boolean;
}

/** Properties to change; null clears an optional one. */
export type MergePatch<T> = {[Name in keyof T]?: T[Name] extends object ? MergePatch<T[Name]> | T[Name] | null : T[Name] | null};

export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  from?: string;
  value?: unknown;
}

/** An operation of a transaction, of a `class` or a `projection`. */
export interface Operation {
  op: 'create' | 'put' | 'merge' | 'patch' | 'delete';
  class?: string;
  projection?: string;
  id?: Key | {$ref: string};
  value?: object;
  ifMatch?: Tag;
  /** The name of the operation's object in this transaction, for `{$ref: name}`. */
  ref?: string;
}

export interface TransactionResult {
  version: string;
  /** Each object as it is at the end. A deleted object has neither `etag` nor `object`. */
  results: {class: string; id: Exclude<Key, bigint>; etag?: string; object?: any}[];
}

export interface Caller {
  user?: string;
  login?: string;
  token?: string;
  right?: 'metrics' | 'read' | 'write' | 'admin';
  claims?: {[name: string]: JSONValue};
  classes?: string[];
  roles?: string[];
  expires?: string;
}

export interface Reply<Body = any> {
  status: number;
  headers: Headers;
  /** The JSON of the reply, or a text if the request has an `Accept` of its own; null without a body. */
  body: Body;
}

/** A client of one service, for one user at a time. `Classes` maps the names of classes to their types. */
export class Holdfast<Classes extends {[name in keyof Classes]: object} = {[name: string]: any}> {
  /** `url` is the address of the service, such as `https://data.example.org`. */
  constructor(url: string | URL, options?: HoldfastOptions);
  /** The id of the user that has signed in by this client; null without one. */
  readonly user: string | null;
  /** Whether the client has a token, or a function that makes one. */
  readonly isSignedIn: boolean;
  /**
   * Creates an account, and signs in with it. 409 `account-exists`, 422 `invalid-account`.
   *
   * `object` has the values of the user's own object, without its key. Account and object are one transaction.
   */
  signUp(login: string, password: string, options?: Cancellable & {object?: object}): Promise<{user: string; expires: string}>;
  /** Signs in with an account. 401 `sign-in-refused`, 429 `too-many-tries`. */
  signIn(login: string, password: string, options?: Cancellable): Promise<{user: string; expires: string}>;
  /** Ends the session and all live queries. */
  signOut(): Promise<void>;
  /** Ends all live queries, and what the client needs for them. The session stays. The client follows no other queries. */
  close(): void;
  /** Continues with another token: of the same user, or of the user with the id `user`. */
  setToken(token: string, user?: string): void;
  me(options?: Cancellable): Promise<Caller>;
  /** Changes the password of the session's account. 403 `password-wrong`. */
  changePassword(password: string, newPassword: string, options?: Cancellable): Promise<void>;
  /** Sets another password by a code that an admin has created. */
  resetPassword(code: string, newPassword: string, options?: Cancellable): Promise<void>;
  /** The objects of a class. */
  class<Name extends keyof Classes & string>(name: Name): Collection<Classes[Name]>;
  class<T extends object>(name: string): Collection<T>;
  /** The objects of a projection. */
  projection<T extends object = any>(name: string): Collection<T>;
  /** Makes several changes as a whole or not at all. 412 `precondition-failed` or `store-changed`. */
  transaction(
    operations: readonly Operation[],
    options?: Cancellable & RepeatableOptions & {ifVersion?: string; minimal?: boolean}): Promise<TransactionResult>;
  /** Sends a request with the token. Throws `HoldfastError` for each status that is not 2xx. */
  request<Body = any>(
    method: string, path: string,
    options?: Cancellable & {body?: unknown; headers?: {[name: string]: string}}): Promise<Reply<Body>>;
  /** The address at which an `EventSource` of your own opens the event stream at `path`, with a ticket. */
  eventSourceURL(path: string, options?: Cancellable): Promise<string>;
}

/** The ETag of an object that the client returned, without quotes; undefined if the client does not know it. */
export function etagOf(object: object | null): string | undefined;

/** Serves clients at the other end of a port, with one connection for all of them. */
export function serveConnections(port: MessagePort): void;

// ---- The parts without input and output

/** An event of a stream. Without `data` it is a heartbeat. */
export interface StreamEvent {
  event: string;
  data?: string;
  id?: string;
  retry?: number;
}

/** Reads server-sent events from chunks of bytes or text, cut anywhere. */
export class EventParser {
  push(chunk: Uint8Array | string): StreamEvent[];
}

/** The entries of `snapshot` and `change` events, after forgetting everything if `reset`. */
export interface ResultChange {
  reset: boolean;
  changes: object[];
}

/** The result of one query. */
export class ResultView<T = any> {
  constructor(isList?: boolean);
  readonly entries: Entry<T>[];
  readonly size: number;
  apply(change: ResultChange): void;
  clear(): void;
}

/** The state of a client that follows one query, or several on one connection: a pure function of the events. */
export class LiveState {
  /** The last `id`: the position to resume from. */
  id: string;
  /** The seconds without an event after which the service sends a heartbeat. */
  heartbeat: number;
  add(name?: string, options?: {isList?: boolean}): void;
  remove(name?: string): void;
  view(name?: string): ResultView | undefined;
  isKnown(name?: string): boolean;
  isCurrent(name?: string): boolean;
  begin(names?: Iterable<string>): void;
  end(): void;
  apply(event: StreamEvent): {
    shown: ({query: string} & ResultChange)[];
    failed: {query: string; code: string; detail: string}[];
    end: {code: string; detail: string} | null;
  };
}

/** Whether a request that failed with this status may succeed later; 0 stands for no reply. */
export function isTransient(status: number): boolean;

/** The seconds of a `Retry-After` header; undefined without one. `now` is in milliseconds. */
export function parseRetryAfter(text: string | null, now: number): number | undefined;

/** The milliseconds to wait before the next attempt. */
export function retryDelay(policy: {
  failures?: number; retry?: number; retryAfter?: number; maximum?: number; random?: () => number}): number;
