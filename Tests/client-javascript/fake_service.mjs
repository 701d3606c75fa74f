/** A model of a service's event streams: the events that docs/change-streams.md describes, of random changes. */

const KEYS = 12;

/** The changes that make one list of entries from another, with their indices. */
function listChanges(before, after) {
  // The longest common subsequence stays; other entries move.
  const lengths = Array.from({length: before.length + 1}, () => new Array(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i][j] = before[i].id === after[j].id ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const deletions = [], insertions = [], modifications = [], changes = [];
  const isChanged = (a, b) => a.etag !== b.etag;
  let i = 0, j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i].id === after[j].id) {
      if (isChanged(before[i], after[j])) {
        modifications.push(i);
        changes.push({op: 'update', ...after[j], index: j});
      }
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      if (!after.some(({id}) => id === before[i].id)) changes.push({op: 'leave', id: before[i].id});
      deletions.push(i++);
    } else {
      const op = before.some(({id}) => id === after[j].id) ? 'update' : 'enter';
      insertions.push(j);
      changes.push({op, ...after[j], index: j});
      j++;
    }
  }
  return {changes, indices: {deletions, insertions, modifications}};
}

export class FakeService {
  version = 0;
  /** The queries by their names, each with the least number that matches, and a limit if it is a live list. */
  queries = new Map();
  /** The names of the queries that its stream has. */
  served = new Set();
  /** The version that the events so far have brought each query to. */
  sent = new Map();
  /** The names of queries that were removed. */
  removed = [];
  #random;
  #isNamed;
  #history = [new Map()];
  #knownFrom = new Map();
  #count = 0;

  constructor(random, isNamed) {
    this.#random = random;
    this.#isNamed = isNamed;
    for (let number = 0; number < 20; number++) this.#write();
    for (let number = isNamed ? 3 : 1; number > 0; number--) this.#add();
  }

