/** A class as a table: pages of its objects, of which the first is live, with cells that can be edited. */
import {address, place, remember} from '../console.js';
import {attempt, button, faults, grouped, h, notify} from '../frame/elements.js';
import {filterBox} from './filter-box.js';
import {objectAddress} from './keys.js';
import {loadStyle, loadTabulator} from '../frame/libraries.js';
import {createObject, deleteObjects, editProperty} from './object-changes.js';
import {literal, requestLines} from '../frame/request-lines.js';
import {loadSchema, typeText} from '../frame/schema.js';
import {caller, db, mayWrite, seesPlans} from '../frame/session.js';
import {columnOf, compact, fieldsOf, ownKey, usualColumns} from './table-cells.js';
import {Grid} from './table-grid.js';
import {followChanges} from './table-live.js';
import {PageWindow} from './table-pages.js';

const pageSize = 100;

export async function show(main, {parts: [name], query, signal}) {
  // The console's style follows the grid's, because both name the same elements.
  const [schema] = await Promise.all([
    loadSchema(), loadStyle('data/fields.css'), loadTabulator().then(() => loadStyle('data/table.css'))]);
  const stored = schema.class(name);
  if (!stored) throw new Error(`The store has no class '${name}'.`);
  main.append(h('h1', {}, name));
  if (stored.kind !== 'object') {
    const reasons = {
      embedded: 'Its objects are parts of other objects, which show them.',
      asymmetric: 'Its objects are handed out, and not read as a table.'};
    main.append(h('p', {}, `'${name}' is ${stored.kind}. ${reasons[stored.kind]}`));
    return;
  }
  await new ClassTable(main, stored, query, signal).start();
}

class ClassTable {
  #selected = new Map();
  #shownQuery = null;
  /** Counts the readings: only the last one is shown. The parts of the last query that the service took. */
  #turn = 0; #accepted = {};

  constructor(main, stored, query, signal) {
    Object.assign(this, {main, stored, signal});
    this.filter = query.filter ?? '';
    this.sort = query.sort ? query.sort.split(',') : [];
    const named = query.fields?.split(',').map(name => stored.property(name)).filter(Boolean);
    this.columns = named?.length ? named : usualColumns(stored);
  }

