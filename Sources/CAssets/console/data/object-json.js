/** A text editor for JSON. */
import {h} from '../frame/elements.js';
import {loadCodeMirror} from '../frame/libraries.js';

/** Makes the editor: `{element, value, refresh()}`. `refresh` is called when it is shown. */
export async function jsonEditor(value, label) {
  const CodeMirror = await loadCodeMirror();
  const element = h('div', {className: 'json-editor'});
  const editor = CodeMirror(element, {
    value, mode: {name: 'javascript', json: true}, lineNumbers: true, matchBrackets: true, lineWrapping: true,
    screenReaderLabel: label, extraKeys: {Tab: false, 'Shift-Tab': false}});
  return {element, get value() { return editor.getValue(); }, refresh: () => editor.refresh()};
}
