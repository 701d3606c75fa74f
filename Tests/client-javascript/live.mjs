/** Checks of the client against running services: accounts, requests, and live queries through everything that breaks. */
import {Holdfast, HoldfastError, etagOf, serveConnections} from '../../clients/javascript/holdfast.js';
import {randomUUID} from 'node:crypto';
import {Random, check, equal, pause, refused, sequence, until} from '../support/checks.mjs';
import {Proxy, Service} from './service.mjs';

const SCHEMA = {classes: [
  {name: 'Task', primaryKey: 'id', properties: {
    id: {type: 'int', default: '$next'}, title: 'string', done: 'bool', rank: 'int', owner: {type: 'string', indexed: true}}},
  {name: 'Person', primaryKey: 'id', properties: {id: 'uuid', name: 'string'}},
  {name: 'Page', primaryKey: 'path', properties: {path: 'string', text: 'string'}}]};
const OWN = 'owner == $user.id';
const ACCESS = {users: 'Person', signUp: true, roles: {member: {classes: {
  Person: {read: 'id == $user.id', create: 'id == $user.id'},
  Task: {read: OWN, create: OWN, update: OWN, delete: OWN}, Page: {read: true, create: true, update: true, delete: true}}}}};
const PASSWORD = 'correct horse battery';
// Short pauses between attempts, so that the checks do not wait.
const OPTIONS = {retryMaximum: 100};

/** The objects of a class that match, by requests; in order if the query has one. */
async function fresh(db, {sort, limit, ...query}) {
  const found = [];
  for await (const task of db.class('Task').query({...query, sort: sort ?? 'id', limit: limit ?? 1000})) {
    found.push(task);
    if (found.length === limit) break;
  }
  return found;
}

const inOrder = (query, tasks) => (query.sort ? tasks : [...tasks].sort((a, b) => a.id - b.id));

let marks = 0;

/** Writes a task that all queries of `QUERIES` show, waits until each live query shows it, and compares the results. */
async function compare(writer, lives, what) {
  const title = `mark ${++marks}`;
  await writer.class('Task').create({title, rank: 1000 + marks, owner: 'mark'});
  for (const [live, query] of lives) {
    await until(`${what}: ${JSON.stringify(query)}`, () => live.isUpToDate && live.objects.some(task => task.title === title));
    equal(inOrder(query, live.objects), await fresh(writer, query), `${what}: ${JSON.stringify(query)}`);
  }
}

const QUERIES = [
  {filter: 'done == false'}, {filter: 'rank > $0', args: [40]}, {filter: 'done == false', sort: '-rank,id', limit: 5},
  {filter: 'rank > 20', fields: 'id,title'}];

/** Changes tasks at random. */
async function write(db, random, count) {
  const tasks = db.class('Task');
  for (; count > 0; count--) {
    const operations = [];
    for (let number = 1 + random.below(4); number > 0; number--) {
      const id = 1 + random.below(60);
      operations.push({op: 'put', class: 'Task', id, value: {
        title: `task ${random.below(1000)}`, done: random.isTrue(0.3), rank: random.below(100), owner: 'x'}});
    }
    await db.transaction(operations, {minimal: true});
    if (random.isTrue(0.3)) await tasks.delete(1 + random.below(60)).catch(error => equal(error.status, 404));
  }
}

