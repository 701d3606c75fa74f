/** The checks of queries with their plans, changes, figures, several tabs, and the lines that do the same as a view. */
import {check, equal, until} from '../support/checks.mjs';
import {Page} from './page.mjs';

export async function checkWhy(page, service) {
  await check('a query is shown with its plan and the time of each step', async () => {
    await page.do(['go', `#/query?${new URLSearchParams({class: 'City', filter: 'population > 10000000'})}`], ['shows', 'Shanghai'],
      ['shows', 'Index entries read'], ['look', 'query']);
    const times = await page.tab(`[...document.querySelectorAll('.steps tbody tr')].map(row => row.children[2].textContent)`);
    equal(times.length > 1 && times.every(text => /^[\d.]+ (µs|ms|s)$/.test(text)), true, `the times ${times}`);
  });
  await check('groups are queried, and the column of a fault is marked', () => page.do(
    ['go', `#/query?${new URLSearchParams({class: 'City', op: 'count', by: 'country.continent.code'})}`], ['shows', '7 groups'],
    ['go', `#/query?${new URLSearchParams({class: 'City', filter: 'population >> 3'})}`],
    ['holds', 'the mark', 'document.querySelector(".at-column mark") !== null']));
  await check('the newest changes are shown first, and as they happen', async () => {
    const versions = () => page.tab('[...document.querySelectorAll("main tbody tr")].map(row => Number(row.lastChild.textContent))');
    for (const [name, id] of [['Country', 'IS'], ['Continent', 'AS'], ['Country', 'DE']]) {
      const {population} = await service.set('GET', `/v1/classes/${name}/objects/${id}`);
      await service.set('PATCH', `/v1/classes/${name}/objects/${id}`, {population: population + 1});
    }
    await page.do(['go', '#/changes'], ['shows', 'Changes are shown as they happen.'], ['shows', 'DE']);
    const found = await versions();
    equal(found, found.toSorted((one, other) => other - one), 'the order');
    await service.set('PATCH', '/v1/classes/Continent/objects/AS', {name: 'Asia!'});
    await until('the new one', async () => await page.tab('document.querySelector("main tbody tr").innerText.includes("AS")'));
    await page.look('changes');
  });
  await check('the figures are shown as charts', () => page.do(
    ['go', '#/figures'], ['shows', 'Latency'], ['shows', 'since the console was opened'], ['look', 'figures']));
}

const AsyncFunction = (async () => {}).constructor;

/** The addresses of all views. */
const VIEWS = [
  '', 'class/City', 'object/City/2950159', 'schema', 'schema/City', 'schema?as=drawing', 'schema?as=json', 'move',
  'move?class=City', 'move/export', `move/export?${new URLSearchParams({class: 'City', filter: 'id > 1'})}`, 'move/backups',
  'access', 'access/accounts', 'access/rules', 'access/test', 'access/audit', 'query?class=City',
  'query?class=City&op=count&by=timezone', 'changes', 'changes?class=City', 'figures'];

export async function checkLines(page) {
  await check('each view has the lines of curl and of the client that do the same', async () => {
    for (const view of VIEWS) {
      await page.do(['go', `#/${view}`], ['holds', `the lines of ${view}`, 'document.querySelectorAll(".requests .line").length > 0']);
      const lines = await page.tab(`[...document.querySelectorAll('.requests .line')].map(
        line => [line.children[0].textContent, line.children[1].textContent])`);
      const [curl, client] = ['curl', 'client'].map(kind => lines.filter(([name]) => name === kind).map(([, text]) => text));
      equal([curl.length > 0, client.length], [true, curl.length], `the lines of ${view}: ${lines}`);
      for (const text of client) new AsyncFunction(text.replaceAll('…', '{}'));
    }
  });
  await check('the lines of the client are programs, whatever their texts are', async () => {
    const value = {filter: 'a ==\n"\\" AND b == \'\u2028\'', '1a': [null, true], 'b c': 2};
    const text = await page.tab(
      `import('/console/frame/request-lines.js').then(({literal}) => literal(${JSON.stringify(value)}))`);
    equal(Function(`return ${text}`)(), value, text);
  });
}

/** A tab is hidden or shown. A headless Chromium shows all of them. */
const setHidden = (page, isHidden) => page.tab(`
  Object.defineProperty(document, 'hidden', {value: ${isHidden}, configurable: true});
  void document.dispatchEvent(new Event('visibilitychange'))`);

export async function checkTabs(browser, service) {
  await check('a table of a class without a key shows new objects in each of several tabs', async () => {
    await service.set('PUT', '/v1/schema/classes/Note', {properties: {text: 'string'}});
    await service.set('POST', '/v1/classes/Note/objects', {text: 'first'});
    const pages = [];
    for (let number = 0; number < 3; number++) {
      pages.push(await Page.open(browser, service, '#/class/Note'));
      await pages.at(-1).do(['shows', 'first'], ['shows', 'Read again after changes']);
    }
    for (const text of ['second', 'third']) {
      await service.set('POST', '/v1/classes/Note/objects', {text});
      for (const page of pages) await page.shows(text);
    }
    for (const page of pages) await page.tab.close();
  });
  for (const [address, shown, rows] of [
    ['#/changes', 'Changes are shown as they happen.', 'main tbody tr'], ['#/class/Note', 'third', '.tabulator-row']]) {
    await check(`${address} is open in seven tabs, and goes on in each that is shown again`, async () => {
      const pages = [];
      for (let number = 0; number < 7; number++) {
        for (const page of pages.slice(-1)) await setHidden(page, true);
        pages.push(await Page.open(browser, service, address));
        await pages.at(-1).shows(shown);
      }
      const count = page => page.tab(`document.querySelectorAll('${rows}').length`);
      const before = await Promise.all(pages.map(count));
      await service.set('POST', '/v1/classes/Note/objects', {text: 'while tabs are hidden'});
      await until('the shown tab', async () => await count(pages[6]) === before[6] + 1);
      equal(await count(pages[0]), before[0], 'the rows of a hidden tab');
      await setHidden(pages[0], false);
      await until('the tab that is shown again', async () => await count(pages[0]) > before[0]);
      for (const page of pages) await page.tab.close();
    });
  }
}
