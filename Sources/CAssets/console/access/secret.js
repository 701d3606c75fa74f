/** A secret that is shown once. */
import {button, copyText, h} from '../frame/elements.js';

/** Shows a secret that the service returns only once. Resolves when the dialog is closed. */
export function showSecret(title, label, secret, ...notes) {
  return new Promise(resolve => {
    const input = h('input', {
      value: secret, readOnly: true, className: 'secret', 'aria-label': label, onfocus: () => input.select()});
    const status = h('p', {role: 'status'});
    const select = () => {
      input.focus();
      input.select();
    };
    const copy = async () => { status.textContent = await copyText(secret, select); };
    const copyButton = button('Copy', copy, {className: 'primary'});
    const dialog = h('dialog', {'aria-label': title, onclose: () => {
      dialog.remove();
      resolve();
    }}, h('h2', {}, title), h('p', {}, 'It is shown only now. The service keeps only its hash.'),
    h('div', {className: 'bar'}, input, copyButton), status,
    notes.map(note => h('p', {}, note)),
    h('p', {className: 'actions'}, h('button', {type: 'button', onclick: () => dialog.close()}, 'Done')));
    document.body.append(dialog);
    dialog.showModal();
  });
}