async function checkRestarts(seed) {
  const check = sequence();
  const service = await Service.start('--heartbeat', '1s');
  const random = new Random(seed);
  const proxy = await Proxy.start(service);
  try {
    await service.set('PUT', '/v1/schema', SCHEMA);
    const writer = new Holdfast(service.url);
    const db = new Holdfast(proxy.url, OPTIONS);
    const lives = QUERIES.map(query => [db.class('Task').live(query), query]);
    await Promise.all(lives.map(([live]) => live.ready));
    await check('live queries equal the results of requests', async () => {
      await write(writer, random, 30);
      await compare(writer, lives, 'live');
      equal(proxy.streamCount, 1, 'the number of connections');
    });
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL']) {
      await check(`they do after ${signal} and a start on the same store`, async () => {
        const writing = write(writer, random, 1000).catch(() => {});
        await pause(50);
        await service.restart(signal);
        await writing;
        await write(writer, random, 20);
        await compare(writer, lives, signal);
      });
    }
    await check('they do through a proxy that answers 503 while the service is away', async () => {
      await service.restart('SIGKILL', async () => {
        proxy.refusal = 503;
        proxy.cut();
        await pause(500);
      });
      await write(writer, random, 20);
      proxy.refusal = null;
      await compare(writer, lives, '503');
    });
    await check('they do through a proxy that cuts connections', async () => {
      for (let cut = 0; cut < 20; cut++) {
        await write(writer, random, 2);
        proxy.cut();
        await pause(random.below(100));
      }
      await compare(writer, lives, 'cut');
    });
    await check('they do after a connection on which nothing comes any more', async () => {
      proxy.silence();
      await write(writer, random, 20);
      await compare(writer, lives, 'silence');
    });
    await check('queries are added and removed on the connection, and each ends with its result', async () => {
      const before = proxy.requests.length;
      for (let change = 0; change < 12; change++) {
        if (lives.length > 2 && random.isTrue()) lives.splice(random.below(lives.length), 1)[0][0].close();
        else {
          const query = {filter: `rank >= ${change * 5}`, ...(random.isTrue() && {sort: '-rank,id', limit: 3 + change})};
          lives.push([db.class('Task').live(query), query]);
        }
        await write(writer, random, 2);
      }
      await compare(writer, lives, 'added and removed');
      const requests = new Set(proxy.requests.slice(before).map(request => request.replace(/streams.*/, 'streams/…')));
      equal([...requests], ['PATCH /v1/streams/…'], 'the requests');
      const path = proxy.requests.at(-1).split(' ')[1];
      await until('only the present queries', async () =>
        (await service.set('PATCH', path, {queries: {}})).queries.length === lives.length);
    });
    await check('a query that the service refuses ends with its error, and others continue', async () => {
      let reported = null;
      const live = db.class('Task').live({filter: 'tilte == 1'}, () => {}, {});
      const other = db.class('Task').live({filter: 'nothing'.length, onError: error => { reported = error; }});
      const error = await refused(live.ready);
      equal([error.code, error.hint, live.isClosed, live.error === error], ['query-unknown-property', 'title', true, true]);
      await until('the other error', () => reported);
      equal(other.isClosed, true);
      await compare(writer, lives, 'beside a refused query');
    });
    await check('one object is followed from before it exists until it is deleted', async () => {
      const events = [];
      const live = db.class('Task').live({id: 7777}, objects => events.push(objects.map(task => task.title)));
      await live.ready;
      for (const title of ['one', 'two']) {
        await writer.class('Task').replace(7777, {title, owner: 'x'});
        await until(title, () => live.objects[0]?.title === title);
      }
      equal(etagOf(live.objects[0]), etagOf(await writer.class('Task').get(7777)));
      await writer.class('Task').delete(7777);
      await until('deleted', () => live.objects.length === 0);
      equal(events, [[], ['one'], ['two'], []]);
      live.close();
    });
    await check('an iterator yields results until its loop is left, which closes the query', async () => {
      const live = db.class('Task').live({filter: 'title == "end"'});
      for await (const tasks of live) {
        if (tasks.length > 0) break;
        await writer.class('Task').create({title: 'end', owner: 'x'});
      }
      equal(live.isClosed, true);
      const abort = new AbortController();
      const other = db.class('Task').live({signal: abort.signal});
      await other.ready;
      abort.abort();
      for await (const tasks of other) equal(tasks.length > 0, true);
      equal(other.isClosed, true);
    });
    await check('the connection ends with the last live query', async () => {
      for (const [live] of lives) live.close();
      await until('no connection', () => proxy.streamCount === 0);
      const live = db.class('Task').live({});
      await live.ready;
      live.close();
      await until('no connection again', () => proxy.streamCount === 0);
    });
  } finally {
    proxy.stop();
    await service.stop();
  }
}

