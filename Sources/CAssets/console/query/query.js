/** A query: its form, its result, and the plan that the service chose. */
import {address, remember} from '../console.js';
import {attempt, faults, field, grouped, h, table} from '../frame/elements.js';
import {literal, requestLines, sameRequest} from '../frame/request-lines.js';
import {loadSchema, typeText} from '../frame/schema.js';
import {db, seesPlans} from '../frame/session.js';
import {exactly, parsed} from '../frame/json.js';
import {loadStyle} from '../frame/libraries.js';

/** The fields of the form. Their names are also used in the address and as the service's parameters. */
const fields = {
  args: ['Arguments', 'A JSON array with the values of $0, $1 …'],
  sort: ['Sort', 'Such as -population,name'],
  distinct: ['Distinct', 'Paths: one object for each combination of values'],
  fields: ['Fields', 'Paths to show. Empty: all stored properties'],
  op: ['Operations', 'Such as count,max(population)'],
  by: ['Group by', 'Paths, or year(path), bucket(path,10) …'],
  having: ['Having', 'A condition on count and the operations'],
  order: ['Order', 'Such as -count'],
  tz: ['Time zone', 'Of the parts of dates, such as Europe/Paris'],
  limit: ['Rows', 'At most 1,000'],
};
const namesByMode = {objects: ['sort', 'distinct', 'fields'], groups: ['op', 'by', 'having', 'order', 'tz']};

export async function show(main, {query, signal}) {
  const [schema] = await Promise.all([loadSchema(), loadStyle('query/query.css'), loadStyle('access/access.css')]);
  main.append(h('h1', {}, 'Query'));
  if (schema.objects.length === 0) {
    main.append(h('p', {}, 'There are no classes to query.'));
    return;
  }
  if (query.class && !schema.class(query.class)) {
    throw new Error(`There is no class '${query.class}', or you may not see it.`);
  }
  const lines = requestLines();
  const result = h('div', {'aria-live': 'polite'});
  const form = makeForm(schema, query);
  form.element.onsubmit = attempt(async () => {
    result.replaceChildren();
    form.clearMarks();
    const terms = form.terms();
    remember(terms);
    const request = requestOf(terms);
    lines.show(request);
    try {
      const started = performance.now();
      const {body} = await db.request(request.method, request.path, {body: request.body, signal});
      result.replaceChildren(...resultElements(body, schema.class(terms.class), terms, performance.now() - started));
    } catch (error) {
      if (error.name === 'AbortError') throw error;
      result.replaceChildren(faults(error));
      form.mark(error);
    }
  });
  lines.show(requestOf({class: form.terms().class}));
  main.append(form.element, result, lines.element);
  if (query.class) form.element.requestSubmit();
}

