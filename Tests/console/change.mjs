/** The checks of writing: objects edited by type in tables and forms, conflicts, and the keyboard. */
import {isDeepStrictEqual} from 'node:util';
import {check, equal, until} from '../support/checks.mjs';
import {count} from './page.mjs';

/** A class with a property of each kind of editor. */
export const THING = {primaryKey: 'id', properties: {
  id: 'int', name: 'string', number: 'int', score: 'double', isDone: 'bool', kind: {type: 'string', enum: ['a', 'b']},
  at: 'date?', home: 'Country?', tags: 'string[]', amounts: 'int{}', anything: 'mixed'}};
const path = id => `/v1/classes/Thing/objects/${id}`;

/** The steps that edit a property, and the value then. */
const EDITS = [
  ['name', 'Lamp', ['fill', 'name', 'Lamp']],
  ['number', 7, ['fill', 'number', '7']],
  ['score', 2.5, ['fill', 'score', '2.5']],
  ['isDone', true, ['fill', 'isDone', true]],
  ['kind', 'b', ['fill', 'kind', '"b"']],
  ['at', '2026-11-20T06:38:58Z', ['fill', 'at: null', false], ['fill', 'at', '2026-11-20T06:38:58Z']],
  ['home', 'IS', ['fill', 'home: null', false], ['pick', 'home: key of a Country', 'Icel', 'Iceland']],
  ['tags', ['red'], ['press', 'tags: add'], ['fill', 'tags 1', 'red']],
  ['amounts', {x: 3}, ['press', 'amounts: add'], ['fill', 'amounts: key 1', 'x'], ['fill', 'amounts: value', '3']],
  ['anything', 'free', ['fill', 'anything: kind', 'string'], ['fill', 'anything', 'free']]];
/** The properties with an editor in a dialog; the others have one over the cell. */
const WIDE = ['tags', 'amounts', 'anything'];

/** Edits each property in the table and in the form, as `caller` may. */
export async function checkEdits(page, service, caller, token) {
  const stored = id => service.set('GET', path(id), undefined, token);
  for (const id of [1, 2]) await service.set('PUT', path(id), {id, name: 'new'}, token);
  await check(`${caller} edits each type in the table`, async () => {
    await page.do(['reload', '#/class/Thing'], ['shows', 'new']);
    for (const [name, value, ...steps] of EDITS) {
      await page.do(['edit', '1', name], ['holds', 'the editor', 'document.querySelector(".cell-editor, dialog[open]") !== null'],
        ...steps, WIDE.includes(name) ? ['press', 'Save'] : ['key', 'Enter']);
      await until(name, async () => isDeepStrictEqual((await stored(1))[name], value));
      await page.holds('the end', 'document.querySelector(".cell-editor, dialog[open]") === null');
    }
    await page.shows('Iceland');
    await page.look(`edited-table-${caller.split(' ').at(-1)}`);
  });
  await check(`${caller} edits each type in the form`, async () => {
    await page.do(['go', '#/object/Thing/2'], ['shows', 'Live'], ...EDITS.flatMap(([, , ...steps]) => steps), ['press', 'Save'],
      ['shows', 'Saved.']);
    const object = await stored(2);
    for (const [name, value] of EDITS) equal(object[name], value, name);
    await page.look(`edited-form-${caller.split(' ').at(-1)}`);
  });
}

async function checkNextCell(page, service) {
  await check('the editor of the next cell stays open while the row is read after the change of the one before', async () => {
    await page.do(['reload', '#/class/Thing'], ['shows', 'Lamp'], ['edit', '1', 'number']);
    // The reading of the row comes to its end when the test says so.
    await page.tab(`{ const own = fetch, isLet = new Promise(resolve => { window.letGo = () => resolve(); });
      window.heldCount = 0;
      window.fetch = async (...terms) => {
        const reply = await own(...terms);
        if (/objects\\/1\\?.*fields=/.test(terms[0].url ?? terms[0])) { heldCount++; await isLet; }
        return reply;
      }; }`);
    await page.do(['fill', 'number', '8'], ['key', 'Enter'], ['holds', 'the reading', 'heldCount > 0'], ['edit', '1', 'name'],
      ['holds', 'the editor', 'document.activeElement.closest(".cell-editor") !== null']);
    // Too short a pause would miss a fault, and never find a wrong one.
    await page.tab('letGo(); new Promise(resolve => { setTimeout(resolve, 500); })');
    await page.holds('the editor still', 'document.activeElement.closest(".cell-editor") !== null');
    await page.holds('the number', 'document.querySelector(".tabulator-cell[tabulator-field=number]").textContent === "8"');
    await page.do(['fill', 'name', 'Lantern'], ['key', 'Enter']);
    await until('the name', async () => (await service.set('GET', path(1))).name === 'Lantern');
    await service.set('PATCH', path(1), {name: 'Lamp', number: 7});
  });
}