async function checkRequests(service, admin) {
  const db = new Holdfast(service.url, {token: admin});
  const tasks = db.class('Task');
  await check('an object is created, read, changed, replaced and deleted', async () => {
    const made = await tasks.create({title: 'Bread', owner: 'x'});
    equal([made.title, typeof etagOf(made)], ['Bread', 'string']);
    equal(await tasks.get(made.id), made);
    equal(await tasks.get(made.id, {fields: 'title'}), {title: 'Bread'});
    const patched = await tasks.patch(made.id, {rank: 3});
    equal([patched.title, patched.rank], ['Bread', 3]);
    equal((await tasks.patch(made.id, [{op: 'replace', path: '/rank', value: 4}])).rank, 4);
    equal((await tasks.replace(made.id, {title: 'Milk', owner: 'x'})).rank, 0);
    await tasks.delete(made.id);
    const error = await refused(tasks.get(made.id));
    equal([error instanceof HoldfastError, error.status, error.code], [true, 404, 'object-not-found']);
    equal((await tasks.create([{title: 'a', owner: 'y'}, {title: 'b', owner: 'y'}])).map(({title}) => title), ['a', 'b']);
  });
  await check('a write with the ETag of an older state is refused, and succeeds with the present one', async () => {
    const {id} = await tasks.create({title: 'one', owner: 'x'});
    const [first, second] = [await tasks.get(id), await tasks.get(id)];
    await tasks.patch(id, {title: 'two'}, {ifMatch: first});
    const error = await refused(tasks.patch(id, {title: 'three'}, {ifMatch: second}));
    equal([error.status, error.code, error.current.object.title], [412, 'precondition-failed', 'two']);
    equal((await tasks.patch(id, {title: 'three'}, {ifMatch: error.current.object})).title, 'three');
    equal((await refused(tasks.delete(id, {ifMatch: etagOf(second)}))).status, 412);
    equal((await refused(tasks.replace(id, {title: 'x'}, {ifNoneMatch: '*'}))).status, 412);
    equal((await refused(tasks.patch(id, {}, {ifMatch: {}}))) instanceof TypeError, true);
  });
  await check('a transaction happens as a whole or not at all', async () => {
    const task = await tasks.create({title: 'before', owner: 'x'});
    const {version, results} = await db.transaction([
      {op: 'patch', class: 'Task', id: task.id, ifMatch: task, value: {title: 'after'}},
      {op: 'create', class: 'Task', value: {title: 'new', owner: 'x'}}]);
    equal([results.map(({object}) => object.title), etagOf(results[0].object)], [['after', 'new'], version]);
    const error = await refused(db.transaction([
      {op: 'delete', class: 'Task', id: results[1].id},
      {op: 'patch', class: 'Task', id: task.id, ifMatch: task, value: {title: 'lost'}}]));
    equal([error.status, error.errors[0]?.pointer ?? '/operations/1'], [412, '/operations/1']);
    equal((await tasks.get(results[1].id)).title, 'new');
    equal((await refused(db.transaction([], {ifVersion: etagOf(task)}))).code, 'store-changed');
  });
  await check('a repeat with an idempotency key writes once', async () => {
    const idempotencyKey = randomUUID();
    const write = () => tasks.create({title: 'once', owner: 'x'}, {idempotencyKey});
    equal(await write(), await write());
  });
  await check('a query gives its first page, and all pages', async () => {
    await tasks.create(Array.from({length: 25}, (_, rank) => ({title: 'page', rank, owner: 'x'})));
    const query = {filter: 'title == $0', args: ['page'], sort: '-rank', limit: 10, fields: ['rank'], count: 'exact'};
    const {objects, next, count} = await tasks.query(query);
    equal([objects[0], objects.length, typeof next, count], [{rank: 24}, 10, 'string', 25]);
    const ranks = [];
    for await (const {rank} of tasks.query(query)) ranks.push(rank);
    equal(ranks, Array.from({length: 25}, (_, index) => 24 - index));
    const error = await refused(tasks.query({filter: 'tilte == 1'}).page());
    equal([error.code, error.errors[0].code, error.hint], ['invalid-query', 'query-unknown-property', 'title']);
  });
  await check('keys of any form reach their objects', async () => {
    const pages = db.class('Page');
    for (const path of ['plain', 'a/b', '', '.', '..', 'ü €?#%', 'a\\b', '+', ' ']) {
      await pages.replace(path, {text: path});
      equal(await pages.get(path), {path, text: path});
      await pages.delete(path);
      equal((await refused(pages.get(path))).status, 404);
    }
  });
  await check('integers beyond 2^53 arrive without loss', async () => {
    const id = '9007199254740993';
    await tasks.create({id, title: 'large', owner: 'x'});
    equal((await tasks.get(id)).id, id);
    const live = tasks.live({filter: 'title == "large"'});
    equal((await live.ready)[0].id, id);
    live.close();
  });
  await check('an aborted request throws the reason of its signal', async () => {
    const abort = new AbortController();
    abort.abort();
    equal((await refused(tasks.get(1, {signal: abort.signal}))).name, 'AbortError');
  });
  await check('a ticket opens an event stream without a token', async () => {
    const url = await db.eventSourceURL('/v1/classes/Task/changes?since=now');
    const reply = await fetch(url, {headers: {Accept: 'text/event-stream'}});
    equal([reply.status, reply.headers.get('Content-Type')], [200, 'text/event-stream']);
    await reply.body.cancel();
  });
  await check('a service that is not there is a network error', async () => {
    const error = await refused(new Holdfast('http://127.0.0.1:1').class('Task').get(1));
    equal([error.status, error.code, error.isTransient], [0, 'network-error', true]);
  });
}

