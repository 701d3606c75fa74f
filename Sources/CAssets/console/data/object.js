/** One object: a form by type or its JSON, live, with the objects that link to it. */
import {address} from '../console.js';
import {saved} from './conflict.js';
import {attempt, button, goWithNotice, h, notify} from '../frame/elements.js';
import {objectFields} from './field-collections.js';
import {keyOfAddress, objectPath} from './keys.js';
import {loadStyle} from '../frame/libraries.js';
import {deleteObjects, noteText, saveChanges} from './object-changes.js';
import {patchHeaders, patchOf} from './patches.js';
import {literal, requestLines} from '../frame/request-lines.js';
import {loadSchema} from '../frame/schema.js';
import {db, mayWrite} from '../frame/session.js';
import {areEqual, differences, parseJSON} from './values.js';
import {jsonEditor} from './object-json.js';
import {largeCollection} from './object-large.js';
import {incomingLinks} from './object-links.js';
import {etagOf} from '/client/holdfast.js';

export async function show(main, {parts, query, signal}) {
  const [schema] = await Promise.all([loadSchema(), ...['data/object.css', 'data/fields.css'].map(loadStyle)]);
  const stored = schema.class(parts[0]);
  if (!stored) throw new Error(`The store has no class '${parts[0]}'.`);
  await new ObjectPage(main, stored, keyOfAddress(stored, parts, query), signal).start();
}

/** The fields and buttons of an element. */
const controls = element => [...element?.querySelectorAll('input, select, textarea, button, a') ?? []];

/** A function that gives the focus, after the form was made again, to the field of the same property, with its selection. */
function focusIn(place) {
  const {activeElement: focused} = document;
  if (!place.contains(focused)) return () => {};
  const part = [...place.querySelectorAll('form > .properties > *, form > .actions, form')].find(one => one.contains(focused));
  const {property} = part.dataset;
  const again = () => place.querySelector(
    property === undefined ? 'form' : `form > .properties > [data-property="${CSS.escape(property)}"]`);
  const index = controls(again()).indexOf(focused);
  const {selectionStart, selectionEnd} = focused;
  return () => {
    const field = controls(again())[index];
    field?.focus();
    if (typeof selectionStart === 'number') field?.setSelectionRange(selectionStart, selectionEnd);
  };
}

class ObjectPage {
  constructor(main, stored, key, signal) {
    Object.assign(this, {main, stored, key, signal, isJSON: false});
    this.collection = db.class(stored.name);
  }

