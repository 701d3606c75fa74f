/**
 * Looks at what a tutorial leads to, in Chromium.
 *
 *   node views.mjs NAME URL [TOKEN]
 *
 * NAME is the page's name in docs/tutorials, and URL the address of its service. A token of a link signs the console in.
 * HOLDFAST_SCREENSHOTS names a folder for a picture.
 */
import {join} from 'node:path';
import {Browser} from '../support/browser.mjs';
import {check, equal, finish, until} from '../support/checks.mjs';
import {Page} from '../console/page.mjs';

const [name, url, token] = process.argv.slice(2);
const folder = process.env.HOLDFAST_SCREENSHOTS;
const PASSWORD = 'correct horse battery';
/** The view of the console that shows the data of a page, with a text of it. */
const VIEWS = {
  'from-realm': ['#/class/Dog', 'Fig'],
  'from-the-data-api': ['#/class/Item', 'Lumen'],
  'behind-a-proxy': [`#/class/Note?${new URLSearchParams({filter: 'name == "a/b"'})}`, 'slash'],
  'in-production': ['#/class/Task', 'Task 3']};

async function open(browser, address, width, height) {
  const tab = await browser.open(address);
  await resize(tab, width, height);
  return tab;
}

const resize = (tab, width, height) => tab.call(
  'Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});

const picture = async tab => { if (folder) await tab.picture(join(folder, `${name}.png`)); };

const field = placeholder => `document.querySelector('section:not([hidden]) input[placeholder="${placeholder}"]')`;
const newList = 'document.querySelector(\'input[placeholder="A new list"]\')';

/** Fills a form of the page, given by one of its fields, and sends it. */
const fill = (tab, input, values) => tab(`(form => {
  Object.entries(${JSON.stringify(values)}).forEach(([name, value]) => { form.elements[name].value = value; });
  form.requestSubmit(); })(${input}.form)`);
const text = tab => tab('document.querySelector("main").innerText');
const shows = (tab, wanted) => until(wanted, async () => (await text(tab)).includes(wanted));
const complains = (tab, wanted) => until(
  wanted, async () => (await tab('document.querySelector("#error").textContent')).includes(wanted));
const addList = (tab, title) => fill(tab, newList, {text: title});

async function signIn(tab, login, password = PASSWORD) {
  await until('the page', () => tab(
    'document.readyState === "complete" && typeof door === "object" && !!door.onsubmit && !door.hidden'));
  await fill(tab, 'door.elements.login', {login, password});
}

/** Signs out, and waits for the page of the next person. */
async function signOut(tab) {
  await tab('window.isOld = true; [...document.querySelectorAll("button")].find(({textContent}) => textContent === "Sign out").click()');
  await until('the sign-out', () => tab('!window.isOld && typeof door === "object" && !!door.onsubmit && !door.hidden'));
}

async function checkToDoList(browser) {
  // Two names of one machine are two origins, which have different sessions.
  const ann = await open(browser, url, 700, 560);
  const bob = await open(browser, url.replace('127.0.0.1', 'localhost'), 700, 560);
  await check('two people share a list, and see each other\'s changes', async () => {
    for (const [tab, login] of [[ann, 'Ann'], [bob, 'Bob']]) {
      await signIn(tab, login);
      await until('the sign-up', () => tab(`!!${newList}?.checkVisibility()`));
    }
    await addList(ann, 'Groceries');
    await shows(ann, 'Groceries');
    for (const title of ['Milk', 'Bread']) {
      await fill(ann, field('A new task'), {text: title});
      await shows(ann, title);
    }
    equal(await bob('document.querySelectorAll("section").length'), 0, 'the lists of the other person');
    await fill(ann, field('Share with …'), {text: 'Carol'});
    await complains(ann, 'Carol has not signed up yet');
    await fill(ann, field('Share with …'), {text: 'Bob'});
    await shows(bob, 'Groceries');
    await shows(bob, 'Bread');
    await bob('document.querySelector("input[type=checkbox]").click()');
    await until('the tick', () => ann('document.querySelector("input[type=checkbox]").checked'));
    await picture(ann);
  });
  await check('a change of another person leaves what is typed, and the cursor in it', async () => {
    await ann.call('Page.bringToFront');
    await ann(`${field('A new task')}.focus()`);
    await ann.type('Half a ti');
    await fill(bob, field('A new task'), {text: 'Cheese'});
    await addList(bob, 'Another list of Bob');
    await shows(ann, 'Cheese');
    equal(await ann('document.activeElement.value'), 'Half a ti', 'the field with the cursor');
  });
  await check('a wrong password is refused as one, and a short one says how long it has to be', async () => {
    const third = await open(browser, url.replace('127.0.0.1', 'localhost'), 700, 560);
    await signOut(bob);
    await signIn(third, 'Bob', 'another password');
    await complains(third, 'password');
    equal((await third('document.querySelector("#error").textContent')).includes('already'), false, 'whether the account is named');
    await signIn(third, 'Dora', 'short');
    await complains(third, '8');
    await third.close();
  });
  await check('a second person in the same window sees no list of the first, and their own new one', async () => {
    await addList(ann, 'ANN PRIVATE LIST');
    await shows(ann, 'ANN PRIVATE LIST');
    await signOut(ann);
    await signIn(ann, 'Bob');
    await shows(ann, 'Groceries');
    await addList(ann, 'The next list of Bob');
    await shows(ann, 'The next list of Bob');
    equal((await text(ann)).includes('PRIVATE'), false, 'whether the first person\'s list is shown');
  });
}

async function checkConsole(browser, [address, wanted]) {
  await check(`the console shows the data of ${name}`, async () => {
    const page = await Page.open(browser, {url}, token ? `#/enter/${token}` : '');
    await resize(page.tab, 1000, 520);
    // The address loses the token before the console has signed in.
    if (token) await page.shows('(admin)');
    await page.go(address);
    await page.shows(wanted);
    await page.shows('The first page is live');
    equal(page.tab.problems, [], 'the problems of the page');
    await picture(page.tab);
  });
}

// The certificate of a proxy is the reader's own.
const browser = await Browser.start('--ignore-certificate-errors');
try {
  await (name === 'a-to-do-list' ? checkToDoList(browser) : checkConsole(browser, VIEWS[name]));
} finally {
  await browser.stop();
}
finish();
