/** Checks of the parts without input and output: the parser, the policy of retries, and the state of live queries. */
import {EventParser, LiveState, isTransient, parseRetryAfter, retryDelay} from '../../clients/javascript/holdfast.js';
import {Random, check, equal} from '../support/checks.mjs';
import {FakeService} from './fake_service.mjs';

const STREAM = [
  'retry: 2500\nevent: hello\ndata: {"cursor":"start"}\n\n',
  ': a comment\r\n\r\nevent: reset\r\nid: start\r\ndata: {"reason":"start"}\r\n\r\n',
  'event:change\rdata: {"a":\rdata:  "ö€😀"}\rid\r\r',
  'id: 7k-12\n\n',
  'data\n\nunknown: field\nretry: soon\nid: a\0b\n\nevent: unfinished\ndata: 1\n'].join('');
const EVENTS = [
  {event: 'hello', data: '{"cursor":"start"}', id: undefined, retry: 2500},
  {event: 'reset', data: '{"reason":"start"}', id: 'start', retry: undefined},
  {event: 'change', data: '{"a":\n "ö€😀"}', id: '', retry: undefined},
  {event: 'message', data: undefined, id: '7k-12', retry: undefined},
  {event: 'message', data: '', id: undefined, retry: undefined}];

function parse(chunks) {
  const parser = new EventParser();
  return chunks.flatMap(chunk => parser.push(chunk));
}

async function checkParser() {
  const bytes = new TextEncoder().encode(STREAM);
  await check('the parser reads events, comments, heartbeats, and each kind of line end', () => {
    equal(parse([bytes]), EVENTS);
    equal(parse([STREAM]), EVENTS, 'a text');
  });
  await check('the parser reads a stream that is cut in two anywhere', () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      equal(parse([bytes.subarray(0, cut), bytes.subarray(cut)]), EVENTS, `cut at ${cut}`);
    }
  });
  await check('the parser reads a stream byte by byte, and in three parts', () => {
    equal(parse([...bytes].map(byte => Uint8Array.of(byte))), EVENTS);
    for (let first = 0; first < bytes.length; first += 3) {
      for (let second = first; second < bytes.length; second += 5) {
        equal(parse([bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]), EVENTS);
      }
    }
  });
}

async function checkRetries() {
  const delay = (failures, random, more = {}) => retryDelay({failures, retry: 2000, random: () => random, ...more});
  await check('pauses double from the time that the service sends, and end at the maximum', () => {
    equal([0, 1, 2, 3, 4, 5, 90].map(failures => delay(failures, 0)), [2000, 4000, 8000, 16000, 30000, 30000, 30000]);
    equal(delay(9, 0, {maximum: 100}), 100);
  });
  await check('pauses lose up to half at random', () => {
    equal([delay(0, 0.5), delay(0, 1), delay(9, 1)], [1500, 1000, 15000]);
  });
  await check('a pause is at least Retry-After, which counts up to five minutes', () => {
    equal([delay(0, 0, {retryAfter: 7}), delay(4, 0, {retryAfter: 7}), delay(0, 0, {retryAfter: 9e9})], [7000, 30000, 300000]);
  });
  await check('Retry-After has seconds or a date', () => {
    const now = Date.parse('2026-12-01T10:00:00Z');
    equal(
      ['120', ' 0 ', 'Tue, 01 Dec 2026 10:00:30 GMT', 'Tue, 01 Dec 2026 09:00:00 GMT', 'soon', null, ''].map(
        text => parseRetryAfter(text, now)),
      [120, 0, 30, 0, undefined, undefined, undefined]);
  });
  await check('no reply, 408, 425, 429 and 5xx may succeed later', () => {
    equal([0, 408, 425, 429, 500, 502, 503, 504].every(isTransient), true);
    equal([200, 304, 400, 401, 403, 404, 409, 410, 412, 422].some(isTransient), false);
  });
}

/** Whether two arrays of entries have the same objects in the same states: much faster than `equal`. */
const areSame = (found, expected) => found.length === expected.length
  && found.every(({id, etag, object}, index) => id === expected[index].id && etag === expected[index].etag
    && object.number === expected[index].object.number);

