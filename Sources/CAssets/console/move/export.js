/** Exports: of a class, of the objects that a filter finds, and of the whole store. */
import {address, remember} from '../console.js';
import {attempt, bytes, field, grouped, h, notify} from '../frame/elements.js';
import {filterBox} from '../data/filter-box.js';
import {literal, requestLines} from '../frame/request-lines.js';
import {db} from '../frame/session.js';
import {recordText} from './csv.js';
import {exactText} from '../frame/json.js';
import {progressLine} from './progress.js';
import {download, save} from '../frame/transfer.js';
import {check, choice} from '../schema/fields.js';

const forms = [['ndjson', 'NDJSON: one object a line'], ['csv', 'CSV'], ['json', 'a JSON array']];

const isFlat = (property, found) => !['list', 'set', 'map', 'linkingObjects', 'mixed'].includes(property.type)
  && !found.target(property)?.isEmbedded;

/** The names of the properties that fit into CSV. */
const flatNames = found => found.properties.filter(property => isFlat(property, found)).map(property => property.name);

/** Turns lines into the elements of an array. A line feed stands only between lines, because JSON escapes it in texts. */
function arrayStream() {
  const encoder = new TextEncoder();
  const [comma, lineFeed] = [encoder.encode(','), 0x0a];
  let [isStarted, isLineEnded] = [false, false];
  return new TransformStream({
    transform(chunk, controller) {
      if (!isStarted) controller.enqueue(encoder.encode('['));
      isStarted = true;
      for (let start = 0; start < chunk.length;) {
        const end = chunk.indexOf(lineFeed, start);
        if (isLineEnded) controller.enqueue(comma);
        isLineEnded = end >= 0;
        controller.enqueue(chunk.subarray(start, isLineEnded ? end + 1 : chunk.length));
        start = isLineEnded ? end + 1 : chunk.length;
      }
    },
    flush(controller) { controller.enqueue(encoder.encode(isStarted ? ']\n' : '[]\n')); }});
}

/** A text of one object in a form. */
const textOf = (object, names, form, found) => form === 'csv' ? recordText(names.map(name => object[name])) : `{${names.map(
  name => `${JSON.stringify(name)}:${exactText(object[name], found.property(name))}`).join(',')}}`;

/** Reads the objects that a filter finds, page by page, into a file. */
async function filtered(found, {filter, names, form}, {signal, say}) {
  const parts = {csv: [recordText(names)], json: ['['], ndjson: []}[form];
  let [count, cursor] = [0, undefined];
  do {
    const page = await db.class(found.name).query({filter, fields: names, limit: 1000, signal}).page(cursor);
    parts.push(page.objects.map((object, index) => {
      const text = textOf(object, names, form, found);
      return form === 'csv' ? text : form === 'ndjson' ? `${text}\n` : `${count + index > 0 ? ',\n' : ''}${text}`;
    }).join(''));
    count += page.objects.length;
    cursor = page.next;
    say(`Exporting: ${grouped(count)} objects read.`);
  } while (cursor);
  if (form === 'json') parts.push(']\n');
  return new Blob(parts);
}

/** The path of a class's export. */
const exportPath = (found, names) => {
  const path = `/v1/classes/${encodeURIComponent(found.name)}/export`;
  return names.length === 0 ? path : `${path}?${new URLSearchParams({fields: names.join(',')})}`;
};

