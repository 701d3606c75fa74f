/** Saving an object that others may have changed meanwhile. */
import {ask, h, notify} from '../frame/elements.js';
import {objectPath} from './keys.js';
import {db} from '../frame/session.js';
import {areEqual, shortText} from './values.js';

/**
 * Runs `write(changes, etag, before)`. If the object has changed meanwhile, asks for each property which value to keep, and
 * writes again. Resolves with the result of `write`, or with undefined if the reader has given up.
 */
export async function saved({stored, key, before, changes, etag, write, signal}) {
  for (;;) {
    try {
      return await write(changes, etag, before);
    } catch (error) {
      if (error.status !== 412) throw error;
      const current = await storedObject(stored, key, error, signal);
      const kept = await choose(stored, {before, mine: changes, theirs: current.object});
      if (!kept) return undefined;
      if (Object.keys(kept).length === 0) {
        notify('Nothing is left to save: the stored values were kept.');
        return current.object;
      }
      [before, changes, etag] = [current.object, kept, current.etag];
    }
  }
}

/** The object as it is stored now. It is read again, because integers beyond 2^53 are rounded in the error. */
async function storedObject(stored, key, error, signal) {
  const {headers, body} = await db.request('GET', objectPath(stored, key), {signal}).catch(
    failure => { throw failure.status === 404 ? error : failure; });
  return {etag: headers.get('ETag').replaceAll('"', ''), object: body};
}

const shown = value => value === null ? h('em', {}, 'null') : shortText(value) || h('em', {}, 'empty');

/** Asks which values of the properties to save. Resolves with those of the reader's that remain. */
function choose(stored, {before, mine, theirs}) {
  const names = stored.stored.map(({name}) => name).filter(
    name => Object.hasOwn(mine, name) || !areEqual(before[name], theirs[name]) && Object.hasOwn(before, name));
  const choice = (name, value, text, isChosen) => h('label', {className: 'choice'},
    h('input', {type: 'radio', name: `keep-${name}`, value, checked: isChosen, 'aria-label': `${name}: ${value}`}),
    h('span', {}, shown(text)));
  const rows = names.map(name => {
    const isMine = Object.hasOwn(mine, name);
    const isSame = isMine && areEqual(mine[name], theirs[name]);
    return h('tr', {}, h('th', {scope: 'row'}, name), h('td', {}, Object.hasOwn(before, name) && shown(before[name])),
      h('td', {}, isMine ? choice(name, 'mine', mine[name], !isSame) : h('small', {}, 'not changed')),
      h('td', {}, isMine ? choice(name, 'theirs', theirs[name], isSame) : shown(theirs[name])));
  });
  return ask('The object has changed meanwhile', [
    h('p', {}, 'Choose a value for each property that you changed, and save again.'),
    h('table', {className: 'conflict'},
      h('thead', {}, h('tr', {}, ['Property', 'As you read it', 'Mine', 'Theirs, stored now'].map(
        name => h('th', {scope: 'col'}, name)))),
      h('tbody', {}, rows))],
  {confirm: 'Save again', isWide: true, act: form => Object.fromEntries(Object.entries(mine).filter(
    ([name]) => form.elements[`keep-${name}`].value === 'mine'))});
}
