/** Checks in Chromium of one or two tabs whose worker, session or page ends. */
import http from 'node:http';
import {readFile} from 'node:fs/promises';
import {Holdfast} from '../../clients/javascript/holdfast.js';
import {check, equal, pause, until} from '../support/checks.mjs';
import {Proxy, Service} from './service.mjs';

const PASSWORD = 'correct horse battery';
const PAGE = `<script type="module">
  import {Holdfast} from '/client/holdfast.js';
  window.signedOut = [];
  window.make = () => new Holdfast(location.origin, {
    storage: localStorage, retryMaximum: 100, onSignedOut: error => signedOut.push(error?.code ?? null)});
  window.db = make();
  window.live = (query = {}) => db.class('Task').live(query);
  window.titles = objects => objects.map(({title}) => title).join();
</script>`;
const TYPES = {html: 'text/html', js: 'text/javascript'};

/** Opens a page that has a client. */
async function open(browser, url) {
  const tab = await browser.open(url);
  await until('the page', () => tab('typeof db === "object"'));
  return tab;
}

/** The result of a live query as a text. */
const shown = name => `${name}.isUpToDate && titles(${name}.objects)`;

async function checkPages(browser, url, db) {
  await db.class('Task').create({id: 1, title: 'one'});
  await check('a page whose policy forbids the worker has live queries, also if the first one was closed at once', async () => {
    const tab = await open(browser, `${url}/no-worker`);
    await tab('live().close()');
    await pause(200);
    equal(await tab('live().ready.then(titles)'), 'one');
    await tab.close();
  });
  await check('a page that comes back without a live query follows the next one', async () => {
    const tab = await open(browser, `${url}/page`);
    await tab('(window.first = live()).ready.then(() => first.close())');
    await tab(`for (const name of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(name, {persisted: true}))`);
    equal(await tab('live().ready.then(titles)'), 'one');
    await tab.close();
  });
  await check('a closed client leaves the worker, and hears its page no more', async () => {
    const tab = await open(browser, `${url}/page`);
    const locks = 'navigator.locks.query().then(({held}) => held.filter(({name}) => /^holdfast 0/.test(name)).length)';
    await tab('live().ready.then(() => true)');
    equal(await tab(locks), 1);
    await tab('db.close(); localStorage.setItem(`holdfast ${location.origin}`, "{}")');
    await until('no lock', async () => await tab(locks) === 0);
    await tab('localStorage.clear()');
    await tab.close();
  });
}

async function checkSessions(browser, url, db) {
  await check('a sign-out of one tab takes user and objects from the others, and an expired session only the user', async () => {
    const [first, second] = [await open(browser, `${url}/page`), await open(browser, `${url}/page`)];
    await first(`db.signUp('ann@example.org', '${PASSWORD}').then(() => true)`);
    for (const tab of [first, second]) {
      await until('the sign-in', () => tab('db.isSignedIn'));
      equal(await tab('(window.mine = live()).ready.then(titles)'), 'one');
    }
    await db.class('Task').replace(1, {title: 'two'});
    for (const tab of [first, second]) await until('the change', async () => await tab(shown('mine')) === 'two');
    // The session ends: the objects stay for the same user.
    await first(`fetch('/v1/sessions/current', {method: 'DELETE', headers: {
      Authorization: 'Bearer ' + JSON.parse(localStorage.getItem('holdfast ' + location.origin)).token}}).then(() => true)`);
    for (const tab of [first, second]) {
      await until('the end', () => tab('!db.isSignedIn'));
      equal(await tab('JSON.stringify([db.user, titles(mine.objects), signedOut])'), '[null,"two",["token-invalid"]]');
    }
    equal(await first('JSON.stringify([make().user, make().isSignedIn])'), '[null,false]');
    await first(`db.signIn('ann@example.org', '${PASSWORD}').then(() => true)`);
    for (const tab of [first, second]) await until('the result', async () => await tab(shown('mine')) === 'two');
    await first('db.signOut()');
    await until('the sign-out', () => second('!db.isSignedIn'));
    equal(await second('JSON.stringify([db.user, titles(mine.objects), mine.isClosed, signedOut.at(-1)])'), '[null,"",false,null]');
    await first(`db.signIn('ann@example.org', '${PASSWORD}').then(() => true)`);
    await until('the result again', async () => await second(shown('mine')) === 'two');
    for (const tab of [first, second]) await tab.close();
  });
}