const storeRequest = {path: '/v1/export', isText: true};
const accepts = {csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/x-ndjson'};

/** Shows the forms of exports. */
export async function showExport(main, {schema, query, signal}) {
  const [progress, lines] = [progressLine(signal), requestLines()];
  const classes = schema.objects.filter(found => found.kind === 'object');
  const inputs = {
    class: choice(classes.map(found => found.name), schema.class(query.class ?? '') ? query.class : classes[0]?.name),
    form: choice(forms, query.form ?? 'ndjson'),
    names: h('input', {value: query.fields ?? ''}),
    gzip: h('input', {type: 'checkbox'}),
  };
  const chosen = () => schema.class(inputs.class.value);
  const named = () => inputs.names.value.split(',').map(name => name.trim()).filter(Boolean);
  const namesFor = form => {
    const names = named();
    if (names.length > 0 || form !== 'csv') return names;
    const flat = flatNames(chosen());
    return flat.length === chosen().stored.length ? [] : flat;
  };
  const hint = h('small', {});
  const filterPlace = h('div');
  let box = {value: query.filter ?? ''};
  const showFilter = async () => {
    box = await filterBox({
      schema, stored: chosen(), value: box.value, apply: () => form.requestSubmit(), changed: () => arrange()});
    filterPlace.replaceChildren(box.element);
  };
  inputs.class.addEventListener('change', showFilter);
  const arrange = () => {
    const [form, found, filter] = [inputs.form.value, chosen(), box.value.trim()];
    if (!found) return lines.show(storeRequest);
    const left = form === 'csv' && named().length === 0 ? found.stored.filter(property => !isFlat(property, found)) : [];
    const leftNames = left.map(property => property.name).join(', ');
    hint.textContent = leftNames && `CSV leaves out ${leftNames}: it takes single values and links.`;
    const path = `/v1/classes/${encodeURIComponent(found.name)}/query`;
    lines.show(filter
      ? {method: 'POST', path, body: {filter, limit: 1000, ...named().length > 0 && {fields: named()}},
        client: `for await (const object of db.class(${literal(found.name)}).query({filter: ${literal(filter)}})) …`}
      : {path: exportPath(found, namesFor(form)), headers: {Accept: accepts[form]},
        client: `for await (const object of db.class(${literal(found.name)}).query()) …`},
    storeRequest);
    remember({class: found.name, filter, form, fields: inputs.names.value});
  };
  const ended = (name, blob) => {
    save(blob, name);
    notify(`${name} is saved: ${bytes(blob.size)}.`);
  };
  const gzipped = () => inputs.gzip.checked ? [new CompressionStream('gzip')] : [];
  const ending = () => inputs.gzip.checked ? '.gz' : '';
  const exportClass = () => progress.during('Exporting', async tools => {
    const [form, found, filter] = [inputs.form.value, chosen(), box.value.trim()];
    const names = namesFor(form);
    const {signal: own, show} = tools;
    let blob;
    if (filter) {
      const all = names.length > 0 ? names : form === 'csv' ? flatNames(found) : found.stored.map(property => property.name);
      blob = await filtered(found, {filter, names: found.primaryKey || names.length > 0 ? all : ['$id', ...all], form}, tools);
      if (inputs.gzip.checked) blob = await new Response(blob.stream().pipeThrough(new CompressionStream('gzip'))).blob();
    } else {
      const transforms = [...form === 'json' ? [arrayStream()] : [], ...gzipped()];
      blob = await download(exportPath(found, names), {accept: accepts[form], signal: own, onProgress: show, transforms});
    }
    ended(`${found.name}.${form}${ending()}`, blob);
  });
  const exportStore = () => progress.during('Exporting', async ({signal: own, show}) => ended(`store.ndjson${ending()}`,
    await download(storeRequest.path, {accept: 'application/x-ndjson', signal: own, onProgress: show, transforms: gzipped()})));
  const form = h('form', {onsubmit: attempt(async () => {
    box.showFault();
    await exportClass().catch(error => {
      box.showFault(error);
      throw error;
    });
  }), oninput: arrange}, h('h2', {}, 'A class'),
    h('div', {className: 'columns'}, field('Class', inputs.class), field('Form', inputs.form, hint),
      field('Properties', inputs.names, 'With commas between them. Empty: all.')),
    h('div', {className: 'field'}, h('span', {}, 'Filter'), filterPlace,
      h('small', {}, 'Empty: all objects, of one snapshot. With a filter the objects are read page by page.')),
    h('p', {className: 'actions'}, h('button', {className: 'primary'}, 'Export the class')));
  const storeForm = h('form', {onsubmit: attempt(exportStore)}, h('h2', {}, 'The whole store'),
    h('p', {}, 'The schema, projections and objects, one a line, of one snapshot. Another store imports it. The access document, '
      + 'tokens and accounts are not in it: a ', h('a', {href: address('move', 'backups')}, 'backup'), ' has them.'),
    h('p', {className: 'actions'}, h('button', {}, 'Export the store')));
  if (classes.length > 0) await showFilter();
  main.append(check('Compress files (gzip)', inputs.gzip), progress.element,
    classes.length > 0 ? form : h('p', {}, 'The store has no classes yet.'), storeForm, lines.element);
  arrange();
}
