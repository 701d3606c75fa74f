/** A line that shows how far something is, and cancels it. */
import {bytes, button, h} from '../frame/elements.js';

/** The line, hidden at first. `during(text, act)` shows it while `act({signal, show, say, waits})` runs. */
export function progressLine(outer) {
  const [bar, text] = [h('progress', {}), h('span', {role: 'status'})];
  let controller;
  const element = h('p', {className: 'bar progress', hidden: true}, bar, text, button('Cancel', () => controller.abort()));
  const say = words => { text.textContent = words; };
  const during = async (words, act) => {
    controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, outer]);
    const show = (done, total) => {
      if (total) [bar.max, bar.value] = [total, done];
      say(`${words}: ${bytes(done)}${total ? ` of ${bytes(total)}` : ''}`);
    };
    bar.removeAttribute('value');
    bar.setAttribute('aria-label', words);
    say(`${words} …`);
    element.hidden = false;
    try {
      return await act({signal, show, say, waits(note) {
        bar.removeAttribute('value');
        say(note);
      }});
    } finally {
      element.hidden = true;
    }
  };
  return {element, during};
}
