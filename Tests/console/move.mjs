/** The checks of files that become objects, and of backups. */
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {check, equal, until} from '../support/checks.mjs';
import {count} from './page.mjs';

const numbers = [...Array(50).keys()];
const lines = objects => objects.map(object => JSON.stringify(object)).join('\n');

const SPREADSHEET = ['Nr;Umsatz €;Am;Bezahlt;Land', ...numbers.map(number => [
  number + 1, `1.0${String(number).padStart(2, '0')},50`, `${String(1 + number % 28).padStart(2, '0')}.03.2026`,
  number % 2 ? 'ja' : 'nein', number % 3 ? 'DE' : 'IS'].join(';'))].join('\r\n');
/** The same columns, with two faults. */
const FAULTY = 'Nr;Umsatz €;Am;Bezahlt;Land\n60;1,5;01.04.2026;ja;DE\n61;1,5;31.04.2026;ja;DE\n62;x;01.04.2026;nein;DE\n';
const VISITS = lines(numbers.map(number => (
  {id: number, at: '2026-11-20T06:38:00Z', tags: ['a'], address: {street: `Way ${number}`}})));
const THEATERS = lines(numbers.map(number => ({
  _id: {$oid: number.toString(16).padStart(24, '0')}, theaterId: {$numberInt: `${number}`},
  opened: {$date: '2020-01-01T10:00:00Z'}})));
const PLACES = JSON.stringify({type: 'FeatureCollection', features: numbers.map(number => ({
  type: 'Feature', id: number, properties: {name: `Place ${number}`},
  geometry: {type: 'Point', coordinates: [number, 50]}}))}, null, 1);
const REALM = JSON.stringify({
  Owner: [{_id: 'ann', name: 'Ann', dogs: [{_id: 1, name: 'Rex', weight: 9.5, born: '2020-01-02T03:04:05.678Z'}]}],
  Dog: [{_id: 1, name: 'Rex', weight: 9.5, born: '2020-01-02T03:04:05.678Z'},
    {_id: 2, name: 'Bello', weight: 8, born: '2021-01-02T03:04:05.678Z'}]});

/** A document as Realm Studio writes it since version 13: each object, array and text stands in a list, named by its index. */
function flatted(document) {
  const [list, indexes] = [[], new Map()];
  const place = value => {
    if (typeof value !== 'string' && (value === null || typeof value !== 'object')) return value;
    if (!indexes.has(value)) {
      indexes.set(value, `${list.push(null) - 1}`);
      const members = typeof value === 'string' ? value : Object.entries(value).map(([name, member]) => [name, place(member)]);
      list[indexes.get(value)] = Array.isArray(value) ? members.map(([, member]) => member)
        : typeof value === 'string' ? value : Object.fromEntries(members);
    }
    return indexes.get(value);
  };
  place(document);
  return JSON.stringify(list);
}

const tom = {_id: 1, name: 'Tom', weight: 4.5};
const REALM_13 = flatted({Keeper: [{_id: 'ann', cats: [tom]}], Cat: [tom, {_id: 2, name: 'Kit', weight: 1}]});

/** Gives the page a file to import. */
async function choose(page, folder, name, text) {
  await page.go('#/move');
  await page.shows('Drop a file here');
  const path = join(folder, name);
  await writeFile(path, text);
  await page.choose(path);
}

async function checkSpreadsheet(page, service, folder) {
  await check('a spreadsheet that is dropped on the page becomes a proposed class, each type with its reason, and its lines objects', async () => {
    await page.do(['go', '#/move'], ['drop', 'sale.csv', SPREADSHEET]);
    await page.shows('All 50 values are whole numbers');
    await page.shows('some with a decimal comma');
    await page.shows('Each of the 2 different values is a key of Country.');
    await page.look('proposal');
    await page.rename('Am', 'day');
    await page.press('Make the class and import the file');
    await page.shows('50 objects imported');
    await page.look('report');
    equal(await count(service, 'Sale'), 50, 'the objects');
    const {Nr, Umsatz, day, Bezahlt, Land} = await service.set('GET', '/v1/classes/Sale/objects/2');
    equal([Nr, Umsatz, day, Bezahlt, Land], [2, 1001.5, '2026-03-02T00:00:00Z', true, 'DE'], 'the second object');
  });
  await check('faults of an import have their lines and columns', async () => {
    await choose(page, folder, 'Sale.csv', FAULTY);
    await page.shows('Import into Sale');
    await page.fill('Property of the column Am', 'day');
    await page.fill('Forms of dates, one a line', 'Am=%d.%m.%Y');
    await page.fill('Numbers have a decimal comma', true);
    await page.fill('Word for true', 'ja');
    await page.fill('Word for false', 'nein');
    await page.press('Import into Sale');
    await page.shows('1 object imported');
    await page.shows("Line 3, column 'Am': '31.04.2026'");
    await page.shows("Line 4, column 'Umsatz €': 'x' is not a number.");
    await page.look('faults');
  });
}

