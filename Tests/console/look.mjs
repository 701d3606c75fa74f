/** The checks of reading: classes, tables with their filters, orders and columns, and objects with their links. */
import {check} from '../support/checks.mjs';

const query = members => new URLSearchParams(members);
const first = (field, text) => `document.querySelector('.tabulator-row [tabulator-field="${field}"]')?.textContent === '${text}'`;
/** The names that the filter box completes at its cursor. */
const hints = text => `[...document.querySelectorAll('.CodeMirror-hint')].some(({firstChild}) => firstChild.data === '${text}')`;

export async function checkLook(page, service) {
  await check('the classes of the store, with their counts', () => page.do(
    ['go', ''], ['shows', '34,006'], ['look', 'overview']));
  await check('a class as a table, filtered, with the column of a fault marked', () => page.do(
    ['go', '#/class/City'], ['shows', 'Shahrak-e Qods'], ['look', 'table'],
    ['go', `#/class/City?${query({filter: 'country.iso == "IS"', sort: '-population'})}`], ['shows', 'Reykjavík'],
    ['press', 'Count'], ['shows', '8'], ['shows', 'Export these'],
    ['go', `#/class/City?${query({filter: 'population >> 3'})}`], ['shows', 'column'],
    ['holds', 'the mark', 'document.querySelector(".filter-fault") !== null']));
  await check('the filter box completes names of the schema, also behind links', () => page.do(
    ['go', '#/class/City'], ['shows', 'Shahrak-e Qods'], ['focus', '.filter-box textarea'],
    ['type', 'popu'], ['holds', 'the completion', hints('population')], ['look', 'completion'], ['key', 'Enter'],
    ['type', ' > 100000 AND country.i'], ['holds', 'the completion behind the link', hints('iso')], ['key', 'Enter'],
    ['type', ' == "IS"'], ['key', 'Enter'], ['hides', 'Shahrak-e Qods'], ['shows', 'Reykjavík']));
  await check('the filter box colours a date as one word', () => page.do(
    ['go', `#/class/City?${query({filter: 'name == "x" AND 2025-06-01@00:00:00 == 2025-06-01T00:00:00+02:00'})}`],
    ['holds', 'the dates', `[...document.querySelectorAll('.filter-box .cm-atom')].map(one => one.textContent).join(' ')
      === '2025-06-01@00:00:00 2025-06-01T00:00:00+02:00'`]));
  await check('a click on a column sorts by it, and another one the other way', () => page.do(
    ['go', '#/class/City'], ['shows', 'Shahrak-e Qods'], ['press', 'population'],
    ['holds', 'the ascending order', 'document.querySelector("[aria-sort=ascending]")?.textContent.startsWith("population")'],
    ['press', 'population'], ['holds', 'the descending order', first('name', 'Shanghai')]));
  await check('columns are chosen, and the address keeps the choice', () => page.do(
    ['go', '#/class/City'], ['shows', 'Asia/Tehran'], ['press', 'Columns'], ['look', 'columns'], ['fill', 'timezone', false],
    ['hides', 'Asia/Tehran'], ['holds', 'the address', 'location.hash.includes("fields=") && !location.hash.includes("timezone")']));
  await check('the table shows a change of somebody else at once', async () => {
    const rename = name => service.set('PATCH', '/v1/classes/Continent/objects/AN', {name});
    await page.do(['go', '#/class/Continent'], ['shows', 'Antarctica']);
    await rename('The South');
    await page.shows('The South');
    await rename('Antarctica');
    await page.shows('Antarctica');
  });
  await check('links are followed both ways, from objects and from cells', () => page.do(
    ['go', '#/object/City/2950159'], ['shows', 'Germany'], ['look', 'object'], ['press', 'Germany'], ['shows', 'areaKm2'],
    ['shows', 'City.country'], ['press', 'As a table of City'], ['shows', 'Aachen'], ['press', 'Germany'], ['shows', 'areaKm2'],
    ['go', `#/class/Country?${query({filter: 'iso == "IS"'})}`], ['shows', 'Reykjavík'], ['press', '8'], ['shows', 'Kópavogur']));
  await check('an object is shown as JSON', () => page.do(
    ['go', '#/object/City/2950159'], ['shows', 'Germany'], ['press', 'JSON'],
    ['holds', 'the text', `JSON.parse(document.querySelector('.CodeMirror')?.CodeMirror.getValue() ?? '{}').country === 'DE'`],
    ['look', 'json']));
}

export async function checkFaults(page) {
  await check('an address that is not encoded is a class that is not there', () => page.do(
    ['go', '#/class/%'], ['shows', "'%'"]));
  await check('a page of a proxy in place of the reply to an upload is a fault', async () => {
    await page.holds('the status of the fault', `(async () => {
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
      return upload('/v1/import', new Blob(['x']), {onProgress: () => {}}).then(() => false, error => error.status === 422);
    })()`);
    await page.go('');
  });
}
