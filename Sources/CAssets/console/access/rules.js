/** The access document: its text, its faults and warnings, and its meaning. */
import {button, attempt, h, notify} from '../frame/elements.js';
import {requestLines, sameRequest} from '../frame/request-lines.js';
import {loadSchema} from '../frame/schema.js';
import {db} from '../frame/session.js';
import {rangeOf, rangesOf} from './places.js';
import {words} from './words.js';

const path = '/v1/access';

/** The stored document with its ETag; neither if the store has no document. */
async function read(signal) {
  try {
    const {body, headers} = await db.request('GET', path, {signal});
    return {document: body, etag: headers.get('ETag')};
  } catch (error) {
    if (error.code !== 'no-access-document') throw error;
    return {};
  }
}

/** The text of a document as it is edited: without revision and warnings, which the service adds. */
const textOf = ({revision, warnings, ...document}) => `${JSON.stringify(document, null, 2)}\n`;

/** The first document of a store as a proposal: each user reads the objects of one class. */
async function proposal() {
  const name = (await loadSchema()).objects[0]?.name ?? '*';
  return {roles: {member: {classes: {[name]: {read: true}}}}};
}

export async function show(place, {signal}) {
  let {document, etag} = await read(signal);
  const lines = requestLines();
  const [found, meaning, status] = [h('div'), h('div'), h('p')];
  const editor = h('textarea', {
    className: 'code document', spellcheck: false, value: textOf(document ?? await proposal()),
    'aria-label': 'The access document'});

  const showStored = () => {
    status.textContent = document ? `Revision ${document.revision} is stored.`
      : 'The store has no access document: tokens have their rights, and users have no rights. The text is a proposal.';
    found.replaceChildren(document ? warningList(document.warnings, editor) : '');
    meaning.replaceChildren(...document ? [words(document)] : [h('p', {}, 'No document is stored yet.')]);
  };
  const send = async isDryRun => {
    const body = parseDocument(editor);
    const headers = etag ? {'If-Match': etag} : {'If-None-Match': '*'};
    lines.show(sameRequest('GET', path), sameRequest('PUT', `${path}${isDryRun ? '?dryRun=true' : ''}`, {body, headers}));
    return db.request('PUT', `${path}${isDryRun ? '?dryRun=true' : ''}`, {body, headers, signal});
  };
  /** Runs `act` and shows the faults of the document at their places. */
  const placing = act => attempt(async (...parameters) => {
    found.replaceChildren();
    try {
      await act(...parameters);
    } catch (error) {
      if (error.status === 412) return showConflict();
      found.replaceChildren(faultList(error, editor));
    }
  });
  const showConflict = async () => {
    ({document, etag} = await read(signal));
    showStored();
    found.replaceChildren(h('div', {className: 'faults', role: 'alert'},
      h('p', {}, 'Another document was saved meanwhile. Its meaning is shown below. Saving again replaces it.'),
      button('Edit the stored document', () => {
        editor.value = document ? textOf(document) : editor.value;
        showStored();
      })));
  };
  const check = placing(async () => {
    const {body} = await send(true);
    found.replaceChildren(h('p', {role: 'status', className: 'good-text'}, 'The document is valid. It is not saved yet.'),
      warningList(body.warnings, editor));
    meaning.replaceChildren(words(body));
  });
  const save = placing(async () => {
    const {body, headers} = await send(false);
    document = body;
    etag = headers.get('ETag');
    editor.value = textOf(body);
    showStored();
    notify(`Revision ${body.revision} is saved.`);
  });

  lines.show(sameRequest('GET', path), sameRequest('PUT', path, {body: await proposal()}));
  showStored();
  place.append(
    h('p', {className: 'sentence'}, 'The access document grants users their rights: which objects and properties each user may ',
      'read, create, change and delete. Tokens without a user keep their right.'),
    status,
    h('form', {onsubmit: save}, editor,
      h('p', {className: 'bar'}, h('button', {className: 'primary'}, 'Save'),
        h('button', {type: 'button', onclick: check}, 'Check'),
        h('button', {type: 'button', onclick: async () => {
          editor.value = textOf(document ?? await proposal());
          showStored();
        }}, 'Reset the text'))),
    found, h('h2', {}, 'The document in words'), meaning, lines.element);
}

/** The document of the text. A fault of its syntax has its range. */
function parseDocument({value}) {
  rangesOf(value);
  return JSON.parse(value);
}

/** The faults of the document, each with a button that selects its place. */
function faultList(error, editor) {
  const text = editor.value;
  const all = error.errors?.length ? error.errors : [{detail: error.detail ?? error.message}];
  const place = fault => error.range ?? (fault.pointer && rangeOf(text, fault));
  return placedList('bad', all.map(fault => [fault, place(fault)]), editor);
}

/** The warnings of a document, placed in the text if it states the same document. */
function warningList(warnings, editor) {
  if (warnings.length === 0) return '';
  const head = warnings.length === 1 ? 'The document has a warning:' : `The document has ${warnings.length} warnings:`;
  return h('div', {}, h('p', {}, head),
    placedList('warned', warnings.map(warning => [warning, warning.pointer && rangeOf(editor.value, warning)]), editor));
}

function placedList(kind, items, editor) {
  const item = ([{detail, pointer, hint}, range]) => h('li', {},
    range && [button(`Line ${range.line}`, () => select(editor, range)), ' '], detail,
    hint && h('small', {}, ` Meant: ${hint}`), pointer && h('small', {}, ` (${pointer})`));
  const list = h('ul', {className: `placed ${kind}`}, items.map(item));
  return kind === 'bad' ? h('div', {role: 'alert'}, list) : list;
}

/** Selects a range of the text and scrolls to it. */
function select(editor, {start, end, line}) {
  editor.focus();
  editor.setSelectionRange(start, end);
  const lineHeight = parseFloat(getComputedStyle(editor).lineHeight);
  editor.scrollTop = Math.max(0, (line - 4) * lineHeight);
}
