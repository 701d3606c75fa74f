/** The checks of access: tokens, accounts, the access document with its tester, audit lines, and signing in. */
import {check, equal} from '../support/checks.mjs';
import {checkEdits} from './change.mjs';
import {Page, count} from './page.mjs';

const PASSWORD = 'correct horse battery';
const RULES = JSON.stringify({roles: {reader: {classes: {
  Continent: {read: 'code != "AN"'}, Country: {read: true}, Thing: {read: true, create: true, update: true}}}}}, null, 2);
const buttons = 'String([...document.querySelectorAll("main button")].filter(one => one.checkVisibility()).map(one => one.textContent))';
const rooms = '[...document.querySelector("#rooms").children].map(one => one.textContent).join()';

export async function checkAccess(page, service) {
  await check('the first token is made, and the console goes on with it', () => page.do(
    ['go', '#/access'], ['shows', 'The store has no tokens'], ['look', 'access'], ['press', 'New token'], ['fill', 'Name', 'me'],
    ['press', 'Create'], ['shows', 'It is shown only now']));
  const admin = await page.tab('document.querySelector("dialog input.secret").value');
  await page.do(['press', 'Done'], ['shows', 'me (admin)'], ['shows', 'me this console']);
  await page.look('tokens');
  let id;
  await check('an account is made', async () => {
    await page.do(['go', '#/access/accounts'], ['press', 'New account'], ['fill', 'Login', 'ann@example.org'],
      ['fill', 'Password', PASSWORD], ['press', 'Create'], ['shows', 'ann@example.org'], ['look', 'accounts']);
    ({accounts: [{id}]} = await service.set('GET', '/v1/accounts', undefined, admin));
  });
  await check('the access document is checked and saved, with a fault at its line', () => page.do(
    ['go', '#/access/rules'], ['fill', 'The access document', RULES.replace('!=', '!!')], ['press', 'Check'], ['shows', 'Line 6'],
    ['look', 'rules-fault'], ['fill', 'The access document', RULES], ['press', 'Check'], ['shows', 'The document is valid.'],
    ['press', 'Save'], ['shows', 'Revision 1 is saved.'], ['shows', 'reader'], ['look', 'rules']));
  await check('the tester says what a user may do with an object, and by which rule', () => page.do(
    ['go', '#/access/test'], ['fill', 'User', id], ['fill', 'Class', 'Continent'], ['fill', 'Key', 'AN'], ['key', 'Enter'],
    ['shows', 'Actions on Continent AN'], ['shows', 'refused'], ['fill', 'Key', 'EU'], ['key', 'Enter'],
    ['shows', 'Actions on Continent EU'], ['shows', 'allowed'], ['shows', 'code != "AN"'], ['look', 'tester']));
  await check('the changes of access are audit lines', () => page.do(
    ['go', '#/access/audit'], ['shows', 'createAccount'], ['shows', 'open store'], ['look', 'audit']));
  return admin;
}

export async function checkUser(browser, service, admin) {
  const page = await Page.open(browser, service);
  await check('a user sees the objects that the rules show, and nothing of administrators', async () => {
    await page.do(['shows', 'Sign in'], ['look', 'sign-in'], ['signIn', 'ann@example.org', PASSWORD],
      ['go', '#/class/Continent'], ['shows', 'Africa'], ['press', 'Count'], ['shows', '6 objects']);
    equal((await page.text()).includes('Antarctica'), false, 'whether a hidden object is shown');
    equal(await page.tab(rooms), 'Data,Query', 'the rooms');
    equal(await page.tab('String([...document.querySelectorAll("main nav a")].map(one => one.textContent))'), 'Query', 'the ways');
    await page.look('user');
  });
  await checkEdits(page, service, 'a user', admin);
  await check('a user makes an object, and is refused what the rules do not allow', () => page.do(
    ['go', '#/class/Thing'], ['shows', 'Lamp'], ['press', 'New …'], ['fill', 'id', '3'], ['fill', 'name', 'Mine'],
    ['press', 'Create'], ['shows', 'Created: Mine'], ['go', '#/object/Thing/3'], ['shows', 'Live'], ['press', 'Delete …'],
    ['press', 'Delete'], ['shows', 'may not'], ['look', 'user-refused'], ['press', 'Cancel']));
  await check('a user filters, sorts, follows links, and queries without a plan', () => page.do(
    ['go', `#/class/Country?${new URLSearchParams({filter: 'name BEGINSWITH "Ic"'})}`], ['shows', 'Iceland'],
    ['go', '#/class/Country'], ['shows', 'Andorra'], ['press', 'population'], ['press', 'population'],
    ['holds', 'the order', 'document.querySelector(".tabulator-row a").textContent === "CN"'], ['press', 'Asia'], ['shows', 'Live'],
    ['go', '#/query?class=Continent'], ['shows', 'The reply took'], ['shows', 'Africa'], ['hides', 'Steps of the plan'],
    ['look', 'user-query']));
  await page.tab.close();
}