  async start() {
    const {stored, main} = this;
    this.box = await filterBox({schema: stored.schema, stored, value: this.filter, apply: text => this.#apply(text)});
    this.error = h('div', {className: 'table-fault'});
    this.counted = h('span', {role: 'status'});
    this.status = h('span', {className: 'live', role: 'status'});
    this.position = h('span', {});
    this.remove = button('Delete …', () => this.#delete(), {disabled: true});
    this.ways = h('nav', {className: 'bar', 'aria-label': `More of ${stored.name}`});
    this.lines = requestLines();
    this.grid = new Grid(stored, {
      onNear: edge => this.#more(edge), onEdit: (row, property, element) => this.#edit(row, property, element),
      onOpen: row => { location.hash = objectAddress(stored, stored.keyOf(row)); },
      isSelected: row => this.#selected.has(this.#nameOf(row)), onSelect: (row, isOn) => this.#select(row, isOn)});
    main.append(
      h('form', {className: 'bar', onsubmit: attempt(() => this.#apply(this.box.value))}, this.box.element,
        h('button', {className: 'primary'}, 'Filter'), button('Clear', () => this.#apply(''))),
      this.error,
      h('div', {className: 'bar'}, mayWrite() && [button('New …', () => this.#create()), this.remove], this.#columnChoice(),
        button('Count', () => this.#count()), this.counted, this.ways, this.status),
      this.grid.element,
      h('div', {className: 'bar'}, this.position, button('To the start', () => this.#toStart()),
        h('small', {}, 'Arrow keys move, Ctrl+Enter follows a link, Space selects', mayWrite() ? ', Enter or a double-click edits.' : '.')),
      this.lines.element);
    await this.grid.start(this.#definitions(), this.signal);
    await this.#load();
  }

  #nameOf(row) { return JSON.stringify(this.stored.keyOf(row)); }

  #definitions() {
    const key = ownKey(this.stored);
    return [key, ...this.columns.filter(({name}) => name !== key.name)].map(
      property => columnOf(this.stored, property, {sort: this.#order(), onSort: path => this.#sortBy(path)}));
  }

  /**
   * The order that is asked for. Without one it is that of the keys, because only a list with an order can be live. A filter may
   * state its own.
   */
  #order() {
    if (this.sort.length > 0) return this.sort;
    const isOrdered = /\b(?:SORT|DISTINCT)\s*\(/i.test(this.filter);
    return this.stored.primaryKey && !isOrdered ? [this.stored.primaryKey] : [];
  }

  #query() {
    const order = this.#order();
    return {
      filter: this.filter || undefined, sort: order.length > 0 ? order : undefined,
      fields: fieldsOf(this.stored, this.columns)};
  }

  // ---- Reading

  /** Reads the first page of the present query and follows it. A query that is refused leaves the shown one as it is. */
  async #load() {
    this.error.replaceChildren();
    this.box.showFault();
    const turn = ++this.#turn;
    const {filter, sort, columns} = this;
    const query = this.#query();
    const leaving = new AbortController();
    const signal = AbortSignal.any([this.signal, leaving.signal]);
    const read = async cursor => {
      const {objects, next} = await db.class(this.stored.name).query({...query, limit: pageSize, signal}).page(cursor);
      return {objects: objects.map(object => compact(this.stored, object)), next};
    };
    const pages = new PageWindow(read, object => this.#nameOf(object));
    try {
      await pages.next();
    } catch (error) {
      if (error.name === 'AbortError' || turn !== this.#turn) return false;
      this.box.showFault(error);
      this.error.replaceChildren(faults(error));
      Object.assign(this, this.#accepted);
      return false;
    }
    if (turn !== this.#turn) return false;
    this.leaving?.abort();
    Object.assign(this, {pages, leaving});
    this.#accepted = {filter, sort, columns};
    this.#shownQuery = query;
    this.counted.textContent = '';
    this.#selected.clear();
    this.#showSelection();
    this.grid.setColumns(this.#definitions());
    await this.#render();
    this.grid.scrollToStart();
    this.#showLines(query);
    this.#showWays();
    this.#follow(query, pages, signal);
    return true;
  }

  /** Follows the first page: as a live list, or, if the query cannot be one, by reading it again after each change. */
  #follow(query, pages, signal) {
    const readAgain = throttled(() => pages.refresh().then(() => this.#render()), signal);
    let isPolling = false;
    const poll = reason => {
      if (isPolling) return;
      isPolling = true;
      this.#showLive(`Read again after changes: ${reason}`);
      followChanges(this.stored.name, signal, readAgain).catch(error => {
        if (!signal.aborted) this.#showLive(`Not live: ${error.detail ?? error.message}`);
      });
    };
    if (!query.sort) return poll('without an order a list cannot be live.');
    db.class(this.stored.name).live({
      ...query, limit: pageSize, signal, onError: error => {
        if (!signal.aborted) poll(error.detail);
      }}, objects => {
      this.#showLive('');
      if (pages.first > 0) return;
      const isMoved = pages.takeFirst(objects.map(object => compact(this.stored, object)));
      this.#render();
      if (isMoved) readAgain();
    });
  }

  #showLive(reason) {
    const text = reason ? `○ ${reason}` : '● The first page is live';
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle('on', !reason);
  }

  async #more(edge) {
    if (this.isReading || !this.pages || !(edge === 'end' ? this.pages.hasNext : this.pages.hasPrevious)) return;
    this.isReading = true;
    const {pages} = this;
    try {
      const moved = await (edge === 'end' ? pages.next() : pages.previous());
      if (pages === this.pages) await this.#render(moved);
    } catch (error) {
      await this.#recover(error);
    } finally {
      this.isReading = false;
    }
    this.grid.look();
  }

  /** Begins again if the cursor of a page is not valid any more. */
  async #recover(error) {
    if (error.name === 'AbortError') return;
    if (error.status !== 410) return notify(error.detail ?? error.message, 'fault');
    notify(`${error.detail} The table begins again.`, 'fault');
    await this.#load();
  }

  async #toStart() {
    if (!this.pages) return;
    await this.pages.toStart();
    await this.#render();
    this.grid.scrollToStart();
  }

  async #render(moved = 0) {
    const {rows} = this.pages;
    for (const row of rows) if (this.#selected.has(this.#nameOf(row))) this.#select(row, true);
    await this.grid.show(rows, moved);
    const start = this.pages.first * pageSize;
    const {length} = rows;
    const range = `Objects ${grouped(start + 1)} to ${grouped(start + length)} are loaded`;
    this.position.textContent = length === 0 ? 'No objects.' : `${range}${this.pages.hasNext ? '' : '; these are the last'}.`;
  }

  // ---- The query

  async #apply(text) {
    this.filter = text;
    if (await this.#load() && this.box.value !== text) this.box.value = text;
    this.#remember();
  }

  /** Sorts by a path: upwards, then downwards, then in the usual order. */
  async #sortBy(path) {
    const [present] = this.#order();
    this.sort = present === path ? [`-${path}`] : this.sort[0] === `-${path}` ? [] : [path];
    await this.#load();
    this.#remember();
  }

  #remember() {
    if (this.signal.aborted) return;
    const isUsual = this.columns.length === usualColumns(this.stored).length
      && usualColumns(this.stored).every(({name}, index) => name === this.columns[index].name);
    remember({
      ...place().query, filter: this.filter, sort: this.sort.join(','),
      fields: isUsual ? '' : this.columns.map(({name}) => name).join(',')});
  }

  #columnChoice() {
    const key = ownKey(this.stored).name;
    const boxes = this.stored.properties.filter(({name}) => name !== key).map(property => h('label', {},
      h('input', {
        type: 'checkbox', checked: this.columns.includes(property), onchange: attempt(async box => {
          this.columns = this.stored.properties.filter(one => one === property ? box.checked : this.columns.includes(one));
          await this.#load();
          this.#remember();
        })}), ` ${property.name} `, h('small', {}, typeText(property))));
    return h('details', {className: 'column-choice'}, h('summary', {}, 'Columns'), h('div', {}, boxes));
  }

  async #count() {
    const {count} = await db.class(this.stored.name).query({
      filter: this.filter || undefined, limit: 1, fields: [this.stored.keyName], count: 'exact', signal: this.signal});
    this.counted.textContent = `${grouped(count)} ${count === 1 ? 'object' : 'objects'}`;
  }

  /** The pages that go on with the shown query: its plan, its export, and the import of a file. */
  #showWays() {
    const {stored: {name}, filter, sort} = this;
    const links = [[address('query', {class: name, filter, sort: sort.join(',')}), seesPlans() ? 'Plan' : 'Query']];
    // Users have no page of files.
    if (!caller().user) {
      links.push([address('move', 'export', {class: name, filter}), filter ? 'Export these' : 'Export']);
      if (mayWrite()) links.push([address('move', {class: name}), 'Import a file']);
    }
    this.ways.replaceChildren(...links.map(([href, text]) => h('a', {href}, text)));
  }

  #showLines(query) {
    const path = `/v1/classes/${encodeURIComponent(this.stored.name)}`;
    const search = members => new URLSearchParams(Object.entries(members).filter(([, value]) => value));
    const fields = query.fields.join(',');
    const collection = `db.class(${literal(this.stored.name)})`;
    this.lines.show(
      {path: `${path}/objects?${search({...query, sort: query.sort?.join(','), fields, limit: pageSize})}`,
        client: `await ${collection}.query(${literal({...query, limit: pageSize})})`},
      {path: `${path}/changes?${search({filter: query.filter, fields, since: 'now'})}`, headers: {Accept: 'text/event-stream'},
        client: `${collection}.live(${literal({...query, limit: pageSize})}, objects => { … })`});
  }

  // ---- Changing

  #select(row, isOn) {
    if (isOn) this.#selected.set(this.#nameOf(row), {key: this.stored.keyOf(row), etag: row.$version});
    else this.#selected.delete(this.#nameOf(row));
    this.#showSelection();
  }

  #showSelection() {
    this.remove.disabled = this.#selected.size === 0;
    this.remove.textContent = this.#selected.size > 0 ? `Delete ${this.#selected.size} …` : 'Delete …';
  }

  async #edit(row, property, element) {
    if (!mayWrite()) throw new Error('Your token may only read.');
    const object = await editProperty(this.stored, property, this.stored.keyOf(row), {anchor: element, signal: this.signal});
    if (object) await this.#readRow(this.stored.keyOf(row));
  }

  /** Shows an object as it is stored now, on whatever page it stands. */
  async #readRow(key) {
    const object = await db.class(this.stored.name).get(key, {fields: this.#shownQuery.fields, signal: this.signal});
    this.pages.replace(JSON.stringify(key), compact(this.stored, object));
    await this.#render();
  }

  async #create() {
    const object = await createObject(this.stored, this.signal);
    if (!object) return;
    const key = this.stored.keyOf(object);
    const title = this.stored.title(object) || 'the object';
    notify(h('span', {}, 'Created: ', h('a', {href: objectAddress(this.stored, key)}, title)));
    await this.pages.refresh();
    await this.#render();
  }

  async #delete() {
    const rows = [...this.#selected.values()];
    if (!await deleteObjects(this.stored, rows)) return;
    notify(rows.length === 1 ? 'Deleted.' : `${grouped(rows.length)} objects were deleted.`);
    this.#selected.clear();
    this.#showSelection();
    await this.pages.refresh();
    await this.#render();
  }
}

/** Runs a task at most once a second, and once more if it was asked for meanwhile. */
function throttled(task, signal) {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted && !signal.aborted) {
      isWanted = false;
      await task().catch(() => {});
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
    isRunning = false;
  };
}