/** Feeds one client with the events of a service through cuts. After each event its views have to be complete results. */
function follow(seed, isNamed) {
  const random = new Random(seed);
  const service = new FakeService(random, isNamed);
  const state = new LiveState();
  const shown = new Map();
  let events = 0;
  const addMissing = () => {
    for (const [name, {isList}] of service.queries) {
      if (state.view(name)) continue;
      state.add(name, {isList});
      shown.set(name, null);
    }
  };
  const compare = (describe, isWhole = false) => {
    for (const [name, version] of shown) {
      const found = state.view(name).entries, expected = version === null ? [] : service.entries(name, version, found);
      if (isWhole || !areSame(found, expected)) equal(found, expected, `${describe()}: ${name}`);
    }
  };
  addMissing();
  for (let connection = 0; connection < 12; connection++) {
    const isLast = connection === 11;
    if (random.isTrue(0.3)) service.restart(name => state.isKnown(name), state.id);
    addMissing();
    state.begin(service.served);
    let rest = isLast ? Infinity : random.below(60);
    for (const step of service.follow(state.id, isLast)) {
      addMissing();
      for (const name of service.removed.splice(0)) {
        state.remove(name);
        shown.delete(name);
      }
      if (rest-- <= 0) break;
      events++;
      const outcome = state.apply(step.event);
      const describe = () => `seed ${seed}, connection ${connection}, ${JSON.stringify(step.event)}`;
      for (const name of step.failed ?? []) shown.set(name, null);
      const failed = outcome.failed.map(({query}) => query ?? '');
      if (String(failed) !== String(step.failed ?? [])) equal(failed, step.failed ?? [], describe());
      for (const name of step.shown ?? []) if (shown.has(name)) shown.set(name, service.sent.get(name));
      for (const {query} of outcome.shown) if (!step.shown?.includes(query)) throw new Error(`${describe()}: ${query} is shown`);
      compare(describe);
    }
    state.end();
    compare(() => `seed ${seed}, after connection ${connection}`, true);
  }
  for (const [name, version] of shown) equal(version, service.version, `the version of ${name}`);
  return events;
}

async function checkState(seed, count) {
  for (const isNamed of [false, true]) {
    await check(`${isNamed ? 'several queries' : 'one query'}: views equal a model through cuts, seeds from ${seed}`, () => {
      let events = 0;
      for (let number = 0; number < count; number++) events += follow(seed + number, isNamed);
      console.log(`${events} events`);
    });
  }
  await check('a snapshot replaces the former result only when it is complete', () => {
    const state = new LiveState();
    state.add();
    const apply = (event, data, id) => state.apply({event, data: JSON.stringify(data), id});
    const keys = () => state.view().entries.map(({id}) => id);
    apply('reset', {reason: 'start'}, 'start');
    apply('snapshot', {objects: [{id: 1, etag: 'a-1', object: {}}]});
    equal(keys(), []);
    equal(apply('upToDate', {cursor: 'a-1'}, 'a-1').shown.map(({reset}) => reset), [true]);
    equal([keys(), state.isCurrent(), state.id], [[1], true, 'a-1']);
    apply('reset', {reason: 'fell-behind'}, 'start');
    apply('snapshot', {objects: [{id: 2, etag: 'a-2', object: {}}]});
    equal([keys(), state.isCurrent(), state.id], [[1], false, 'start']);
    state.end();
    equal(keys(), [1]);
  });
  await check('an error without a query ends the stream, and an unknown event is ignored', () => {
    const state = new LiveState();
    state.add();
    equal(state.apply({event: 'news', data: '{"x":1}'}), {shown: [], failed: [], end: null});
    const data = {code: 'access-ended', detail: 'The token was revoked.'};
    equal(state.apply({event: 'error', data: JSON.stringify(data)}).end, data);
  });
}

export async function checkPureParts(seed, count) {
  await checkParser();
  await checkRetries();
  await checkState(seed, count);
}
