/** Checks in Chromium: seven tabs that share one connection, and the page of the client's README. */
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {Holdfast} from '../../clients/javascript/holdfast.js';
import {Browser} from '../support/browser.mjs';
import {Random, check, equal, pause, until} from '../support/checks.mjs';
import {Proxy, Service} from './service.mjs';
import {checkLoneTabs} from './tabs.mjs';

const CLIENT = fileURLToPath(new URL('../../clients/javascript/', import.meta.url));
const PASSWORD = 'correct horse battery';

const CHANGES = 10000;
const QUERIES = [{filter: 'done == false'}, {filter: 'rank > 500', sort: '-rank,id', limit: 50}];
const PAGE = `<!DOCTYPE html><title>Tasks</title><script type="module">
  import {Holdfast} from '/client/holdfast.js';
  window.ended = 0;
  window.db = new Holdfast(location.origin, {storage: localStorage, retryMaximum: 100, onSignedOut: () => { ended++; }});
  window.lives = ${JSON.stringify(QUERIES)}.map(query => db.class('Task').live(query));
</script>`;

/** The result of a query, as a text to compare. */
const RESULT = index => `JSON.stringify({isUpToDate: lives[${index}].isUpToDate, found: lives[${index}].objects})`;

async function write(operator, owner, random, count) {
  while (count > 0) {
    const operations = [];
    for (let number = Math.min(count, 1 + random.below(20)); number > 0; number--, count--) {
      const id = 1 + random.below(300);
      operations.push({op: 'put', class: 'Task', id, value: {
        title: `task ${random.below(1000)}`, done: random.isTrue(0.4), rank: random.below(1000),
        owner: random.isTrue(0.8) ? owner : 'x'}});
    }
    await operator.transaction(operations, {minimal: true});
  }
}

let marks = 0;

/** Waits until each tab shows a new task, and compares its results with those of requests. */
async function compare(tabs, db, what) {
  const title = `mark ${++marks}`;
  await db.class('Task').replace(9000, {title, rank: 1000 + marks, owner: db.user});
  for (const [index, query] of QUERIES.entries()) {
    const expected = (await db.class('Task').query({limit: 1000, sort: 'id', ...query})).objects;
    for (const [number, tab] of tabs.entries()) {
      await until(`tab ${number} ${what}`, async () => {
        const {isUpToDate, found} = JSON.parse(await tab(RESULT(index)));
        if (!isUpToDate || !found.some(task => task.title === title)) return false;
        equal(query.sort ? found : found.sort((a, b) => a.id - b.id), expected, `tab ${number} ${what}`);
        return true;
      });
    }
  }
}

async function checkTabs(browser, service, proxy, operator, random) {
  const db = new Holdfast(service.url);
  const tabs = [];
  const ready = 'typeof lives === "object"';
  // Over HTTP/1.1 a browser opens six connections to an origin.
  await check('seven tabs follow their queries on one connection', async () => {
    await db.signUp('ann@example.org', PASSWORD);
    for (let number = 0; number < 7; number++) {
      const tab = await browser.open(`${proxy.url}/page`);
      tabs.push(tab);
      await until('the page', () => tab(ready));
      if (number === 0) await tab(`db.signIn('ann@example.org', '${PASSWORD}')`);
    }
    await write(operator, db.user, random, CHANGES / 10);
    await compare(tabs, db, 'live');
    equal(proxy.streamCount, 1, 'the number of connections');
  });
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL']) {
    await check(`each tab has the queries' results after ${signal}, 503 and a start on the same store`, async () => {
      await service.restart(signal, async () => { proxy.refusal = 503; });
      await write(operator, db.user, random, CHANGES / 10);
      proxy.refusal = null;
      await write(operator, db.user, random, CHANGES / 10);
      await compare(tabs, db, signal);
    });
  }
  await check('each tab has them after a sleep in which the connection was lost', async () => {
    proxy.silence();
    await browser.sleep(1500);
    await write(operator, db.user, random, CHANGES / 10);
    await compare(tabs, db, 'after a sleep');
  });
  await check('each tab has them after the session has ended and one tab has signed in again', async () => {
    await db.request('DELETE', '/v1/sessions');
    for (const tab of tabs) await until('the end of the session', () => tab('ended > 0 && !db.isSignedIn'));
    await db.signIn('ann@example.org', PASSWORD);
    await write(operator, db.user, random, CHANGES / 10);
    await tabs[3](`db.signIn('ann@example.org', '${PASSWORD}')`);
    await compare(tabs, db, 'after another sign-in');
    await until('one connection', () => proxy.streamCount === 1);
  });
  await check('tabs that are closed leave the connection to the others', async () => {
    for (const tab of tabs.splice(0, 5)) await tab.close();
    await write(operator, db.user, random, CHANGES / 10);
    await compare(tabs, db, 'in the last tabs');
    equal(proxy.streamCount, 1, 'the number of connections');
    for (const tab of tabs) await tab.close();
    await until('no connection', () => proxy.streamCount === 0);
  });
}

