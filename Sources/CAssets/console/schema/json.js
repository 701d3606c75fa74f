/** The whole schema as JSON, which administrators edit. */
import {button, h} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {isAdmin} from '../frame/session.js';
import {withTexts} from '../frame/json.js';
import {save} from '../frame/transfer.js';
import {changeSteps} from './change.js';

/** The document as it is sent back: without the warnings, which are not read. */
const documentText = ({warnings, ...document}) => JSON.stringify(document, null, 2);

/** The document in a text; an error names the line of the fault. */
function parsed(text) {
  try {
    return JSON.parse(withTexts(text));
  } catch (error) {
    const at = /position (\d+)/.exec(error.message)?.[1];
    const line = at && text.slice(0, Number(at)).split('\n').length;
    throw new Error(`The text is not JSON: ${error.message}${line && !/line \d/.test(error.message) ? ` (line ${line})` : ''}`);
  }
}

/** Shows the document. `onDone` is called after a change. */
export function showDocument(main, schema, onDone) {
  const text = documentText(schema.document);
  const area = h('textarea', {className: 'code document', value: text, spellcheck: false, readOnly: !isAdmin(),
    'aria-label': 'The schema as JSON'});
  const lines = requestLines();
  lines.show({path: '/v1/schema'});
  const download = button('Download', () => save(new Blob([area.value], {type: 'application/json'}), 'schema.json'));
  if (!isAdmin()) return main.append(area, h('p', {className: 'bar'}, download), lines.element);
  const form = h('form', {});
  const {parts, submit, reset} = changeSteps(form, {
    schema, onDone, makeRequest: () => ({method: 'PUT', path: '/v1/schema', body: parsed(area.value)})});
  form.append(
    h('p', {}, 'Properties may be stated in shorthand, such as "name": "string?". A member "renames" renames classes and '
      + 'properties: {"Person.full": "Person.name", "Persn": "Person"}. Without it, another name is a removal and an addition.'),
    area, ...parts,
    h('p', {className: 'bar'}, submit, button('Undo my edits', () => {
      area.value = text;
      reset();
    }), download));
  main.append(form, lines.element);
}
