/** Making, changing and deleting objects, with the object's ETag and the question which values to keep. */
import {saved} from './conflict.js';
import {ask, faults, h} from '../frame/elements.js';
import {editor, isShort} from './fields.js';
import {objectFields} from './field-collections.js';
import {patchOf} from './patches.js';
import {typeText} from '../frame/schema.js';
import {db} from '../frame/session.js';
import {areEqual, shortText} from './values.js';
import {etagOf} from '/client/holdfast.js';

/** Writes changes of an object as it was read. Resolves with the stored object, or with undefined if the reader gave up. */
export const saveChanges = (stored, object, changes, signal) => saved({
  stored, key: stored.keyOf(object), before: object, changes, etag: etagOf(object), signal,
  write: (kept, etag, before) => db.class(stored.name).patch(
    stored.keyOf(object), patchOf(stored, before, kept), {ifMatch: etag, signal})});

/** A property's type, and how it is bound. */
export const noteText = (stored, property) => [
  typeText(property), property.name === stored.primaryKey && 'key', property.required && 'required'].filter(Boolean).join(', ');

/** Closes the dialog around an element when the view is left, for instance by a link in the dialog. */
function closeWith(signal, element) {
  const dialog = element.closest('dialog');
  const close = () => dialog.close();
  signal.addEventListener('abort', close);
  dialog.addEventListener('close', () => signal.removeEventListener('abort', close));
}

/** Asks for the values of a new object, and creates it. Resolves with the object, or with undefined if it was cancelled. */
export function createObject(stored, signal) {
  const fields = objectFields(stored, undefined, {
    schema: stored.schema, signal, note: property => h('small', {}, noteText(stored, property))});
  const created = ask(`New object of ${stored.name}`, [
    h('p', {}, h('small', {}, 'Fields that stay empty get their default.')), fields.element],
  {confirm: 'Create', isWide: true, act: () => db.class(stored.name).create(fields.read(), {signal})});
  closeWith(signal, fields.element);
  fields.focus();
  return created;
}

/** Deletes objects as they were read, all or none: `rows` are `{key, etag}`. Resolves with whether it was done. */
export function deleteObjects(stored, rows) {
  const names = rows.slice(0, 5).map(({key}) => shortText(key) || '""').join(', ');
  const text = rows.length === 1 ? `'${names}' of '${stored.name}'` : `${rows.length} objects of '${stored.name}': ${names}`;
  const warning = `This deletes ${text}${rows.length > 5 ? ' …' : ''}. Links to them become null, or as the schema says.`;
  return ask('Delete?', h('p', {}, warning), {
    confirm: 'Delete', isDangerous: true, async act() {
      const operations = rows.map(({key, etag}) => ({op: 'delete', class: stored.name, id: key, ifMatch: etag}));
      await db.transaction(operations);
      return true;
    }});
}

/**
 * Edits one property: over `anchor` if its editor has one line, otherwise in a dialog. Resolves with the stored object, or with
 * undefined if nothing was changed.
 */
export async function editProperty(stored, property, key, {anchor, signal}) {
  const object = await db.class(stored.name).get(key, {signal});
  if (object.$omitted?.includes(property.name)) throw new Error(`'${property.name}' is too large to be edited here.`);
  if (!Object.hasOwn(object, property.name)) throw new Error(`'${property.name}' is not shown to you.`);
  const value = object[property.name];
  const made = editor(property, value, {schema: stored.schema, signal, label: property.name});
  const save = async () => {
    const edited = made.read();
    return areEqual(edited, value) ? undefined : saveChanges(stored, object, {[property.name]: edited}, signal);
  };
  if (isShort(property, stored.schema)) return overlay(anchor, made, property.name, save, signal);
  const result = ask(`${property.name} of ${shortText(key) || '""'}`, made.element, {confirm: 'Save', isWide: true, act: save});
  closeWith(signal, made.element);
  made.focus();
  return result;
}

/** Shows an editor over a cell. Enter saves, also leaving it does; Escape leaves the value as it is. */
function overlay(anchor, made, label, save, signal) {
  return new Promise(resolve => {
    let isDone = false;
    const over = new AbortController();
    const finish = result => {
      if (isDone) return;
      isDone = true;
      over.abort();
      form.remove();
      resolve(result);
    };
    const commit = async () => {
      if (isDone || form.dataset.busy) return;
      form.dataset.busy = 'true';
      form.querySelector('.faults')?.remove();
      try {
        finish(await save());
      } catch (error) {
        if (error.name === 'AbortError') return finish(undefined);
        form.append(faults(error));
        made.focus();
      } finally {
        delete form.dataset.busy;
      }
    };
    const form = h('form', {
      className: 'cell-editor', 'aria-label': label, onsubmit(event) {
        event.preventDefault();
        commit();
      },
      onkeydown(event) {
        if (event.key === 'Escape') finish(undefined);
        else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.target.tagName !== 'BUTTON') {
          event.preventDefault();
          commit();
        } else return;
        event.stopPropagation();
      },
      onfocusout(event) {
        if (event.relatedTarget && !form.contains(event.relatedTarget) && !event.relatedTarget.closest('dialog')) commit();
      }}, made.element);
    const box = anchor.getBoundingClientRect();
    document.querySelector('#main').append(form);
    form.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 340))}px`;
    form.style.top = `${Math.max(8, Math.min(box.top - 6, innerHeight - 120))}px`;
    form.style.minWidth = `${Math.max(box.width, 200)}px`;
    signal.addEventListener('abort', () => finish(undefined), {signal: over.signal});
    addEventListener('pointerdown', event => {
      if (!form.contains(event.target) && !event.target.closest('dialog')) commit();
    }, {signal: over.signal});
    made.focus();
  });
}
