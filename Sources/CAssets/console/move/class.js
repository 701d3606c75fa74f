/** The form in which proposed classes are edited before they are made. */
import {field, h} from '../frame/elements.js';
import {changeSteps} from '../schema/change.js';
import {propertyRows} from '../schema/rows.js';

/** The part of one class: its name and its properties. */
function partOf(proposal, schema, proposals) {
  const name = h('input', {value: proposal.name, required: true, maxLength: 57});
  const known = {classes: [...schema.classes, ...proposals.filter(other => other !== proposal)
    .map(other => ({name: other.name, isEmbedded: other.kind === 'embedded'}))]};
  const rows = propertyRows({...proposal, schema: known});
  const title = `The ${proposal.kind === 'embedded' ? 'embedded ' : ''}class ${proposal.name}`;
  const element = h('fieldset', {}, h('legend', {}, title), field('Name', name), rows.element);
  return {element, proposal, read() {
    const {primaryKey, properties, renames} = rows.read();
    const {kind} = proposal;
    return {renames, definition: {
      name: name.value.trim(), kind, ...primaryKey && kind !== 'embedded' && {primaryKey}, properties}};
  }};
}

/** The request that adds the classes. A class that was renamed in the form is renamed in the types of the others too. */
function requestFor(parts, schema) {
  const read = parts.map(part => part.read());
  const classes = read.map(({definition}) => definition);
  const made = {name: classes.at(-1).name, renames: read.at(-1).renames};
  for (const [index, {name}] of classes.entries()) {
    if (schema.class(name)) throw new Error(`The store has a class '${name}' already. Choose another name.`);
    const before = parts[index].proposal.name;
    for (const property of classes.flatMap(found => Object.values(found.properties))) {
      for (const part of [property, property.element]) if (part?.class === before) part.class = name;
    }
  }
  if (classes.length === 1) {
    const [{name, ...body}] = classes;
    return {method: 'PUT', path: `/v1/schema/classes/${encodeURIComponent(name)}`, body, made};
  }
  const {warnings, ...document} = schema.document;
  return {method: 'PUT', path: '/v1/schema', body: {...document, classes: [...document.classes, ...classes]}, made};
}

/**
 * The form of proposed classes. `onDone` is called when they are made, with the `name` of the last one and the `renames` of its
 * proposed properties.
 */
export function proposalForm(proposals, schema, onDone) {
  const parts = proposals.map(proposal => partOf(proposal, schema, proposals));
  const form = h('form', {});
  const {parts: steps, submit} = changeSteps(form, {
    schema, makeRequest: () => requestFor(parts, schema), onDone: request => onDone(request.made)});
  form.append(...[...parts].reverse().map(part => part.element), ...steps, h('p', {className: 'actions'}, submit));
  return form;
}