export async function checkReader(browser, service, admin) {
  await check('a token that only reads gets no buttons that write', async () => {
    const {token} = await service.set('POST', '/v1/tokens', {name: 'reader', right: 'read'}, admin);
    const page = await Page.open(browser, service);
    await page.do(['signIn', token], ['go', '#/class/Continent'], ['shows', 'Africa'], ['shows', 'Plan'], ['look', 'reader']);
    equal(await page.tab(rooms), 'Data,Schema,Move,Query,Changes', 'the rooms');
    equal(/New|Delete/.test(await page.tab(buttons)), false, 'whether the table writes');
    await page.do(['go', '#/object/Continent/AF'], ['shows', 'Live'], ['look', 'reader-object'],
      ['holds', 'the fields', 'document.querySelectorAll("form :enabled").length === 0']);
    equal(/Save|Back|Delete/.test(await page.tab(buttons)), false, 'whether the object is written');
    await page.do(['go', '#/schema/Continent'], ['shows', 'population'], ['hides', 'Add a property'],
      ['go', '#/move'], ['shows', 'Imports need the right write.']);
    await page.tab.close();
  });
}

/** A token as the link of `serve` has one, known by its name. */
const linkName = `console-link-${'0123456789abcdef'.repeat(2)}`;
const linkToken = async (service, admin) => (await service.set(
  'POST', '/v1/tokens', {name: linkName, right: 'metrics'}, admin)).token;
const names = async (service, admin) => (await service.set('GET', '/v1/tokens', undefined, admin)).tokens.map(({name}) => name);

export async function checkLink(browser, service, admin) {
  let token;
  await check('a link signs its reader in once', async () => {
    token = await linkToken(service, admin);
    const page = await Page.open(browser, service, `#/enter/${token}`);
    await page.do(['shows', 'City'], ['shows', 'Sign out']);
    equal((await names(service, admin)).includes(linkName), false, 'whether the link still holds');
    await page.do(['press', 'Sign out'], ['shows', 'With a token']);
    equal((await names(service, admin)).filter(name => name.startsWith('console-')), [], 'the tokens of the console after it signed out');
    await page.tab.close();
  });
  await check('a link that was used signs nobody in', async () => {
    const page = await Page.open(browser, service, `#/enter/${token}`);
    await page.shows('The token is unknown');
    await page.tab.close();
  });
  await check('a link signs in in an open tab as well, and its token is not kept in the address or history', async () => {
    const page = await Page.open(browser, service);
    for (const before of ['With a token', 'Sign out']) {
      const own = await linkToken(service, admin);
      await page.do(['shows', before], ['go', `#/enter/${own}`], ['shows', '(admin)'], ['shows', 'City'],
        ['holds', 'the address', 'location.hash === "#/"']);
      const {entries} = await page.tab.call('Page.getNavigationHistory');
      equal(entries.filter(({url}) => url.includes(own)), [], 'the entries of the history with the token');
    }
    await page.tab.close();
  });
}

export async function checkReference(browser, service, admin) {
  await check('the reference sends requests with the sign-in of the console, and both lead to each other', async () => {
    const page = await Page.open(browser, service);
    for (const signIn of [['ann@example.org', PASSWORD], [admin]]) {
      await page.do(['signIn', ...signIn], ['press', 'Reference'],
        ['holds', 'the operations', 'document.querySelectorAll(".opblock-tag").length > 0'],
        ['holds', 'the link back', '!document.querySelector("#console").hidden']);
      equal(await page.tab('document.querySelector("#message").textContent'), '', 'the message');
      await page.tab('document.querySelector("#console").click()');
      await page.do(['shows', 'Continent'], ['press', 'Sign out']);
    }
    await page.tab.close();
  });
}