/** The form with `terms()`, the members of the query that are stated, and `mark(error)`, which shows faults at their columns. */
function makeForm(schema, query) {
  const submitByKeys = event => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    element.requestSubmit();
  };
  const inputs = {filter: h('textarea', {
    className: 'code', rows: 2, spellcheck: false, value: query.filter ?? '', onkeydown: submitByKeys})};
  const marks = {};
  const place = (name, label, hint) => {
    inputs[name] ??= h('input', {value: query[name] ?? '', spellcheck: false, autocomplete: 'off'});
    marks[name] = h('div');
    return h('div', {}, field(label, inputs[name], hint), marks[name]);
  };
  inputs.limit = h('input', {type: 'number', min: 1, max: 1000, value: query.limit ?? '20'});
  const className = h('select', {onchange: () => showProperties()}, schema.objects.map(({name}) => h('option', {
    value: name, selected: name === query.class}, name)));
  const mode = h('select', {onchange: () => showMode()},
    h('option', {value: 'objects'}, 'Objects'),
    h('option', {value: 'groups', selected: Boolean(query.op || query.by)}, 'Groups and aggregates'));
  const isCounted = h('input', {type: 'checkbox', checked: query.count === 'exact'});
  const grids = Object.fromEntries(Object.entries(namesByMode).map(([name, names]) => [
    name, h('div', {className: 'query-grid'}, names.map(one => place(one, ...fields[one])),
      name === 'objects' && h('label', {className: 'field'}, h('span', {}, 'Count'), isCounted, ' count all matches'))]));
  const properties = h('div');
  const showMode = () => { for (const [name, grid] of Object.entries(grids)) grid.hidden = name !== mode.value; };
  const showProperties = () => properties.replaceChildren(...schema.class(className.value).properties.map((property, index) =>
    h('span', {}, index > 0 && ', ', h('code', {}, property.name), h('small', {}, ` ${typeText(property)}`))));
  showMode();
  showProperties();
  const element = h('form', {className: 'query'},
    h('div', {className: 'query-grid'}, field('Class', className), field('Result', mode)),
    place('filter', 'Filter', 'Such as population > 1000000 AND name BEGINSWITH "B". Empty: all objects. Ctrl+Enter runs it'),
    Object.values(grids),
    h('div', {className: 'query-grid'}, place('args', ...fields.args), place('limit', ...fields.limit)),
    h('details', {}, h('summary', {}, 'Properties of the class'), properties),
    h('p', {}, h('button', {className: 'primary'}, 'Run')));
  return {
    element,
    terms() {
      const names = ['filter', ...namesByMode[mode.value], 'args', 'limit'];
      const values = names.map(name => [name, inputs[name].value.trim()]).filter(([, value]) => value !== '');
      const terms = {class: className.value, ...Object.fromEntries(values)};
      if (mode.value === 'groups') terms.op ??= 'count';
      else if (isCounted.checked) terms.count = 'exact';
      return terms;
    },
    clearMarks() { for (const mark of Object.values(marks)) mark.replaceChildren(); },
    mark(error) { showMarks(error, inputs, marks); }};
}

/** Marks the columns of faults in the texts of their fields, and goes to the first of them. */
function showMarks(error, inputs, marks) {
  let isFirst = true;
  for (const {pointer, parameter, column} of error.errors ?? []) {
    const name = parameter ?? pointer?.split('/')[1];
    if (column === undefined || !Object.hasOwn(marks, name)) continue;
    const text = inputs[name].value.trimStart();
    const skipped = inputs[name].value.length - text.length;
    const start = [...text].slice(0, column - 1).join('').length;
    const end = start + (/^[\w.$@-]+|^[^]?/u.exec(text.slice(start))[0].length);
    marks[name].append(h('p', {className: 'at-column', role: 'note', 'aria-label': `Column ${column}`},
      h('code', {}, text.slice(0, start), h('mark', {}, text.slice(start, end) || ' '), text.slice(end))));
    if (!isFirst) continue;
    isFirst = false;
    inputs[name].focus();
    inputs[name].setSelectionRange(skipped + start, skipped + end);
  }
}

/** The values of arguments. Integers beyond 2^53 become strings, which the service reads as integers. */
function argumentsOf(text) {
  const args = parsed(text ?? '', 'Arguments', exactly);
  if (args !== undefined && !Array.isArray(args)) throw new Error('Arguments: a JSON array is expected, such as ["FR", 3].');
  return args;
}

/** The request of a query, with its line for the client. */
function requestOf({class: name, filter, args: argumentText, limit, ...terms}) {
  const args = argumentsOf(argumentText);
  const path = `/v1/classes/${encodeURIComponent(name)}`;
  const explain = seesPlans() || undefined;
  if (terms.op === undefined) {
    const query = {filter, args, ...terms, limit: limit && Number(limit)};
    return {
      method: 'POST', path: `${path}/query`, body: {...query, explain},
      client: `await db.class(${literal(name)}).query(${literal(query)})`};
  }
  const parameters = new URLSearchParams(Object.entries({...terms, filter, explain}).filter(([, value]) => value !== undefined));
  for (const value of args ?? []) parameters.append('arg', JSON.stringify(value));
  if (terms.by && limit) parameters.set('limit', limit);
  return sameRequest('GET', `${path}/aggregate?${parameters}`);
}

