/** A change of the schema: a form, the service's preview in words, and the change itself. */
import {attempt, grouped, h} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {forgetSchema} from '../frame/schema.js';
import {db} from '../frame/session.js';
import {showClasses} from '../console.js';
import {metrics} from '../frame/transfer.js';
import {stepText} from './words.js';

/** The ETag of the schema, provided that it still has the revision that the page shows. */
export async function tagOf(revision) {
  const {body, headers} = await db.request('GET', '/v1/schema');
  if (body.revision === revision) return headers.get('ETag');
  throw new Error(`The schema has changed meanwhile: it has revision ${body.revision}, and this page shows revision ${revision}.`
    + ' Reload the page, then repeat the change.');
}

const withParameter = (path, parameter) => `${path}${path.includes('?') ? '&' : '?'}${parameter}`;

const send = ({method, path, body}, parameter, headers) =>
  db.request(method, parameter ? withParameter(path, parameter) : path, {body, headers});

/** The steps of a change, which the service reports without making it. */
async function preview(request, revision) {
  const tag = await tagOf(revision);
  const {body} = await send(request, 'dryRun=true', {'If-Match': tag});
  return {request, tag, changes: body.changes ?? []};
}

/** Shows in `place` how far the migration is, until `signal` is aborted. */
async function watchMigration(place, signal) {
  while (!signal.aborted) {
    await new Promise(resolve => setTimeout(resolve, 1000));
    const figures = await metrics(signal).catch(() => new Map());
    const total = figures.get('holdfast_migration_objects');
    if (!signal.aborted && total > 0) {
      const done = figures.get('holdfast_migration_objects_done');
      place.textContent = `${grouped(done)} of ${grouped(total)} reads and writes done.`;
    }
  }
}

/** Makes a change that was previewed. */
async function make({request, tag, changes}, progress) {
  const ended = new AbortController();
  watchMigration(progress, ended.signal);
  try {
    await send(request, changes.some(change => change.lossy) && 'allowDataLoss=true', {'If-Match': tag});
  } finally {
    ended.abort();
    progress.textContent = '';
  }
  forgetSchema();
  await showClasses();
}

/** The steps in words, losses first. */
function stepList(changes) {
  if (changes.length === 0) return h('p', {}, 'Nothing would change.');
  const ordered = [...changes].sort((one, other) => other.lossy - one.lossy);
  return h('ul', {className: 'steps'}, ordered.map(change => h('li', {className: change.lossy ? 'loss' : ''}, stepText(change))));
}

/**
 * The part of a form that previews a change and makes it: `makeRequest()` returns `{method, path, body}`. Each edit of the form
 * takes the preview back. `onDone` is called when the change is made.
 */
export function changeSteps(form, {schema, makeRequest, onDone}) {
  let ready = null;
  const [steps, progress] = [h('div', {role: 'status'}), h('p', {role: 'status'})];
  const lines = requestLines();
  lines.element.hidden = true;
  const submit = h('button', {className: 'primary'}, 'Preview the change');
  const accept = h('input', {type: 'checkbox'});
  const reset = () => {
    ready = null;
    steps.replaceChildren();
    submit.textContent = 'Preview the change';
  };
  form.addEventListener('input', event => { if (event.target !== accept) reset(); });
  form.addEventListener('submit', attempt(async () => {
    if (ready) {
      await make(ready, progress);
      return onDone(ready.request);
    }
    const found = await preview(makeRequest(), schema.revision);
    const isLossy = found.changes.some(change => change.lossy);
    accept.checked = false;
    accept.required = isLossy;
    const consent = h('label', {className: 'check'}, accept, ' The values above may be lost. They can’t be brought back.');
    steps.replaceChildren(h('h3', {}, 'Steps of the change'), stepList(found.changes), ...isLossy ? [consent] : []);
    const {method, path, body} = found.request;
    lines.element.hidden = false;
    lines.show({method, path, body, headers: {'If-Match': found.tag}});
    if (found.changes.length === 0) return;
    ready = found;
    submit.textContent = 'Make the change';
  }));
  return {parts: [steps, progress, lines.element], submit, reset};
}

/** Opens a dialog for a change, without `content` with its preview. Resolves with the request that was made, or undefined. */
export function askChange(title, {schema, content, makeRequest}) {
  return new Promise(resolve => {
    let made;
    const form = h('form', {method: 'dialog'});
    const dialog = h('dialog', {className: 'wide', 'aria-label': title, onclose: () => {
      dialog.remove();
      resolve(made);
    }}, form);
    const {parts, submit} = changeSteps(form, {schema, makeRequest, onDone: request => {
      made = request;
      dialog.close();
    }});
    form.append(h('h2', {}, title), ...[content ?? []].flat(), ...parts, h('p', {className: 'actions'}, submit,
      h('button', {type: 'button', onclick: () => dialog.close()}, 'Cancel')));
    document.body.append(dialog);
    dialog.showModal();
    if (!content) form.requestSubmit();
  });
}
