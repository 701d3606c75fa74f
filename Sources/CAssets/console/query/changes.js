/** The newest changes of the store, as they happen. */
import {remember} from '../console.js';
import {button, faults, h, notify} from '../frame/elements.js';
import {literal, requestLines, sameRequest} from '../frame/request-lines.js';
import {loadSchema} from '../frame/schema.js';
import {db} from '../frame/session.js';
import {exactly} from '../frame/json.js';
import {loadStyle} from '../frame/libraries.js';
import {objectAddress} from '../data/keys.js';

const lineMaximum = 500;
/** The numbers of earlier versions that the list may begin with. The first is taken whose changes are retained and fit. */
const earlierVersions = [100, 20, 4, 1];
/** The milliseconds between two updates of the list, and before a lost connection is opened again. */
const drawInterval = 250, retryInterval = 2000;
const columns = ['Time', 'Class', 'Key', 'Operation', 'Changed properties', 'Version'];
const operations = {enter: 'created', update: 'changed', delete: 'deleted', leave: 'left'};

const pathOf = className => (className ? `/v1/classes/${encodeURIComponent(className)}/changes` : '/v1/changes');

export async function show(main, {query, signal}) {
  const [schema] = await Promise.all([loadSchema(), loadStyle('access/access.css')]);
  const lines = requestLines();
  const [status, body, waitingText] = [h('span', {role: 'status'}), h('tbody'), h('small')];
  const classChoice = h('select', {}, h('option', {value: ''}, 'all classes'), schema.objects.map(({name}) => h('option', {
    value: name, selected: name === query.class}, name)));
  let waiting = [];
  let isPaused = false;
  let follower;

  const draw = () => {
    if (isPaused) {
      const more = waiting.length === lineMaximum ? ' or more' : '';
      waitingText.textContent = waiting.length ? ` ${waiting.length}${more} waiting` : '';
      return;
    }
    waitingText.textContent = '';
    if (waiting.length === 0) return;
    body.prepend(...waiting.reverse().map(line => row(line, schema)));
    waiting = [];
    while (body.children.length > lineMaximum) body.lastChild.remove();
  };
  const take = found => { waiting = [...waiting, ...found].slice(-lineMaximum); };
  const pause = h('button', {type: 'button', 'aria-pressed': 'false', onclick: () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Continue' : 'Pause';
    pause.setAttribute('aria-pressed', `${isPaused}`);
    draw();
  }}, 'Pause');
  const begin = since => {
    const className = classChoice.value;
    lines.show(
      {path: `${pathOf(className)}?since=now`, headers: {Accept: 'text/event-stream'},
        client: `new EventSource(await db.eventSourceURL(${literal(`${pathOf(className)}?since=now`)}))`},
      sameRequest('GET', pathOf(className)));
    follower?.close();
    follower = follow(className, since, {take, signal, say: text => { status.textContent = text; }, fail: error => {
      status.textContent = 'The stream has ended.';
      main.append(faults(error));
    }});
    if (document.hidden) rest();
  };
  // A browser opens six connections to a host, and a stream takes one. A hidden tab takes none.
  const rest = () => {
    follower.close();
    status.textContent = 'The list goes on when this tab is shown.';
  };
  document.addEventListener('visibilitychange', () => {
    if (follower) document.hidden ? rest() : begin(follower.cursor);
  }, {signal});
  classChoice.onchange = () => {
    remember({class: classChoice.value});
    waiting = waiting.filter(line => !classChoice.value || line.class === classChoice.value);
    if (classChoice.value) {
      body.replaceChildren(...[...body.children].filter(({dataset}) => dataset.class === classChoice.value));
    }
    begin(follower?.cursor);
  };

  main.append(
    h('h1', {}, 'Changes'),
    h('div', {className: 'bar'},
      h('label', {}, 'Class ', classChoice), pause, button('Clear', () => body.replaceChildren()), waitingText),
    h('p', {}, status), h('div', {className: 'wide-table'}, h('table', {'aria-label': 'Changes, the newest first'},
      h('thead', {}, h('tr', {}, columns.map(name => h('th', {scope: 'col'}, name)))), body)),
    lines.element);
  const timer = setInterval(draw, drawInterval);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    follower?.close();
  });
  const earlier = await readEarlier(classChoice.value, signal);
  take(earlier.lines);
  draw();
  begin(earlier.cursor);
}