function resultElements(body, storedClass, terms, milliseconds) {
  const {next, explain, ...rest} = body;
  const isList = terms.op === undefined;
  const rows = isList ? rest.objects : rest.groups ?? [{by: {}, ...rest}];
  const name = isList ? 'object' : 'group';
  const open = isList && terms.args === undefined && terms.distinct === undefined && h('a', {
    href: address('class', storedClass.name, {filter: terms.filter, sort: terms.sort})}, 'Open in the table');
  return [
    h('p', {role: 'status'},
      (isList || rest.groups) && [
        `${grouped(rows.length)} ${name}${rows.length === 1 ? '' : 's'}`, next !== undefined && ', and there are more',
        isList && rest.count !== undefined && `, ${grouped(rest.count)} in all`, '. '],
      `The reply took ${duration(milliseconds * 1000)}, including the network. `, open),
    explain && planElement(explain),
    h('h2', {}, 'Result'),
    isList ? objectTable(rows, storedClass) : groupTable(rows),
  ].filter(Boolean);
}

/** A time in microseconds with a unit that suits it. */
function duration(microseconds) {
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
  return microseconds < 1e6 ? `${(microseconds / 1000).toFixed(1)} ms` : `${(microseconds / 1e6).toFixed(2)} s`;
}

/** The plan with the time of each step. */
function planElement({plan, indexes, rowsRead, entriesRead, rowsReturned, steps}) {
  const total = steps.reduce((sum, {microseconds}) => sum + microseconds, 0);
  const figures = [
    ['Objects read', rowsRead], ['Index entries read', entriesRead], ['Objects returned', rowsReturned]]
    .filter(([, number]) => number !== undefined);
  return h('section', {className: 'plan', 'aria-label': 'Plan'}, h('h2', {}, 'Plan'),
    h('p', {}, h('strong', {}, plan), indexes.length > 0 && h('span', {}, ' – indexes: ', indexes.join(', '))),
    h('p', {}, figures.map(([name, number], index) => [index > 0 && ' · ', `${name}: ${grouped(number)}`])),
    rowsRead > 1000 && rowsRead > 100 * rowsReturned && h('p', {}, 'The service read many objects for few results. An index on ',
      'the property that distinguishes the results makes the query faster.'),
    h('div', {className: 'steps'}, table('Steps of the plan', ['Step', numberHead('Objects'), numberHead('Time'), 'Share'], [
      ...steps.map(({name, rows, microseconds}) => [
        name, number(grouped(rows)), number(duration(microseconds)), stepBar(total ? microseconds / total : 0)]),
      [h('th', {scope: 'row'}, 'Together'), '', number(duration(total)), '']])));
}

const numberHead = text => h('th', {scope: 'col', className: 'number'}, text);
const number = text => h('td', {className: 'number'}, text);

function stepBar(share) {
  const bar = h('div', {className: 'step-bar', role: 'img', 'aria-label': `${Math.round(share * 100)} %`});
  bar.style.width = `${share * 100}%`;
  return bar;
}

/** The objects with a column for each member. Keys lead to their objects. */
function objectTable(objects, storedClass) {
  const names = [...new Set(objects.flatMap(object => Object.keys(object)))];
  if (objects.length === 0) return h('p', {}, 'No object matches.');
  return h('div', {className: 'rows'}, table('Objects', names, objects.map(object => names.map(name => {
    const value = object[name];
    const property = storedClass.property(name);
    const target = name === storedClass.keyName ? storedClass : property?.type === 'object' && storedClass.target(property);
    if (target && value !== null && typeof value !== 'object' && value !== undefined) {
      return h('a', {href: address('object', target.name, `${value}`)}, `${value}`);
    }
    return valueCell(value);
  }))));
}

function groupTable(groups) {
  if (groups.length === 0) return h('p', {}, 'There are no groups.');
  const [{by, ...first}] = groups;
  const names = [...Object.keys(by), ...Object.keys(first)];
  return h('div', {className: 'rows'}, table('Groups', names, groups.map(({by: values, ...rest}) => [
    ...Object.values(values), ...Object.values(rest)].map(valueCell))));
}

/** The longest text of a value in a cell. */
const textMaximum = 200;

function valueCell(value) {
  if (typeof value === 'number') return number(`${value}`);
  if (value === undefined) return '';
  if (value === null) return h('small', {}, 'null');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > textMaximum ? `${text.slice(0, textMaximum)} …` : text;
}
