/** The form in which proposed classes are edited and made. */
import {attempt, field, h} from '../frame/elements.js';
import {forgetSchema} from '../frame/schema.js';
import {db} from '../frame/session.js';
import {tagOf} from '../schema/change.js';
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
    const {kind, sources} = proposal;
    const places = Object.entries(sources).map(([property, source]) => [source, renames.get(property)]);
    return {properties: new Map(places), definition: {
      name: name.value.trim(), kind, ...primaryKey && kind !== 'embedded' && {primaryKey}, properties}};
  }};
}

/**
 * The request that adds the classes, and what is `made`: for each name of a proposal the class's `name`, and the `properties` by
 * their names in the file. A class that was renamed in the form is renamed in the types of the others too.
 */
function requestFor(parts, schema) {
  const read = parts.map(part => part.read());
  const classes = read.map(({definition}) => definition);
  const made = new Map(read.map(({definition, properties}, index) => [
    parts[index].proposal.name, {name: definition.name, properties}]));
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
 * The form of proposed classes. New classes change no object, so they are made without a preview. `onDone` is called then, with
 * what is `made`; `onEdit` is called with each request that the form would send.
 */
export function proposalForm(proposals, schema, {confirm, onDone, onEdit}) {
  const parts = proposals.map(proposal => partOf(proposal, schema, proposals));
  const note = () => {
    try {
      onEdit(requestFor(parts, schema));
    } catch { /* The button reports it. */ }
  };
  const form = h('form', {oninput: note, onsubmit: attempt(async () => {
    const {method, path, body, made} = requestFor(parts, schema);
    await db.request(method, path, {body, headers: {'If-Match': await tagOf(schema.revision)}});
    forgetSchema();
    await onDone(made);
  })}, [...parts].reverse().map(part => part.element),
  h('p', {className: 'actions'}, h('button', {className: 'primary'}, confirm)));
  note();
  return form;
}