async function checkConflicts(page, service) {
  await check('an object is changed in its form, and a conflict is shown side by side', async () => {
    const name = async () => (await service.set('GET', '/v1/classes/Continent/objects/EU')).name;
    await page.do(['go', '#/object/Continent/EU'], ['shows', 'Live'], ['fill', 'name', 'Europa'], ['press', 'Save']);
    await until('the change', async () => await name() === 'Europa');
    // The form shows the stored object again.
    await page.holds('the heading', 'document.querySelector("h1").textContent === "Europa"');
    await page.fill('name', 'Mine');
    await service.set('PATCH', '/v1/classes/Continent/objects/EU', {name: 'Theirs'});
    await page.do(['press', 'Save'], ['shows', 'The object has changed meanwhile'], ['shows', 'Mine'], ['shows', 'Theirs'],
      ['look', 'conflict'], ['press', 'Save again']);
    await until('the change', async () => await name() === 'Mine');
  });
  await check('a conflict in a cell of a table is shown side by side', async () => {
    await page.do(['go', '#/class/Thing'], ['shows', 'Lamp'], ['edit', '1', 'name'], ['fill', 'name', 'My lamp']);
    await service.set('PATCH', path(1), {name: 'Their lamp'});
    await page.do(['key', 'Enter'], ['shows', 'The object has changed meanwhile'], ['shows', 'My lamp'], ['shows', 'Their lamp'],
      ['look', 'conflict-table'], ['press', 'Save again']);
    await until('the change', async () => (await service.set('GET', path(1))).name === 'My lamp');
  });
}

async function checkObjects(page, service) {
  await check('an object is made, and deleted', async () => {
    await page.do(['go', '#/class/Continent'], ['shows', 'Antarctica'], ['press', 'New …'], ['shows', 'New object of Continent'],
      ['fill', 'code', 'AT'], ['fill', 'name', 'Atlantis'], ['look', 'new'], ['press', 'Create'], ['shows', 'Created: Atlantis'],
      ['go', '#/object/Continent/AT'], ['shows', 'Live'], ['press', 'Delete …'], ['shows', 'Delete?'], ['press', 'Delete'],
      ['shows', 'Objects 1 to 7 are loaded'], ['shows', 'Deleted.']);
    equal(await count(service, 'Continent'), 7, 'the continents');
  });
  await check('a notice is closed by its button, and by another page', () => page.do(
    ['go', '#/object/Continent/AF'], ['shows', 'Live'], ['press', 'Save'], ['shows', 'Nothing was changed.'],
    ['press', 'Close the notice'], ['hides', 'Nothing was changed.'], ['press', 'Save'], ['shows', 'Nothing was changed.'],
    ['go', '#/schema'], ['shows', 'Revision'], ['hides', 'Nothing was changed.']));
  await check('a dialog stays open while its write is under way', async () => {
    await page.do(['go', '#/class/Continent'], ['shows', 'Antarctica'], ['press', 'New …'], ['fill', 'code', 'MU'],
      ['fill', 'name', 'Mu']);
    await page.tab(`{
      const {fetch} = window;
      const released = new Promise(resolve => { window.release_ = resolve; });
      window.fetch = async (...terms) => {
        await released;
        return fetch(...terms);
      };
    }`);
    await page.do(['press', 'Create'], ['key', 'Escape']);
    equal(await page.tab('document.querySelectorAll("dialog[open]").length'), 1, 'the dialogs');
    await page.tab('release_()');
    await page.do(['shows', 'Created: Mu'], ['reload', '']);
    await service.set('DELETE', '/v1/classes/Continent/objects/MU');
  });
  await check('a change elsewhere leaves the focus in its field', async () => {
    await page.do(['go', '#/object/Thing/1'], ['shows', 'Live'], ['focus', '[data-property=name] textarea']);
    await page.tab('document.activeElement.setSelectionRange(2, 4)');
    await service.set('PATCH', path(1), {number: 8});
    await page.shows('Changed elsewhere: number.');
    equal(await page.tab('(one => [one.ariaLabel, one.selectionStart, one.selectionEnd])(document.activeElement)'),
      ['name', 2, 4], 'the focus');
  });
}

async function checkKeyboard(page, service) {
  const active = expression => `(element => ${expression})(document.activeElement)`;
  const isAt = field => ['holds', `the cell of ${field}`, active(`element.getAttribute('tabulator-field') === '${field}'`)];
  await check('the keyboard leads to a cell, edits it, selects its row and follows its link', async () => {
    await page.do(['reload', '#/class/Thing'], ['shows', 'My lamp']);
    const reached = new Set();
    for (let number = 0; number < 60 && !reached.has('grid'); number++) {
      await page.key('Tab');
      reached.add(await page.tab(active(`element.classList.contains('tabulator-tableholder') ? 'grid'
        : element.closest('nav')?.id ?? element.tagName`)));
    }
    equal(['rooms', 'classes', 'BUTTON', 'grid'].filter(place => !reached.has(place)), [], 'the places that Tab does not reach');
    await page.do(['key', 'ArrowDown'], isAt('id'), ['key', 'ArrowRight'], isAt('name'), ['key', 'Enter'],
      ['holds', 'the editor', active(`element.closest('.cell-editor') !== null`)], ['type', 'By keys'], ['key', 'Enter']);
    await until('the change', async () => (await service.set('GET', path(1))).name === 'By keys');
    await page.do(['holds', 'the end', 'document.querySelector(".cell-editor") === null'], isAt('name'), ['key', ' '],
      ['shows', 'Delete 1 …'], ['key', 'ArrowLeft'], isAt('id'), ['key', 'Enter', 2],
      ['holds', 'the object', 'location.hash === "#/object/Thing/1"']);
  });
}

export async function checkChange(page, service) {
  await service.set('PUT', '/v1/schema/classes/Thing', THING);
  await checkEdits(page, service, 'an administrator');
  await checkNextCell(page, service);
  await checkConflicts(page, service);
  await checkObjects(page, service);
  await checkKeyboard(page, service);
}
