/** The checks of the console, in the order in which an administrator uses it for the first time. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Browser, chromium} from '../support/browser.mjs';
import {check, equal, finish, skip, until} from '../support/checks.mjs';
import {Service} from '../client-javascript/service.mjs';
import {checkJSON} from './json.mjs';
import {checkMove} from './move.mjs';
import {Page, count} from './page.mjs';

const PASSWORD = 'correct horse battery';
async function checkLook(page, service) {
  await check('the classes of the store, with their counts', async () => {
    await page.go('');
    await page.shows('34,006');
    await page.look('overview');
  });
  await check('a class as a table, filtered, with the column of a fault marked', async () => {
    await page.go('#/class/City');
    await page.shows('Shahrak-e Qods');
    await page.look('table');
    await page.go(`#/class/City?${new URLSearchParams({filter: 'country.iso == "IS"', sort: '-population'})}`);
    await page.shows('Reykjavík');
    await page.press('Count');
    await page.shows('8');
    await page.shows('Export these');
    await page.go(`#/class/City?${new URLSearchParams({filter: 'population >> 3'})}`);
    await page.shows('column');
  });
  await check('the table shows a change of somebody else at once', async () => {
    await page.go('#/class/Continent');
    await page.shows('Antarctica');
    await service.set('PATCH', '/v1/classes/Continent/objects/AN', {name: 'The South'});
    await page.shows('The South');
    await service.set('PATCH', '/v1/classes/Continent/objects/AN', {name: 'Antarctica'});
    await page.shows('Antarctica');
  });
  await check('links are followed both ways', async () => {
    await page.go('#/object/City/2950159');
    await page.shows('Germany');
    await page.look('object');
    await page.press('Germany');
    await page.shows('areaKm2');
    await page.shows('City.country');
  });
}

async function checkChange(page, service) {
  await check('an object is changed in its form, and a conflict is shown side by side', async () => {
    await page.go('#/object/Continent/EU');
    await page.shows('Live');
    await page.fill('name', 'Europa');
    await page.press('Save');
    await until('the change', async () => (await service.set('GET', '/v1/classes/Continent/objects/EU')).name === 'Europa');
    // The form shows the stored object again.
    await until('the heading', () => page.tab('document.querySelector("h1").textContent === "Europa"'));
    await page.fill('name', 'Mine');
    await service.set('PATCH', '/v1/classes/Continent/objects/EU', {name: 'Theirs'});
    await page.press('Save');
    await page.shows('The object has changed meanwhile');
    await page.look('conflict');
    await page.press('Save again');
    await until('the change', async () => (await service.set('GET', '/v1/classes/Continent/objects/EU')).name === 'Mine');
  });
  await check('an object is made, and deleted', async () => {
    await page.go('#/class/Continent');
    await page.shows('Antarctica');
    await page.press('New …');
    await page.shows('New object of Continent');
    await page.fill('code', 'AT');
    await page.fill('name', 'Atlantis');
    await page.look('new');
    await page.press('Create');
    await page.shows('Atlantis');
    await page.go('#/object/Continent/AT');
    await page.shows('Live');
    await page.press('Delete …');
    await page.shows('Delete?');
    await page.press('Delete');
    await page.shows('Objects 1 to 7 are loaded');
    equal(await count(service, 'Continent'), 7, 'the continents');
  });
}

async function checkShape(page, service) {
  await check('a property is added and removed, each time with the migration in words first', async () => {
    await page.go('#/schema/Continent');
    await page.shows('population');
    await page.press('Add a property');
    await page.fill('Name', 'motto');
    await page.press('Preview the change');
    await page.shows('Steps of the change');
    await page.look('migration');
    await page.press('Make the change');
    await page.shows('The schema is changed.');
    await until('the property', async () => 'motto' in (
      await service.set('GET', '/v1/schema/classes/Continent')).properties);
  });
  await check('the classes are drawn with their links', async () => {
    await page.go('#/schema?as=drawing');
    await page.shows('The classes and their links as a list');
    await page.look('drawing');
  });
}

async function checkWhy(page, service) {
  await check('a query is shown with its plan', async () => {
    await page.go(`#/query?${new URLSearchParams({class: 'City', filter: 'population > 10000000'})}`);
    await page.shows('Shanghai');
    await page.look('query');
  });
  await check('the newest changes are shown as they happen', async () => {
    await page.go('#/changes');
    await page.shows('Changes are shown');
    await service.set('PATCH', '/v1/classes/Continent/objects/AS', {name: 'Asia!'});
    await page.shows('AS');
    await page.look('changes');
  });
  await check('the figures are shown as charts', async () => {
    await page.go('#/figures');
    await page.shows('Latency');
    await page.shows('since the console was opened');
    await page.look('figures');
  });
}

async function checkAccess(page, service) {
  let admin;
  await check('the first token is made, and the console goes on with it', async () => {
    await page.go('#/access');
    await page.shows('The store has no tokens');
    await page.look('access');
    await page.press('New token');
    await page.fill('Name', 'me');
    await page.press('Create');
    await page.shows('It is shown only now');
    admin = await page.tab('document.querySelector("dialog input.secret").value');
    await page.press('Done');
    await page.shows('me (admin)');
    await page.look('tokens');
  });
  await check('an account is made, and a rule lets it read', async () => {
    await page.go('#/access/accounts');
    await page.press('New account');
    await page.fill('Login', 'ann@example.org');
    await page.fill('Password', PASSWORD);
    await page.press('Create');
    await page.shows('ann@example.org');
    await page.look('accounts');
    await service.set('PUT', '/v1/access', {roles: {reader: {classes: {Continent: {read: 'code != "AN"'}}}}}, admin);
    await page.go('#/access/rules');
    await page.shows('reader');
    await page.look('rules');
    await page.go('#/access/test');
    await page.look('tester');
    await page.go('#/access/audit');
    await page.shows('createAccount');
    await page.look('audit');
  });
  return admin;
}

async function checkUser(browser, service) {
  await check('a user sees the objects that the rules show, and nothing of administrators', async () => {
    const page = await Page.open(browser, service);
    await page.shows('Sign in');
    await page.look('sign-in');
    await page.fill('Login', 'ann@example.org');
    await page.fill('Password', PASSWORD);
    await page.press('Sign in');
    await page.shows('Continent');
    await page.go('#/class/Continent');
    await page.shows('Africa');
    equal((await page.text()).includes('Antarctica'), false, 'whether a hidden object is shown');
    equal(await page.tab('document.querySelector("#rooms").innerText.split(/\\s+/).filter(Boolean).join()'), 'Data,Query', 'the rooms');
    await page.look('user');
    await page.tab.close();
  });
}

async function checkLink(browser, service, admin) {
  await check('a link signs its reader in once', async () => {
    const {token} = await service.set('POST', '/v1/tokens', {name: 'console-link', right: 'admin'}, admin);
    const first = await Page.open(browser, service, `#/enter/${token}`);
    await first.shows('City');
    const {tokens} = await service.set('GET', '/v1/tokens', undefined, admin);
    equal(tokens.some(({name}) => name === 'console-link'), false, 'whether the link still holds');
    await first.press('Sign out');
    await first.shows('With a token');
    const rest = (await service.set('GET', '/v1/tokens', undefined, admin)).tokens.map(({name}) => name);
    equal(rest.filter(name => name.startsWith('console-')), [], 'the tokens of the console after it signed out');
    await first.tab.close();
    const second = await Page.open(browser, service, `#/enter/${token}`);
    await second.shows('The token is unknown');
    await second.tab.close();
  });
}

async function checkFaults(page) {
  await check('an address that is not encoded is a class that is not there', async () => {
    await page.go('#/class/%');
    await page.shows("'%'");
  });
  await check('a page of a proxy in place of the reply to an upload is a fault', async () => {
    const status = await page.tab(`(async () => {
      const {upload} = await import('/console/frame/transfer.js');
      globalThis.XMLHttpRequest = class extends EventTarget {
        status = 422;
        response = '<p>Too large</p>';
        upload = new EventTarget();
        open() {}
        setRequestHeader() {}
        getResponseHeader() { return 'text/html'; }
        send() { queueMicrotask(() => this.dispatchEvent(new Event('load'))); }
      };
      return upload('/v1/import', new Blob(['x']), {onProgress: () => {}}).then(() => 'taken', error => error.status);
    })()`);
    equal(status, 422, 'the status of the fault');
    await page.go('');
  });
}

async function checkKeyboard(page) {
  await check('the keyboard leads from the address to a cell of a table', async () => {
    await page.go('#/class/Continent');
    await page.shows('Antarctica');
    const reached = new Set();
    for (let number = 0; number < 40; number++) {
      await page.tab.press('Tab');
      reached.add(await page.tab(`(element => element.closest('[role=grid]') ? 'grid' : element.closest('nav')?.id
        ?? element.tagName)(document.activeElement)`));
    }
    equal(['rooms', 'classes', 'BUTTON', 'grid'].filter(place => !reached.has(place)), [], 'the places that Tab does not reach');
  });
}

async function main() {
  await checkJSON();
  if (!chromium()) {
    skip('the console: no Chromium; `make setup-test` installs it');
    return finish();
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
  const service = await Service.start('--sample', 'world');
  const browser = await Browser.start('--window-size=1280,900');
  try {
    const page = await Page.open(browser, service);
    await checkLook(page, service);
    await checkKeyboard(page);
    await checkFaults(page);
    await checkChange(page, service);
    await checkShape(page, service);
    await checkMove(page, service, folder);
    await checkWhy(page, service);
    const admin = await checkAccess(page, service);
    await checkUser(browser, service);
    await checkLink(browser, service, admin);
  } finally {
    await browser.stop();
    await service.stop();
    await rm(folder, {recursive: true});
  }
  finish();
}

await main();