/** The page of the README, as the service serves it. */
async function checkReadme(browser, service, pages) {
  const text = await readFile(join(CLIENT, 'README.md'), 'utf8');
  await writeFile(join(pages, 'index.html'), /^```html\n(.*?)^```$/ms.exec(text)[1]);
  await check('two tabs with the page of the README show a new task, and its deletion', async () => {
    const [first, second] = [await browser.open(`${service.url}/`), await browser.open(`${service.url}/`)];
    const fill = (form, values) => `Object.entries(${JSON.stringify(values)}).forEach(([name, value]) => {
      ${form}.elements[name].value = value; }); ${form}.requestSubmit()`;
    const items = 'String([...list.children].map(item => item.textContent))';
    await until('the page', () => first('typeof door === "object" && !door.hidden && document.readyState === "complete"'));
    await first(fill('door', {login: 'ann@example.org', password: 'another password'}));
    await until('the refusal', () => first('/password/.test(door.elements.problem.value)'));
    equal(await first('/already/.test(door.elements.problem.value)'), false, 'whether the account is named');
    await first(fill('door', {login: 'bob@example.org', password: 'short'}));
    await until('the length', () => first('/8/.test(door.elements.problem.value)'));
    await first(fill('door', {login: 'bob@example.org', password: PASSWORD}));
    for (const tab of [first, second]) await until('the sign-in', () => tab('typeof add === "object" && door.hidden && !add.hidden'));
    for (const title of ['Milk', 'Bread']) await first(fill('add', {title}));
    for (const tab of [first, second]) await until('the list', async () => await tab(items) === 'Bread,Milk');
    await second('list.children[0].click()');
    for (const tab of [first, second]) await until('the deletion', async () => await tab(items) === 'Milk');
  });
}

/** The viewer of the contract, on a service with a token. */
async function checkDocs(browser, service, token) {
  await check('the viewer shows the operations of the store and of every service', async () => {
    const tab = await browser.open(`${service.url}/docs/`);
    const tags = 'String([...document.querySelectorAll(".opblock-tag")].map(tag => tag.dataset.tag))';
    await until('the request for a token', () => tab('document.querySelector("#message")?.textContent.includes("needs a token")'));
    await tab(`token.value = ${JSON.stringify(token)}; token.dispatchEvent(new Event('change'))`);
    await until('the classes', async () => (await tab(tags)).includes('Task'));
    await tab('choice.value = "/docs/openapi.yaml"; choice.dispatchEvent(new Event("change"))');
    await until('all operations', async () => (await tab(tags)).includes('schema'));
    equal(await tab('document.querySelectorAll(".errors-wrapper").length'), 0, 'the errors');
    await tab.close();
  });
}

export async function checkBrowser(seed) {
  const pages = await mkdtemp(join(tmpdir(), 'holdfast-pages-'));
  const service = await Service.start('--heartbeat', '1s', '--public', pages);
  const random = new Random(seed);
  const proxy = await Proxy.start(service);
  const browser = await Browser.start();
  try {
    const own = {read: 'owner == $user.id', create: 'owner == $user.id', update: 'owner == $user.id', delete: 'owner == $user.id'};
    await service.set('PUT', '/v1/schema/classes/Task', {primaryKey: 'id', properties: {
      id: {type: 'int', default: '$next'}, title: 'string', done: 'bool', rank: 'int', owner: {type: 'string', indexed: true}}});
    const {token} = await service.set('POST', '/v1/tokens', {name: 'admin', right: 'admin'});
    await service.set('PUT', '/v1/access', {signUp: true, roles: {member: {classes: {Task: own}}}}, token);
    proxy.pages = {
      '/client/holdfast.js': ['text/javascript', await readFile(join(CLIENT, 'holdfast.js'))],
      '/page': ['text/html', PAGE]};
    await checkTabs(browser, service, proxy, new Holdfast(service.url, {token}), random);
    await checkReadme(browser, service, pages);
    await checkDocs(browser, service, token);
    await checkLoneTabs(browser);
  } finally {
    await browser.stop();
    proxy.stop();
    await service.stop();
    await rm(pages, {recursive: true});
  }
}
