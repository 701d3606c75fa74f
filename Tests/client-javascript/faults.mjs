/** Checks of the client where a program, a proxy or a storage does not do its part. */
import http from 'node:http';
import {getEventListeners} from 'node:events';
import {Holdfast, HoldfastError, etagOf, serveConnections} from '../../clients/javascript/holdfast.js';
import {check, equal, refused, until} from '../support/checks.mjs';
import {Service} from './service.mjs';

const OPTIONS = {retryMaximum: 100};

/** Runs an action with the address of a server that gives the same reply to each request. */
async function withServer(status, headers, text, act) {
  const server = http.createServer((request, response) => response.writeHead(status, headers).end(text));
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    await act(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
  }
}

async function checkReplies(service) {
  await check('a page in place of a reply is unexpected-reply with its status, and passes', async () => {
    await withServer(200, {'Content-Type': 'text/html'}, '<h1>Sign in to the Wi-Fi</h1>', async url => {
      const tasks = new Holdfast(url).class('Task');
      for (const attempt of [() => tasks.get(1), () => tasks.delete(1), () => tasks.query().page()]) {
        const error = await refused(attempt());
        equal([error.status, error.code, error.isTransient], [200, 'unexpected-reply', true]);
      }
    });
  });
  await check('JSON that is cut off is unexpected-reply', async () => {
    await withServer(200, {'Content-Type': 'application/json'}, '{"id":', async url => {
      equal((await refused(new Holdfast(url).class('Task').get(1))).code, 'unexpected-reply');
    });
  });
  await check('a live query goes on after pages in place of replies', async () => {
    let pages = 4;
    const unreliable = (url, options) => (pages-- > 0
      ? Promise.resolve(new Response('<h1>Wait</h1>', {headers: {'Content-Type': 'text/html'}})) : fetch(url, options));
    const live = new Holdfast(service.url, {...OPTIONS, fetch: unreliable}).class('Task').live();
    await live.ready;
    equal(pages < 0, true);
    live.close();
  });
  await check('a request that asks for text gets it', async () => {
    const db = new Holdfast(service.url);
    const {status, body} = await db.request('GET', '/metrics', {headers: {Accept: 'text/plain'}});
    equal([status, body.startsWith('# HELP')], [200, true]);
    equal((await refused(db.request('GET', '/metrics'))).code, 'unexpected-reply');
  });
}

async function checkValues(service) {
  const db = new Holdfast(service.url), tasks = db.class('Task');
  const large = 9007199254740993n, id = String(large);
  await check('a bigint is sent with all its digits: as a key, in a body, in args and in a live query', async () => {
    await tasks.create({id: large, title: 'large', any: large});
    equal(await tasks.get(large), {id, title: 'large', any: {$int: id}});
    equal((await tasks.query({filter: 'id == $0', args: [large]})).objects.length, 1);
    equal((await db.transaction([{op: 'patch', class: 'Task', id: large, value: {title: '"bigint 1"'}}])).results[0].id, id);
    const live = tasks.live({id: large});
    equal((await live.ready).map(({title}) => title), ['"bigint 1"']);
    live.close();
  });
  await check('a value that JSON cannot state is an error of the program, not of the network', async () => {
    const circular = {};
    circular.self = circular;
    equal((await refused(tasks.create(circular))) instanceof TypeError, true);
    equal((await refused((async () => tasks.live({args: [circular]}))())) instanceof TypeError, true);
  });
  await check('the objects of an array that create returned have ETags, unless the mode keeps older ones', async () => {
    const made = await tasks.create([{id: 1, title: 'a'}, {id: 2, title: 'b'}]);
    for (const one of made) equal(etagOf(one), etagOf(await tasks.get(one.id)));
    equal((await tasks.patch(2, {title: 'c'}, {ifMatch: made[1]})).title, 'c');
    equal((await tasks.create([{id: 1}, {id: 3}], {mode: 'ignore'})).map(etagOf), [undefined, undefined]);
  });
}

