/** The rows of a grid that are on the page: those near the view. All rows have one height, so that nothing is measured. */

export const rowHeight = 32;

/** The rows above and below the view that are made as well. */
const margin = 12;

/** A renderer for Tabulator's `renderVertical`, with the members that the grid calls. */
export class FixedRows {
  #height = 0; #top = 0; #shift = 0; #isChanging = false;
  /** The rows on the page, and the index of the first one. */
  #shown = []; #first = 0;
  verticalFillMode = 'fill';

  constructor(table) {
    this.table = table;
    this.elementVertical = table.rowManager.element;
    this.elementHorizontal = table.columnManager.element;
    this.tableElement = table.rowManager.tableElement;
  }

  /** The name of the renderer, which the grid writes into an attribute. */
  static toString() { return 'fixed'; }

  rows() { return this.table.rowManager.getDisplayRows(); }
  get top() { return this.#top; }
  get height() { return this.#height; }

  /** Moves the view by so many rows when the grid gets its next rows. */
  moveWithNextRows(count) { this.#shift = count; }

  // ---- The members that the grid calls

  initialize() {}
  clearColumns() {}
  reinitializeColumnWidths() {}
  renderColumns() {}
  rerenderColumns() {}
  renderRowCells() {}
  rerenderRowCells() {}
  scrollColumns(left) { this.table.rowManager.scrollHorizontal(left); }
  resize() { this.#height = this.elementVertical.clientHeight; }

  clearRows() {
    this.tableElement.replaceChildren();
    this.tableElement.style.padding = '';
    this.#shown = [];
    this.#first = 0;
    this.#top = 0;
  }

  renderRows() { if (!this.#isChanging) this.#renderAll(); }

  /** Makes all rows again after a change of the data, which asks for rows as well. The view stays in its place. */
  rerenderRows(change) {
    const top = Math.max(0, this.#top + this.#shift * rowHeight);
    this.#isChanging = true;
    change?.();
    this.#isChanging = false;
    this.#top = top;
    this.#shift = 0;
    if (this.rows().length > 0) return this.#renderAll();
    this.clearRows();
    this.table.rowManager.tableEmpty();
  }

  scrollRows(top) {
    this.#top = top;
    const first = Math.floor(top / rowHeight);
    const end = Math.min(this.rows().length, Math.ceil((top + this.#height) / rowHeight));
    if (first < this.#first || end > this.#first + this.#shown.length) this.#render();
  }

  scrollToRow(row) {
    const index = this.rows().indexOf(row);
    if (index >= 0) this.elementVertical.scrollTop = index * rowHeight;
  }

  scrollToRowNearestTop(row) { return this.rows().indexOf(row) * rowHeight < this.#top; }

  scrollToRowPosition(row) {
    this.scrollToRow(row);
    return Promise.resolve();
  }

  visibleRows() { return this.#shown; }

  // ---- Making rows

  #renderAll() {
    if (this.#height === 0) this.resize();
    this.tableElement.replaceChildren();
    this.#shown = [];
    this.#top = Math.min(this.#top, Math.max(0, this.rows().length * rowHeight - this.#height));
    this.#render();
    if (this.elementVertical.scrollTop !== this.#top) this.elementVertical.scrollTop = this.#top;
    this.table.rowManager.scrollTop = this.#top;
  }

  /** Makes the rows near the view, and removes the others. */
  #render() {
    const rows = this.rows();
    const first = Math.max(0, Math.floor(this.#top / rowHeight) - margin);
    const end = Math.min(rows.length, Math.ceil((this.#top + this.#height) / rowHeight) + margin);
    const former = new Set(this.#shown);
    const wanted = rows.slice(first, end);
    for (const row of this.#shown) if (!wanted.includes(row)) row.getElement().remove();
    const added = [];
    let before = null;
    for (let index = wanted.length - 1; index >= 0; index--) {
      const row = wanted[index];
      if (!former.has(row)) {
        this.#make(row, first + index);
        this.tableElement.insertBefore(row.getElement(), before);
        added.push(row);
      }
      before = row.getElement();
    }
    this.#shown = wanted;
    this.#first = first;
    this.tableElement.style.paddingTop = `${first * rowHeight}px`;
    this.tableElement.style.paddingBottom = `${(rows.length - end) * rowHeight}px`;
    for (const row of added) row.rendered();
  }

  #make(row, index) {
    row.initialize(false, true);
    row.getElement().setAttribute('aria-rowindex', `${index + 1}`);
    if (row.heightInitialized) return;
    Object.assign(row, {height: rowHeight, heightStyled: `${rowHeight}px`, outerHeight: rowHeight});
    row.setCellHeight();
  }
}
