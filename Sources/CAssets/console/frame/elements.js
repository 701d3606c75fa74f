/** Elements of the page: made, shown in dialogs, and filled with errors. */

/**
 * Makes an element. Members are set as properties; names with a hyphen, `role`, `for` and `list` as attributes. A member that is
 * undefined is left out. Children may be nested in arrays; null, undefined and false are left out.
 */
export function h(tag, members, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(members ?? {})) {
    if (value === undefined) continue;
    if (name.includes('-') || ['role', 'for', 'list'].includes(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button. `act` runs as in `attempt`. */
export function button(text, act, members) {
  return h('button', {type: 'button', onclick: attempt(act), ...members}, text);
}

/** A field with its label above it. */
export function field(label, input, hint) {
  return h('label', {className: 'field'}, h('span', {}, label), input, hint && h('small', {}, hint));
}

let noticeTimer;

/** Shows a sentence for some seconds, in place of the one before. It is also read out. */
export function notify(text, kind = 'done') {
  const notices = document.querySelector('#notices');
  clearTimeout(noticeTimer);
  notices.replaceChildren(h('p', {className: `notice ${kind}`}, text,
    h('button', {type: 'button', 'aria-label': 'Close the notice', onclick: clearNotice}, '✕')));
  // Above a dialog that is open.
  notices.hidePopover?.();
  notices.showPopover?.();
  noticeTimer = setTimeout(clearNotice, kind === 'done' ? 4000 : 12000);
}

export const clearNotice = () => document.querySelector('#notices').replaceChildren();

/** Goes to another page of the console, with a notice that is shown there. */
export function goWithNotice(address, text) {
  addEventListener('hashchange', () => notify(text), {once: true});
  location.hash = address;
}

/** The sentences of an error, each fault with its place and its hint. */
export function faults(error) {
  const places = fault => [
    fault.parameter && `in ${fault.parameter}`, fault.pointer && `at ${fault.pointer}`, fault.line && `line ${fault.line}`,
    fault.column && `column ${fault.column}`].filter(Boolean).join(', ');
  const all = error.errors?.length ? error.errors : [{detail: error.detail ?? error.message}];
  return h('div', {className: 'faults', role: 'alert'}, all.map(fault => h('p', {},
    fault.detail, places(fault) && h('small', {}, ` (${places(fault)})`),
    fault.hint && h('small', {}, ` Meant: ${fault.hint}`))));
}

/**
 * A handler that runs `act` with the event's target, prevents the default, and disables a form's button meanwhile. An error is
 * shown in the form or dialog of the target, or as a notice.
 */
export function attempt(act) {
  return async event => {
    event.preventDefault();
    const target = event.currentTarget;
    const place = target.closest?.('form, dialog');
    const trigger = event.submitter ?? target;
    place?.querySelector(':scope > .faults')?.remove();
    trigger.disabled = true;
    try {
      await act(target, event);
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (place) place.append(faults(error));
      else notify(error.detail ?? error.message, 'fault');
    } finally {
      trigger.disabled = false;
    }
  };
}

/**
 * Opens a dialog with a form and resolves when it is closed: with the result of `act`, or with undefined if it was cancelled. The
 * dialog stays open with the error if `act` throws. It cannot be cancelled while `act` runs.
 */
export function ask(title, content, {confirm = 'OK', isDangerous = false, act = () => true, isWide = false} = {}) {
  return new Promise(resolve => {
    let work = Promise.resolve();
    const cancel = h('button', {type: 'button', onclick: () => dialog.close()}, 'Cancel');
    const form = h('form', {method: 'dialog', onsubmit: attempt(async () => {
      cancel.disabled = true;
      try {
        await (work = Promise.resolve(act(form)));
        dialog.close();
      } finally {
        cancel.disabled = false;
      }
    })},
    h('h2', {}, title), content,
    h('p', {className: 'actions'},
      h('button', {className: isDangerous ? 'danger' : 'primary'}, confirm),
      cancel));
    const dialog = h('dialog', {
      'aria-label': title, className: isWide ? 'wide' : '',
      oncancel: event => { if (cancel.disabled) event.preventDefault(); },
      onclose: () => {
        dialog.remove();
        // A page that is left closes its dialogs, also while `act` runs.
        work.then(resolve, () => resolve());
      }}, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks whether to do what can't be taken back. */
export const confirmed = (title, text, confirm) => ask(title, h('p', {}, text), {confirm, isDangerous: true});

/** Copies a text and returns a sentence about it. Where the browser does not allow that, `select` selects the text. */
export async function copyText(text, select) {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    select();
    return 'The browser does not let the page copy. The text is selected: copy it with the keyboard.';
  }
}

/** A number with separators of the reader's language. */
export const grouped = number => typeof number === 'number' ? number.toLocaleString() : '';

/** A number of bytes in the largest unit that leaves at least one. */
export function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const unit = count > 0 ? Math.min(units.length - 1, Math.floor(Math.log2(count) / 10)) : 0;
  return `${(count / 1024 ** unit).toFixed(unit ? 1 : 0)} ${units[unit]}`;
}

/** A time in the reader's form. */
export const time = text => h('time', {dateTime: text, title: text}, new Date(text).toLocaleString());

/** A table with names of columns. A row is an array of cells. A cell or name may be a `td` or `th` of its own. */
export function table(caption, names, rows) {
  const head = name => (name instanceof HTMLTableCellElement ? name : h('th', {scope: 'col'}, name));
  const cell = content => (content instanceof HTMLTableCellElement ? content : h('td', {}, content));
  return h('div', {className: 'wide-table'}, h('table', {'aria-label': caption},
    h('thead', {}, h('tr', {}, names.map(head))),
    h('tbody', {}, rows.map(row => h('tr', {}, row.map(cell))))));
}