/** The number of a version, such as 7 of `4f0c-7`. */
const numberOf = version => Number(version.split('-').at(-1));

/** A change as a line of the list. `at` is when it was received; undefined for changes from before. */
const lineOf = (change, version, className, at) => ({
  class: change.class ?? className, id: change.id, op: change.op, changed: change.changed ?? [], version, at});

function row({class: name, id, op, changed, version, at}, schema) {
  const key = `${id}`;
  const stored = schema.class(name);
  return h('tr', {'data-class': name},
    h('td', {}, at ? at.toLocaleTimeString() : h('small', {}, 'before')), h('td', {}, name),
    h('td', {}, op === 'delete' || !stored ? key : h('a', {href: objectAddress(stored, id)}, key)),
    h('td', {}, operations[op] ?? op), h('td', {}, changed.join(', ')), h('td', {}, h('small', {}, numberOf(version))));
}

/** The changes of the last versions and the cursor behind them. Without changes, if they are too many or not retained. */
async function readEarlier(className, signal) {
  const {body: {storeVersion}} = await db.request('GET', '/v1', {signal});
  const [epoch, version] = storeVersion.split('-');
  for (const count of earlierVersions) {
    const parameters = new URLSearchParams({since: `${epoch}-${Math.max(0, Number(version) - count)}`, limit: lineMaximum});
    try {
      const {body} = await db.request('GET', `${pathOf(className)}?${parameters}`, {signal});
      if (!body.upToDate) continue;
      // The reply is in the order of the classes.
      const ordered = body.changes.sort((one, other) => numberOf(one.version) - numberOf(other.version));
      return {lines: ordered.map(change => lineOf(change, change.version, className)), cursor: body.cursor};
    } catch (error) {
      if (error.status !== 410) throw error;
    }
  }
  return {lines: [], cursor: storeVersion};
}

/** Follows the changes behind a cursor until `close()`. A lost connection is opened again with another ticket. */
function follow(className, since, {take, say, fail, signal}) {
  const follower = {cursor: since, close};
  let source, timer, isClosed = false;

  function close() {
    isClosed = true;
    clearTimeout(timer);
    source?.close();
  }
  function later() {
    source?.close();
    if (isClosed) return;
    say('The connection is lost and will be opened again.');
    timer = setTimeout(open, retryInterval);
  }
  /** Goes on from the present version, because a snapshot of the whole store would follow. */
  function skip(reason) {
    notify(`Some changes are not shown (${reason}). The list goes on from now.`);
    follower.cursor = 'now';
    source.close();
    open();
  }
  async function open() {
    try {
      const url = await db.eventSourceURL(`${pathOf(className)}?since=${encodeURIComponent(follower.cursor ?? 'now')}`, {signal});
      if (isClosed) return;
      source = new EventSource(url);
    } catch (error) {
      if (isClosed || signal.aborted) return;
      return error.isTransient ? later() : fail(error);
    }
    const on = (name, act) => source.addEventListener(name, event => {
      act(event.data === undefined ? undefined : JSON.parse(event.data, exactly));
      follower.cursor = event.lastEventId || follower.cursor;
    });
    on('hello', () => say('Changes are shown as they happen.'));
    on('change', ({version, changes}) => take(changes.map(change => lineOf(change, version, className, new Date()))));
    source.addEventListener('reset', event => skip(JSON.parse(event.data).reason));
    source.addEventListener('error', event => {
      if (event.data !== undefined) {
        close();
        fail(JSON.parse(event.data));
      } else if (source.readyState === EventSource.CLOSED) later();
      else say('The connection is lost and will be opened again.');
    });
  }
  open();
  return follower;
}