async function checkAccounts(service, admin) {
  const check = sequence();
  const proxy = await Proxy.start(service);
  const operator = new Holdfast(service.url, {token: admin});
  const values = new Map();
  const storage = {
    getItem: key => values.get(key) ?? null, setItem: (key, value) => values.set(key, value), removeItem: key => values.delete(key)};
  const ended = [];
  const db = new Holdfast(proxy.url, {...OPTIONS, storage, onSignedOut: error => ended.push(error?.code)});
  const query = {filter: 'done == false'};
  try {
    await check('a visitor signs up with an object of their own, and is signed in', async () => {
      equal(db.isSignedIn, false);
      const fault = await refused(db.signUp('ann@example.org', PASSWORD, {object: {nam: 'Ann'}}));
      equal(fault.errors.map(({pointer}) => pointer), ['/object/nam']);
      const {user, expires} = await db.signUp('ann@example.org', PASSWORD, {object: {name: 'Ann'}});
      equal([db.isSignedIn, db.user, Date.parse(expires) > Date.now()], [true, user, true]);
      equal(await db.class('Person').get(user), {id: user, name: 'Ann'});
      equal((await db.me()).login, 'ann@example.org');
      equal((await refused(new Holdfast(service.url).signUp('ann@example.org', PASSWORD))).code, 'account-exists');
      equal((await refused(new Holdfast(service.url).signIn('ann@example.org', 'wrong password'))).code, 'sign-in-refused');
    });
    const live = db.class('Task').live(query);
    const add = title => db.class('Task').create({title, owner: db.user});
    const titles = () => live.objects.map(({title}) => title).sort();
    const shows = expected => until(String(expected), () => live.isUpToDate && String(titles()) === String(expected));
    await check('a live query of a user shows the objects that rules admit', async () => {
      await operator.class('Task').create({title: 'hidden', owner: 'somewhere else'});
      await add('a');
      await shows(['a']);
      equal((await refused(db.class('Task').create({title: 'x', owner: 'x'}))).code, 'not-allowed');
    });
    await check('a session that ends is reported once, and the live query continues after the next sign-in', async () => {
      const {user} = db, other = new Holdfast(service.url);
      await other.signIn('ann@example.org', PASSWORD);
      await other.request('DELETE', '/v1/sessions');
      await until('the end of the session', () => ended.length > 0);
      equal([ended, db.isSignedIn, live.isUpToDate, live.isClosed, titles()], [['token-invalid'], false, false, false, ['a']]);
      equal(db.user, null);
      await operator.class('Task').create({title: 'b', owner: user});
      await db.signIn('ann@example.org', PASSWORD);
      await shows(['a', 'b']);
      await add('c');
      await shows(['a', 'b', 'c']);
    });
    await check('a storage keeps the session for the next page', async () => {
      const next = new Holdfast(service.url.replace(service.url, proxy.url), {storage});
      equal([next.isSignedIn, next.user, (await next.me()).user], [true, db.user, db.user]);
    });
    await check('another user sees nothing of the former one', async () => {
      const {user} = db;
      await db.signUp('bob@example.org', PASSWORD);
      equal([db.user === user, titles()], [false, []]);
      await shows([]);
      await add('d');
      await shows(['d']);
    });
    await check('signing out ends the session and the live queries', async () => {
      ended.length = 0;
      await db.signOut();
      equal([ended, db.isSignedIn, live.isClosed, values.size], [[undefined], false, true, 0]);
      equal((await refused(db.class('Task').get(1))).code, 'token-missing');
    });
  } finally {
    proxy.stop();
  }
}