  #add() {
    const isList = this.#random.isTrue(0.4);
    const name = this.#isNamed ? `q${++this.#count}` : '';
    this.queries.set(name, {isList, minimum: this.#random.below(6), limit: 1 + this.#random.below(6)});
    this.served.add(name);
    this.#knownFrom.set(name, Infinity);
    return name;
  }

  #write() {
    const objects = new Map(this.#history[this.version]);
    this.version++;
    for (let count = 1 + this.#random.below(3); count > 0; count--) {
      const id = this.#random.below(KEYS);
      if (this.#random.isTrue(0.25)) objects.delete(id);
      else objects.set(id, {id, etag: `e-${this.version}`, object: {number: this.#random.below(10)}});
    }
    this.#history.push(objects);
  }

  /** The result of a query at a version: in order if it is a list, otherwise in the order of `like`. */
  entries(name, version, like = []) {
    const {isList, minimum, limit} = this.queries.get(name);
    const found = [...this.#history[version].values()].filter(({object}) => object.number >= minimum);
    if (isList) return found.sort((a, b) => b.object.number - a.object.number || a.id - b.id).slice(0, limit);
    const place = id => like.findIndex(entry => entry.id === id);
    return found.sort((a, b) => place(a.id) - place(b.id));
  }

  #changes(name, from, to) {
    const before = this.entries(name, from), after = this.entries(name, to);
    if (this.queries.get(name).isList) return listChanges(before, after);
    const changes = after
      .filter(entry => before.find(({id}) => id === entry.id)?.etag !== entry.etag)
      .map(entry => ({op: before.some(({id}) => id === entry.id) ? 'update' : 'enter', ...entry}));
    for (const {id} of before) {
      if (after.some(entry => entry.id === id)) continue;
      changes.push({op: this.#history[to].has(id) ? 'leave' : 'delete', id});
    }
    return {changes, indices: null};
  }

  /** The objects that a catch-up reports as gone: all that were in the result meanwhile, and one that never was. */
  #gone(name, from) {
    const gone = new Set([99]);
    for (let version = from; version < this.version; version++) for (const {id} of this.entries(name, version)) gone.add(id);
    for (const {id} of this.entries(name, this.version)) gone.delete(id);
    return [...gone].map(id => ({op: this.#history[this.version].has(id) ? 'leave' : 'delete', id}));
  }

  /** Forgets the stream: the client makes it again with the queries that its position covers, and adds the others later. */
  restart(isKnown, since) {
    this.served = new Set([...this.queries.keys()].filter(name => since === 'start' || isKnown(name)));
    for (const name of this.queries.keys()) this.#knownFrom.set(name, this.served.has(name) ? 0 : Infinity);
  }

  #named(name, content) { return this.#isNamed ? {query: name, ...content} : content; }

  #event(event, data, id) { return {event, data: data && JSON.stringify(data), id}; }

  /** The events of a connection, each with the queries that are complete after it. The last one ends at the present. */
  *follow(since, isLast) {
    const cursor = () => `e-${this.version}`;
    const random = this.#random, live = new Set(), ended = new Set();
    const isAllLive = () => [...this.served].every(name => live.has(name) || ended.has(name));
    const shownWithID = () => [...live];

    const change = (names, from, {isCatchUp = false} = {}) => {
      const entries = [];
      let indices = null;
      for (const name of names) {
        const found = this.#changes(name, from.get(name), this.version);
        if (isCatchUp && !found.indices) found.changes.unshift(...this.#gone(name, from.get(name)));
        if (found.changes.length === 0 && !found.indices?.deletions.length) continue;
        for (const one of found.changes) entries.push(this.#named(name, one));
        if (found.indices && this.#isNamed) entries.push({query: name, op: 'indices', ...found.indices});
        else indices = found.indices;
      }
      return {entries, indices};
    };

    /** A step: one event, perhaps in parts. */
    function* step(service, names) {
      const {entries, indices} = change(names, service.sent);
      const data = {version: cursor(), changes: entries};
      for (const name of names) service.sent.set(name, service.version);
      if (entries.length === 0 && !indices) return;
      const parts = random.isTrue(0.3) ? 1 + random.below(3) : 1;
      for (let part = 1; part < parts; part++) {
        yield {event: service.#event('change', {...data, changes: entries.splice(0, random.below(entries.length + 1))})};
      }
      const hasID = isAllLive();
      if (parts > 1 || (service.#isNamed && !hasID)) data.last = true;
      yield {event: service.#event('change', {...data, ...indices}, hasID ? cursor() : undefined),
             shown: hasID ? shownWithID() : names};
    }

    /** A reset, a snapshot in pieces, the changes meanwhile, and `upToDate`. */
    function* begin(service, name, reason) {
      live.delete(name);
      ended.delete(name);
      if (service.#knownFrom.get(name) === Infinity) service.#knownFrom.set(name, service.version + 1);
      yield {event: service.#event('reset', service.#named(name, {generation: 0, reason}), 'start')};
      service.sent.set(name, service.version);
      const entries = service.entries(name, service.version);
      while (entries.length > 0) {
        const objects = entries.splice(0, 1 + random.below(4)).map(entry => service.#named(name, entry));
        yield {event: service.#event('snapshot', {objects})};
        if (random.isTrue(0.2)) yield* write(service);
      }
      yield* catchUp(service, name);
    }

    /** Missed changes without an id, and `upToDate`. */
    function* catchUp(service, name) {
      for (let isMore = true; isMore;) {
        const {entries, indices} = change([name], service.sent, {isCatchUp: true});
        service.sent.set(name, service.version);
        if (entries.length > 0) {
          yield {event: service.#event('change', {version: cursor(), changes: entries, ...indices})};
        }
        isMore = random.isTrue(0.3);
        if (isMore) yield* write(service);
      }
      live.add(name);
      const hasID = isAllLive();
      yield {event: service.#event('upToDate', service.#named(name, hasID ? {cursor: cursor()} : {}), hasID ? cursor() : undefined),
             shown: hasID ? shownWithID() : [name]};
    }

    /** A commit, and its step for the queries that are live. */
    function* write(service) {
      service.#write();
      yield* step(service, random.shuffled([...live]));
    }

    yield {event: this.#event('hello', {cursor: since, heartbeat: 15})};
    const from = since === 'start' ? null : Number(since.slice(2));
    for (const name of random.shuffled([...this.served])) {
      // A list continues only at the version of its result.
      const isOld = this.queries.get(name).isList && from !== this.version;
      if (from === null || isOld || from < this.#knownFrom.get(name)) yield* begin(this, name, 'start');
      else {
        this.sent.set(name, from);
        yield* catchUp(this, name);
      }
    }
    for (const name of this.queries.keys()) {
      if (this.served.has(name)) continue;
      this.served.add(name);
      yield* begin(this, name, 'start');
    }
    for (let count = isLast ? 40 : 1000; count > 0; count--) {
      const draw = random.next(), name = random.pick([...this.served]);
      if (draw < 0.6) yield* write(this);
      else if (draw < 0.7) {
        const hasID = isAllLive();
        yield {event: this.#event('message', undefined, hasID ? cursor() : undefined), shown: hasID ? shownWithID() : []};
      } else if (draw < 0.78) yield* begin(this, name, random.pick(['fell-behind', 'schema-changed', 'access-changed']));
      else if (draw < 0.86 && live.has(name)) {
        // A slow reader: the query leaves the live steps, and catches up.
        live.delete(name);
        yield* write(this);
        yield* catchUp(this, name);
      } else if (draw < 0.92 && this.#isNamed) {
        if (random.isTrue() && this.queries.size < 6) yield* begin(this, this.#add(), 'start');
        else if (this.queries.size > 1) {
          this.queries.delete(name);
          this.served.delete(name);
          live.delete(name);
          ended.delete(name);
          this.removed.push(name);
          // Events on their way still arrive.
          yield {event: this.#event('change', {
            version: cursor(), last: true, changes: [{query: name, op: 'enter', id: 1, etag: 'e-1', object: {number: 9}}]}), shown: []};
        }
      } else if (this.#isNamed && live.has(name)) {
        live.delete(name);
        ended.add(name);
        this.#knownFrom.set(name, Infinity);
        yield {event: this.#event('error', {query: name, code: 'unknown-class', detail: 'The class was dropped.'}), failed: [name]};
        if (random.isTrue()) yield* write(this);
        yield* begin(this, name, 'schema-changed');
      }
    }
    for (const name of this.served) if (!live.has(name)) yield* begin(this, name, 'start');
    yield* write(this);
    yield {event: this.#event('message', undefined, cursor()), shown: shownWithID()};
  }
}