/** The forms of JSON: what the proposal shows, and the first object of the class. */
const JSON_FILES = [
  {what: 'lines of JSON', file: 'visit.ndjson', text: VISITS, name: 'Visit', shown: 'VisitAddress', key: 1,
    expected: {id: 1, at: '2026-11-20T06:38:00Z', tags: ['a'], address: {street: 'Way 1'}}},
  {what: 'the lines of mongoexport', file: 'theater.json', text: THEATERS, name: 'Theater', shown: 'theaterId',
    key: '0'.repeat(23) + 1, expected: {_id: '0'.repeat(23) + 1, theaterId: 1, opened: '2020-01-01T10:00:00Z'}},
  {what: 'the features of GeoJSON', file: 'place.geojson', text: PLACES, name: 'Place', shown: 'geometry',
    key: 1, expected: {id: 1, name: 'Place 1', geometry: {type: 'Point', coordinates: [1, 50]}}}];

async function checkJSON(page, service, folder) {
  for (const {what, file, text, name, shown, key, expected} of JSON_FILES) {
    await check(`${what} become a class and its objects`, async () => {
      await choose(page, folder, file, text);
      await page.shows(shown);
      await page.look(`proposal-${name}`);
      await page.press('Make the class and import the file');
      await page.shows('50 objects imported');
      const found = await service.set('GET', `/v1/classes/${name}/objects/${key}`);
      equal(Object.fromEntries(Object.keys(expected).map(member => [member, found[member]])), expected, 'the object');
    });
  }
  await check('the export of Realm Studio becomes classes with their links, and their objects', async () => {
    await choose(page, folder, 'realm.json', REALM);
    await page.shows('Its lists have objects of Dog.');
    await page.look('proposal-realm');
    await page.press('Make the classes and import the objects');
    await page.shows('3 objects imported');
    equal((await service.set('GET', '/v1/classes/Owner/objects/ann')).dogs, [1], 'the links');
    equal((await service.set('GET', '/v1/classes/Dog/objects/2')).weight, 8, 'a value');
  });
  await check('the export of Realm Studio 13 becomes classes with their links, and their objects', async () => {
    await choose(page, folder, 'realm-13.json', REALM_13);
    await page.do(['shows', 'Its lists have objects of Cat.'], ['shows', 'Keeper 1 object,'],
      ['press', 'Make the classes and import the objects'], ['shows', '3 objects imported']);
    equal((await service.set('GET', '/v1/classes/Keeper/objects/ann')).cats, [1], 'the links');
    equal((await service.set('GET', '/v1/classes/Cat/objects/2')).name, 'Kit', 'a value');
  });
}

async function checkExport(page, service) {
  await check('what a filter finds is exported, and the column of a fault is marked', async () => {
    await page.do(['go', `#/class/City?${new URLSearchParams({filter: 'country.iso == "IS"'})}`], ['press', 'Export these'],
      ['shows', 'Export the class']);
    await page.watchFiles();
    await page.press('Export the class');
    await page.shows('City.ndjson is saved');
    const found = (await page.savedText()).trim().split('\n').map(line => JSON.parse(line));
    const {objects} = await service.set('POST', '/v1/classes/City/query', {filter: 'country.iso == "IS"', fields: ['id']});
    equal(found.map(({id}) => id), objects.map(({id}) => id), 'the exported objects');
    await page.look('export');
    await page.go(`#/move/export?${new URLSearchParams({class: 'City', filter: 'population >> 3'})}`);
    await page.press('Export the class');
    await page.shows('column');
    await until('the mark', () => page.tab('document.querySelector(".filter-fault") !== null'));
  });
}

async function checkBackups(page, service) {
  await check('a backup is made, fetched and deleted', async () => {
    await page.go('#/move/backups');
    await page.press('Make a backup');
    await page.shows('Download');
    await page.look('backups');
    const [{bytes}] = (await service.set('GET', '/v1/backups')).backups;
    await page.watchFiles();
    await page.press('Download');
    equal((await page.savedSize()), bytes, 'the bytes of the backup');
    await page.press('Delete');
    await page.press('Delete');
    await until('no backup', async () => (await service.set('GET', '/v1/backups')).backups.length === 0);
  });
}

export async function checkMove(page, service, folder) {
  await page.go('#/move');
  await page.shows('Drop a file here');
  await page.look('move');
  await checkSpreadsheet(page, service, folder);
  await checkJSON(page, service, folder);
  await checkExport(page, service);
  await checkBackups(page, service);
}
