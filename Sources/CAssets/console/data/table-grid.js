/** The grid: rows of a window of pages in Tabulator, with the keyboard and a column for the selection. */
import {h, notify} from '../frame/elements.js';
import {loadTabulator} from '../frame/libraries.js';
import {areEqual} from './values.js';
import {memberOf} from './table-cells.js';
import {FixedRows, rowHeight} from './table-rows.js';

export class Grid {
  #stored; #handlers; #table; #rows; #shown = [];
  #properties = [];
  /** The place that the keyboard is at: the name of a row and the member of a column. */
  #active = null;
  element;

  /**
   * `handlers` has `onNear(edge)`, called near the `start` or `end` of the loaded rows, `onEdit(row, property, element)`,
   * `onOpen(row)`, `isSelected(row)` and `onSelect(row, isOn)`.
   */
  constructor(stored, handlers) {
    this.#stored = stored;
    this.#handlers = handlers;
    this.element = h('div', {className: 'grid', 'aria-label': `Objects of ${stored.name}`});
  }

  get #holder() { return this.element.querySelector('.tabulator-tableholder'); }

  async start(columns, signal) {
    const Tabulator = await loadTabulator();
    if (signal.aborted) return;
    const own = rows => { this.#rows = rows; };
    this.#table = new Tabulator(this.element, {
      data: [], index: '$row', columns: this.#withSelection(columns), height: 'max(20rem, calc(100vh - 25.5rem))', rowHeight,
      nestedFieldSeparator: false, keybindings: false, layout: 'fitData',
      renderVertical: class extends FixedRows {
        constructor(table) {
          super(table);
          own(this);
        }
      },
      placeholder: h('span', {}, 'No objects.'), columnDefaults: {headerSort: false, resizable: 'header'}});
    await new Promise(resolve => this.#table.on('tableBuilt', resolve));
    // The place that scrolls can have the focus, so it is the group of the rows, and not an element between.
    this.#holder.setAttribute('role', 'rowgroup');
    this.#holder.querySelector('.tabulator-table').setAttribute('role', 'presentation');
    this.#table.on('scrollVertical', () => this.look());
    this.#holder.addEventListener('keydown', event => this.#onKey(event));
    this.#holder.addEventListener('dblclick', event => this.#editAt(event.target.closest('.tabulator-cell')));
    this.#holder.addEventListener('focusin', event => this.#activate(event.target.closest('.tabulator-cell')));
    signal.addEventListener('abort', () => this.#table.destroy());
  }

  setColumns(columns) {
    this.#shown = [];
    const widths = new Map(this.#table.getColumns().map(column => [column.getField(), column.getWidth()]));
    this.#table.setColumns(this.#withSelection(columns.map(
      column => ({...column, width: widths.get(column.field) ?? column.width}))));
  }

  /** States the order in the headers, where the grid writes `none` with all data. */
  #markOrder() {
    for (const sorter of this.element.querySelectorAll('.sorter')) {
      sorter.closest('[role=columnheader]').setAttribute('aria-sort', sorter.dataset.direction);
    }
  }

  #withSelection(columns) {
    this.#properties = columns.map(({field}) => field);
    return [{
      title: '', field: '$selection', width: 40, minWidth: 40, resizable: false, hozAlign: 'center',
      titleFormatter: () => h('span', {className: 'unseen'}, 'Selected'),
      formatter: cell => {
        const row = cell.getRow().getData();
        return h('input', {
          type: 'checkbox', tabIndex: -1, checked: this.#handlers.isSelected(row),
          'aria-label': `Select ${this.#stored.title(row)}`,
          onchange: event => this.#handlers.onSelect(row, event.target.checked)});
      }}, ...columns];
  }

  /** Shows rows. `moved` is the number of rows that came at the start, or, negative, that left there: the view stays. */
  async show(objects, moved = 0) {
    const rows = distinct(objects.map(object => ({...object, $row: JSON.stringify(this.#stored.keyOf(object))})));
    const former = this.#shown;
    this.#shown = rows;
    if (rows.length === former.length && rows.every((row, index) => row.$row === former[index].$row)) {
      const changed = rows.filter((row, index) => !areEqual(row, former[index]));
      if (changed.length > 0) await this.#update(changed);
      return;
    }
    const holder = this.#holder;
    const {scrollLeft: left} = holder;
    const isFocused = holder.contains(document.activeElement);
    this.#rows.moveWithNextRows(moved);
    await this.#table.replaceData(rows.map(row => ({...row})));
    this.#markOrder();
    if (left > 0) holder.scrollLeft = left;
    if (isFocused) requestAnimationFrame(() => this.#focusActive());
  }

  /** Changes rows in their places, and marks them for a moment. */
  async #update(rows) {
    const isFocused = this.#holder.contains(document.activeElement);
    await this.#table.updateData(rows.map(row => ({...row})));
    for (const {$row} of rows) {
      const row = this.#table.getRow($row);
      row?.reformat();
      const element = row?.getElement();
      element?.classList.add('changed');
      setTimeout(() => element?.classList.remove('changed'), 1500);
    }
    if (isFocused) this.#focusActive();
  }

  scrollToStart() { this.#holder.scrollTop = 0; }

  /** Asks for the next or previous page if the view is near an edge of the rows. */
  look() {
    const {top, height} = this.#rows;
    if (height === 0) return;
    if (top + 3 * height > this.#shown.length * rowHeight) this.#handlers.onNear('end');
    else if (top < 2 * height) this.#handlers.onNear('start');
  }

  // ---- The keyboard

  #activate(cell) {
    if (!cell) return;
    const row = cell.closest('.tabulator-row');
    this.#active = {row: this.#rowOf(row)?.getIndex(), field: cell.getAttribute('tabulator-field')};
  }

  #rowOf(element) { return element && this.#table.getRows('visible').find(row => row.getElement() === element); }

  #focusActive() {
    // The editor of the next cell may be open when the row of the one before is shown again. Without the focus it would end.
    if (document.querySelector('dialog[open], .cell-editor')) return;
    const row = this.#active?.row !== undefined && this.#table.getRow(this.#active.row);
    if (row) this.#focus(row, this.#active.field);
  }

  #focus(row, field) {
    const cell = row.getCell(field)?.getElement();
    if (!cell) return;
    cell.tabIndex = -1;
    cell.focus({preventScroll: false});
  }

  #onKey(event) {
    if (event.metaKey || event.altKey) return;
    const cell = event.target.closest('.tabulator-cell');
    if (event.ctrlKey) {
      if (event.key === 'Enter') cell?.querySelector('a')?.click();
      return;
    }
    const act = this.#actions(cell)[event.key];
    if (!act) return;
    event.preventDefault();
    if (cell) act();
    else {
      const [first] = this.#table.getRows('visible');
      if (first) this.#focus(first, this.#properties[0]);
    }
  }

  #actions(cell) {
    const {row: name, field} = this.#active ?? {};
    const row = cell && this.#rowOf(cell.closest('.tabulator-row'));
    const fields = ['$selection', ...this.#properties];
    const toColumn = step => {
      const index = Math.max(0, Math.min(fields.length - 1, fields.indexOf(field) + step));
      if (row) this.#focus(row, fields[index]);
    };
    const page = Math.max(1, Math.floor(this.#holder.clientHeight / rowHeight) - 1);
    return {
      ArrowDown: () => this.#toRow(name, 1, field), ArrowUp: () => this.#toRow(name, -1, field),
      PageDown: () => this.#toRow(name, page, field), PageUp: () => this.#toRow(name, -page, field),
      ArrowRight: () => toColumn(1), ArrowLeft: () => toColumn(-1), Home: () => toColumn(-1000), End: () => toColumn(1000),
      Enter: () => this.#editAt(cell),
      ' ': () => cell.closest('.tabulator-row').querySelector('input[type=checkbox]').click()};
  }

  #toRow(name, step, field) {
    const index = this.#shown.findIndex(({$row}) => $row === name);
    if (index < 0) return;
    const {$row} = this.#shown[Math.max(0, Math.min(this.#shown.length - 1, index + step))];
    const row = this.#table.getRow($row);
    const top = this.#shown.findIndex(one => one.$row === $row) * rowHeight;
    const {scrollTop, clientHeight} = this.#holder;
    if (top < scrollTop) this.#holder.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.#holder.scrollTop = top + rowHeight - clientHeight;
    // The grid makes the elements of rows after it has been told of the scrolling.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#focus(row, field)));
  }

  // ---- Editing

  async #editAt(cell) {
    const row = cell && this.#rowOf(cell.closest('.tabulator-row'));
    if (!row) return;
    const data = row.getData();
    const field = cell.getAttribute('tabulator-field');
    const property = this.#stored.stored.find(one => memberOf(one) === field);
    if (field === '$selection') return;
    if (!property || property.name === this.#stored.primaryKey) return this.#handlers.onOpen(data);
    this.#activate(cell);
    try {
      await this.#handlers.onEdit(data, property, cell);
    } catch (error) {
      if (error.name !== 'AbortError') notify(error.detail ?? error.message, 'fault');
    }
    this.#focusActive();
  }
}

/** The rows without those that stand on an earlier page as well, because they moved between two readings. */
function distinct(rows) {
  const seen = new Set();
  return rows.filter(({$row}) => !seen.has($row) && seen.add($row));
}