/** Chromium gives a page that comes later the worker that has closed itself, so this check is the browser's last. */
async function checkWorker(browser, url, db) {
  await check('tabs whose shared worker is gone go on with another one, old queries and new ones', async () => {
    const tabs = [await open(browser, `${url}/page`), await open(browser, `${url}/page`)];
    for (const tab of tabs) await tab('(window.first = live()).ready.then(() => true)');
    const {targetInfos} = await browser.call('Target.getTargets', {filter: [{type: 'shared_worker'}]});
    const {sessionId} = await browser.call('Target.attachToTarget', {targetId: targetInfos[0].targetId, flatten: true});
    await browser.call('Runtime.evaluate', {expression: 'self.close()'}, sessionId);
    await db.class('Task').replace(1, {title: 'three'});
    for (const tab of tabs) {
      await until('the change', async () => await tab(shown('first')) === 'three');
      equal(await tab('(window.second = live({sort: "id"})).ready.then(titles)'), 'three');
    }
  });
}

/** A server of the client's module that answers requests for objects in pairs. */
async function checkEqualRequests(browser, pages) {
  const waiting = [];
  let tags = 0;
  const answer = () => {
    for (const response of waiting.splice(0)) response.writeHead(200, {'Content-Type': 'application/json', ETag: '"a-1"'}).end('{"id":1}');
  };
  const server = http.createServer((request, response) => {
    const page = pages[request.url];
    if (page) return response.writeHead(200, {'Content-Type': page[0]}).end(page[1]);
    if (request.headers['if-none-match']) tags++;
    // The browser's cache would send the second one after the first one's reply.
    if (waiting.push(response) === 2) answer();
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    await check('equal requests do not wait for each other in the browser\'s cache', async () => {
      const tab = await open(browser, `http://127.0.0.1:${server.address().port}/page`);
      let isAlone = false;
      const timer = setTimeout(() => { isAlone = true; answer(); }, 10000);
      await tab('Promise.all([db.class("Task").get(1), db.class("Task").get(1)]).then(() => true)');
      clearTimeout(timer);
      equal([isAlone, tags], [false, 0]);
      await tab.close();
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export async function checkLoneTabs(browser) {
  const service = await Service.start('--heartbeat', '1s');
  const proxy = await Proxy.start(service);
  try {
    await service.set('PUT', '/v1/schema/classes/Task', {primaryKey: 'id', properties: {id: 'int', title: 'string'}});
    const {token} = await service.set('POST', '/v1/tokens', {name: 'admin', right: 'admin'});
    await service.set('PUT', '/v1/access', {signUp: true, roles: {public: {for: 'anyone', classes: {Task: {read: true}}}}}, token);
    const client = await readFile(new URL('../../clients/javascript/holdfast.js', import.meta.url));
    const policy = '<meta http-equiv="Content-Security-Policy" content="worker-src \'none\'">';
    proxy.pages = {
      '/client/holdfast.js': [TYPES.js, client], '/page': [TYPES.html, PAGE], '/no-worker': [TYPES.html, policy + PAGE]};
    const db = new Holdfast(service.url, {token});
    await checkPages(browser, proxy.url, db);
    await checkSessions(browser, proxy.url, db);
    await checkEqualRequests(browser, proxy.pages);
    await checkWorker(browser, proxy.url, db);
  } finally {
    proxy.stop();
    await service.stop();
  }
}
