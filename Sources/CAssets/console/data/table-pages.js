/** The pages of a query that a table keeps: a window of a list that may be far longer. */

/** The pages that are kept at most; the others are read again by their cursors. */
const mostPages = 5;

export class PageWindow {
  #read; #keyOf;
  /** The cursor at which each page begins, as far as they are known, and the key of the last object of each. */
  #cursors = [undefined]; #lastKeys = [];
  #pages = [];
  #work = Promise.resolve();
  /** Whether the first page, the only one, ends with another object than when its cursor was read. */
  #isStale = false;
  /** The index of the first page that is kept. */
  first = 0;

  /** `read(cursor)` returns a page `{objects, next}`. */
  constructor(read, keyOf) {
    this.#read = read;
    this.#keyOf = keyOf;
  }

  get rows() { return this.#pages.flat(); }
  get #end() { return this.first + this.#pages.length; }
  get hasNext() { return this.#isStale || this.#pages.length === 0 || this.#cursors[this.#end] !== undefined; }
  get hasPrevious() { return this.first > 0; }

  /** Reads the page behind the window. Resolves with the number of rows that left at the start, negative. */
  next() {
    return this.#inTurn(async () => {
      if (this.#isStale) await this.#readFrom(0);
      if (!this.hasNext) return 0;
      this.#pages.push(await this.#page(this.#end));
      return this.#pages.length > mostPages ? -this.#shift() : 0;
    });
  }

  #shift() {
    this.first++;
    return this.#pages.shift().length;
  }

  /** Reads the page before the window. Resolves with the number of rows that came at the start. */
  previous() {
    return this.#inTurn(async () => {
      if (!this.hasPrevious) return 0;
      const lastKey = this.#lastKeys[this.first - 1];
      const page = await this.#page(this.first - 1);
      this.#pages.unshift(page);
      this.first--;
      if (this.#pages.length > mostPages) this.#pages.pop();
      if (this.#lastKeys[this.first] !== lastKey) await this.#readFrom(this.first + 1);
      return page.length;
    });
  }

  /** Goes to the first page. */
  toStart() {
    return this.#inTurn(async () => {
      const page = await this.#page(0);
      [this.first, this.#pages, this.#isStale] = [0, [page], false];
    });
  }

  /** Reads all pages of the window again. */
  refresh() { return this.#inTurn(() => this.#readFrom(this.first)); }

  /**
   * Takes the objects of a live first page. Returns whether the other pages have to be read again, because it ends with another
   * object than before.
   */
  takeFirst(objects) {
    if (this.first > 0 || this.#pages.length === 0) return false;
    const before = this.#pages[0];
    this.#pages[0] = objects;
    const isMoved = objects.length !== before.length || this.#lastKey(objects) !== this.#lastKey(before);
    if (isMoved) this.#isStale = this.#pages.length === 1;
    return isMoved && !this.#isStale;
  }

  /** Puts another form of an object in its place. */
  replace(key, object) {
    for (const page of this.#pages) {
      const index = page.findIndex(one => this.#keyOf(one) === key);
      if (index >= 0) page[index] = object;
    }
  }

  #lastKey(objects) { return objects.length > 0 ? this.#keyOf(objects.at(-1)) : undefined; }

  async #page(index) {
    const {objects, next} = await this.#read(this.#cursors[index]);
    this.#cursors[index + 1] = next;
    this.#lastKeys[index] = this.#lastKey(objects);
    return objects;
  }

  async #readFrom(first) {
    if (first === 0) this.#isStale = false;
    for (let index = first; index < this.#end; index++) {
      this.#pages[index - this.first] = await this.#page(index);
      if (this.#cursors[index + 1] === undefined) this.#pages.length = index - this.first + 1;
    }
    this.#cursors.length = this.#end + 1;
    this.#lastKeys.length = this.#end;
  }

  /** Runs one task after the other. */
  #inTurn(task) {
    const result = this.#work.then(task);
    this.#work = result.catch(() => {});
    return result;
  }
}