  async start() {
    this.object = await this.collection.get(this.key, {signal: this.signal});
    this.heading = h('h1');
    this.facts = h('p', {className: 'facts'});
    this.news = h('div', {role: 'status'});
    this.lines = requestLines();
    this.place = h('div');
    const tab = (text, isJSON) => h('button', {type: 'button', onclick: attempt(() => this.#switch(isJSON))}, text);
    this.tabs = [tab('Form', false), tab('JSON', true)];
    this.main.append(
      this.heading, this.facts, this.news, h('div', {className: 'bar', role: 'group', 'aria-label': 'View'}, this.tabs),
      this.place, ...[incomingLinks(this.stored, this.key, this.signal)].filter(Boolean), this.lines.element);
    await this.#render();
    this.collection.live({
      id: this.key, signal: this.signal, onError: error => {
        if (!this.signal.aborted) this.news.replaceChildren(h('small', {}, `Not live: ${error.detail}`));
      }}, (objects, {reset}) => this.#hear(objects[0], reset));
  }

  // ---- What is shown

  async #render() {
    const {stored, object} = this;
    this.heading.textContent = stored.title(object) || '""';
    this.facts.replaceChildren(
      h('a', {href: address('class', stored.name)}, stored.name), ` · ${stored.keyName} `,
      h('code', {}, JSON.stringify(this.key)), ' · ETag ', h('code', {}, etagOf(object) ?? ''));
    for (const [index, tab] of this.tabs.entries()) tab.setAttribute('aria-pressed', `${(index === 1) === this.isJSON}`);
    this.content = this.isJSON ? await this.#json() : this.#form();
    const focusAgain = focusIn(this.place);
    this.place.replaceChildren(this.content.element);
    this.content.refresh?.();
    focusAgain();
    this.#showLines();
  }

  /** Shows the other form of the object. Changes in the present one have to be saved first. */
  async #switch(isJSON) {
    if (isJSON === this.isJSON) return;
    if (this.#isChanged()) return notify('Save your changes first, or go back to the stored values.', 'fault');
    this.isJSON = isJSON;
    await this.#render();
  }

  #form() {
    const {stored, object, signal} = this;
    const fields = objectFields(stored, object, {
      schema: stored.schema, signal, isLocked: name => name === stored.primaryKey,
      note: property => h('small', {}, noteText(stored, property)),
      omitted: property => largeCollection(stored, this.key, property, signal)});
    if (!mayWrite()) for (const field of controls(fields.element)) field.disabled = !field.closest('.large');
    return {
      read: fields.read,
      element: h('form', {onsubmit: attempt(() => this.#save(fields.read()))}, fields.element,
        this.#actions(h('button', {className: 'primary'}, 'Save')))};
  }

  async #json() {
    const editor = await jsonEditor(JSON.stringify(this.object, null, 2), `${this.stored.name} as JSON`);
    const read = () => parseJSON(editor.value);
    return {
      read, refresh: editor.refresh,
      element: h('form', {onsubmit: attempt(() => this.#save(read()))}, editor.element, this.#actions(
        h('button', {className: 'primary', title: 'PATCH: properties that are left out stay'}, 'Save the changes'),
        h('button', {type: 'button', title: 'PUT: properties that are left out get their defaults',
          onclick: attempt(() => this.#replace(read()))}, 'Replace the object')))};
  }

  /** The buttons below a form, for callers that may use them. */
  #actions(...buttons) {
    return mayWrite() && h('p', {className: 'actions'}, buttons,
      button('Back to the stored values', () => this.#reload()),
      button('Delete …', () => this.#delete(), {className: 'danger'}));
  }

  #showLines() {
    const {stored, key, object} = this;
    const path = objectPath(stored, key);
    const call = `db.class(${literal(stored.name)})`;
    const patch = this.lastPatch ?? {};
    const etag = etagOf(object);
    this.lines.show(
      {path, client: `await ${call}.get(${literal(key)})`},
      {method: 'PATCH', path, headers: patchHeaders(patch, etag), body: patch,
        client: `await ${call}.patch(${literal(key)}, ${literal(patch)}, {ifMatch: ${literal(etag)}})`},
      {method: 'DELETE', path, headers: {'If-Match': `"${etag}"`},
        client: `await ${call}.delete(${literal(key)}, {ifMatch: ${literal(etag)}})`},
      // No path leads to the changes of an object whose key a path cannot carry.
      ...path.includes('?') ? [] : [{path: `${path}/changes`, headers: {Accept: 'text/event-stream'},
        client: `${call}.live({id: ${literal(key)}}, objects => { … })`}]);
  }

  // ---- Changes elsewhere

  #isChanged() {
    try {
      return Object.keys(this.#changes(this.content.read())).length > 0;
    } catch {
      return true;
    }
  }

  #changes(edited) {
    const {$omitted, $id, ...members} = edited;
    return differences(this.object, members);
  }

  #hear(object, isFirst) {
    if (this.isSaving || this.signal.aborted) return;
    if (!object) {
      const text = 'The object was deleted, or is not shown to you any more.';
      return this.news.replaceChildren(h('p', {className: 'news'}, text));
    }
    if (etagOf(object) === etagOf(this.object)) return isFirst && this.#showLive();
    const changed = this.stored.stored.map(({name}) => name).filter(name => !areEqual(object[name], this.object[name]));
    const text = changed.length > 0 ? `Changed elsewhere: ${changed.join(', ')}.` : 'Written elsewhere without a visible change.';
    if (this.#isChanged()) {
      this.news.replaceChildren(h('p', {className: 'news'}, `${text} Your changes are not saved. `,
        button('Show the stored values', () => this.#reload())));
    } else {
      this.object = object;
      this.#render();
      this.news.replaceChildren(h('p', {className: 'news'}, `${text} The page shows the new values.`));
    }
  }

  #showLive() { this.news.replaceChildren(h('small', {className: 'live on'}, '● Live')); }

  async #reload() {
    this.object = await this.collection.get(this.key, {signal: this.signal});
    await this.#render();
    this.#showLive();
  }

  // ---- Writing

  async #save(edited) {
    const changes = this.#changes(edited);
    if (Object.keys(changes).length === 0) return notify('Nothing was changed.');
    this.lastPatch = patchOf(this.stored, this.object, changes);
    await this.#write(() => saveChanges(this.stored, this.object, changes, this.signal));
  }

  /**
   * Replaces the object. Mixed values that were not edited are named in `$omitted`, which keeps them: a browser does not tell
   * `1.0` from `1`.
   */
  async #replace(edited) {
    const {stored, object, key, signal} = this;
    const unchanged = stored.stored.filter(property => [property.type, property.element?.type].includes('mixed')
      && Object.hasOwn(edited, property.name) && areEqual(edited[property.name], object[property.name])).map(({name}) => name);
    const {$omitted = [], ...members} = edited;
    const body = Object.fromEntries(Object.entries(members).filter(([name]) => !unchanged.includes(name)));
    const kept = [...$omitted, ...unchanged];
    if (kept.length > 0) body.$omitted = kept;
    let isFirst = true;
    await this.#write(() => saved({
      stored, key, before: object, changes: this.#changes(edited), etag: etagOf(object), signal,
      write(changes, etag, before) {
        if (!isFirst) return db.class(stored.name).patch(key, patchOf(stored, before, changes), {ifMatch: etag, signal});
        isFirst = false;
        return db.class(stored.name).replace(key, body, {ifMatch: etag, signal});
      }}));
  }

  async #write(write) {
    this.isSaving = true;
    try {
      if (!await write()) return;
      notify('Saved.');
      await this.#reload();
    } finally {
      this.isSaving = false;
    }
  }

  async #delete() {
    if (await deleteObjects(this.stored, [{key: this.key, etag: etagOf(this.object)}])) {
      goWithNotice(address('class', this.stored.name), 'Deleted.');
    }
  }
}