async function checkTokens(service) {
  const {token: admin} = await service.set('POST', '/v1/tokens', {name: 'admin', right: 'admin'});
  const make = async name => (await service.set('POST', '/v1/tokens', {name, right: 'write'}, admin)).token;
  const revoke = name => service.set('DELETE', `/v1/tokens/${name}`, undefined, admin);
  const ended = [];
  /** A client with a function of tokens, which fails where it has no answer. */
  const client = (answers, onConnection) => new Holdfast(service.url, {
    ...OPTIONS, onConnection, onSignedOut: error => ended.push(error?.code),
    token: async () => {
      if (answers.length === 0) throw new Error('the provider is away');
      return answers[0];
    }});
  await check('a function of tokens that fails is asked again, and the live query begins', async () => {
    const answers = [], lost = [];
    const db = client(answers, (status, error) => lost.push(error?.code));
    const live = db.class('Task').live();
    await until('a failure', () => lost.includes('token-failed'));
    const error = await refused(db.class('Task').get(1));
    equal([error instanceof HoldfastError, error.code, error.isTransient], [true, 'token-failed', true]);
    answers.push(await make('one'));
    await live.ready;
    equal(ended, []);
    live.close();
  });
  await check('a live query goes on after a revoked token, though the function fails at first', async () => {
    const answers = [await make('two')], lost = [];
    const db = client(answers, (status, error) => lost.push(error?.code));
    const live = db.class('Task').live();
    await live.ready;
    answers.length = 0;
    await revoke('two');
    await until('a failure', () => lost.includes('token-failed'));
    answers.push(await make('three'));
    await until('the connection', () => live.isUpToDate);
    equal(ended, []);
    live.close();
  });
  await check('a live query that waits for a token goes on with one that a request got', async () => {
    const answers = [null], db = client(answers);
    const live = db.class('Task').live();
    await until('the end of the session', () => ended.length > 0);
    answers[0] = await make('four');
    await db.class('Task').query();
    await live.ready;
    live.close();
  });
  await check('a live query after a change of the token uses the new one', async () => {
    const [former, token] = [await make('five'), await make('six')], used = new Set();
    const noting = (url, options) => {
      used.add(options.headers.Authorization);
      return fetch(url, options);
    };
    const db = new Holdfast(service.url, {...OPTIONS, token: former, fetch: noting});
    const first = db.class('Task').live();
    await first.ready;
    first.close();
    db.setToken(token);
    const second = db.class('Task').live({sort: 'id'});
    await second.ready;
    await until('the token', () => used.has(`Bearer ${token}`));
    second.close();
  });
}

async function checkEnds(service) {
  await check('return of an iterator ends a next that waits', async () => {
    const live = new Holdfast(service.url).class('Task').live();
    const results = live[Symbol.asyncIterator]();
    await results.next();
    const next = results.next();
    equal([await results.return('end'), await next], [{value: 'end', done: true}, {value: undefined, done: true}]);
    equal(live.isClosed, true);
  });
  await check('a live query that has ended leaves no listener at its signal', async () => {
    const abort = new AbortController(), tasks = new Holdfast(service.url).class('Task');
    for (let count = 0; count < 3; count++) tasks.live({signal: abort.signal}).close();
    equal(getEventListeners(abort.signal, 'abort').length, 0);
  });
  await check('a closed client has ended its live queries and its port, and follows no others', async () => {
    const {port1, port2} = new MessageChannel();
    serveConnections(port2);
    const isClosed = new Promise(resolve => port2.addEventListener('close', resolve));
    const db = new Holdfast(service.url, {sharedConnection: () => port1});
    const live = db.class('Task').live();
    await live.ready;
    db.close();
    await isClosed;
    equal([live.isClosed, (await refused(db.class('Task').live().ready)).code], [true, 'closed']);
  });
  await check('a storage whose text is not the client\'s has no session', () => {
    for (const text of ['undefined', 'null', '{', '']) {
      const db = new Holdfast(service.url, {storage: {getItem: () => text}});
      equal([db.isSignedIn, db.user], [false, null], text);
    }
  });
}

export async function checkFaults() {
  const service = await Service.start('--heartbeat', '1s');
  try {
    await service.set('PUT', '/v1/schema/classes/Task', {
      primaryKey: 'id', properties: {id: 'int', title: 'string', any: 'mixed'}});
    await Promise.all([checkReplies(service), checkValues(service), checkEnds(service)]);
    await checkTokens(service);
  } finally {
    await service.stop();
  }
}