async function checkExpiringTokens(service, admin) {
  await check('a function renews tokens that expire, for live queries and requests', async () => {
    let made = 0;
    const token = async () => {
      const expires = new Date(Date.now() + 2000).toISOString().replace(/\.\d+/, '');
      const terms = {name: `short-${++made}`, right: 'write', user: 'cem', expires};
      return (await service.set('POST', '/v1/tokens', terms, admin)).token;
    };
    const cem = new Holdfast(service.url, {...OPTIONS, token});
    const own = cem.class('Task').live({});
    await own.ready;
    await until('three tokens', () => made >= 3);
    await cem.class('Task').create({title: 'renewed', owner: 'cem'});
    await until('the task', () => own.isUpToDate && own.objects.some(({title}) => title === 'renewed'));
    own.close();
  });
}

/** As in Node 18, where requests do not learn of an abort after a garbage collection. */
async function checkLostAborts(service, admin) {
  const proxy = await Proxy.start(service);
  const writer = new Holdfast(service.url, {token: admin});
  try {
    await check('live queries and requests end connections that fetch does not end with their signal', async () => {
      const withoutSignal = (url, {signal, ...options}) => fetch(url, options);
      const db = new Holdfast(proxy.url, {...OPTIONS, token: admin, fetch: withoutSignal});
      const query = {filter: 'rank >= 1000'}, live = db.class('Task').live(query);
      await live.ready;
      proxy.silence();
      await compare(writer, [[live, query]], 'lost abort');
      live.close();
      await until('no connection', () => proxy.streamCount === 0);
      const silent = new Holdfast(proxy.url, {token: admin, fetch: () => new Promise(() => {})});
      const abort = new AbortController(), reason = new Error('enough');
      const request = refused(silent.class('Task').get(1, {signal: abort.signal}));
      abort.abort(reason);
      equal(await request === reason, true);
    });
  } finally {
    proxy.stop();
  }
}

async function checkSharedConnection(service, admin, seed) {
  const proxy = await Proxy.start(service);
  const random = new Random(seed);
  const operator = new Holdfast(service.url, {token: admin});
  const ports = [];
  const sharedConnection = () => {
    const {port1, port2} = new MessageChannel();
    ports.push(port1);
    serveConnections(port2);
    return port1;
  };
  try {
    await check('six clients share one connection, through cuts and silence, and each has the results', async () => {
      const lives = [];
      for (let tab = 0; tab < 6; tab++) {
        const db = new Holdfast(proxy.url, {...OPTIONS, token: admin, sharedConnection});
        for (const query of QUERIES) lives.push([db.class('Task').live(query), query]);
        await Promise.all(lives.map(([live]) => live.ready));
        await write(operator, random, 3);
      }
      equal(proxy.streamCount, 1, 'the number of connections');
      equal(proxy.requests.filter(request => request === 'POST /v1/streams').length, 1, 'the number of streams');
      await compare(operator, lives, 'six clients');
      proxy.cut();
      await write(operator, random, 10);
      await compare(operator, lives, 'six clients after a cut');
      proxy.silence();
      await write(operator, random, 10);
      await compare(operator, lives, 'six clients after silence');
      for (const [live] of lives) live.close();
      await until('no connection', () => proxy.streamCount === 0);
    });
  } finally {
    for (const port of ports) port.close();
    proxy.stop();
  }
}

export async function checkRunningServices(seed) {
  const other = async () => {
    const service = await Service.start('--heartbeat', '1s');
    try {
      await service.set('PUT', '/v1/schema', SCHEMA);
      const {token} = await service.set('POST', '/v1/tokens', {name: 'admin', right: 'admin'});
      await service.set('PUT', '/v1/access', ACCESS, token);
      await Promise.all([
        checkRequests(service, token), checkAccounts(service, token), checkExpiringTokens(service, token),
        checkLostAborts(service, token)]);
      await checkSharedConnection(service, token, seed);
    } finally {
      await service.stop();
    }
  };
  await Promise.all([checkRestarts(seed), other()]);
}
