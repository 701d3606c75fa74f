/** The field for a filter: one line with completion of names, operators and functions, and marks at faults. */
import {h} from '../frame/elements.js';
import {loadCodeMirror} from '../frame/libraries.js';
import {typeText} from '../frame/schema.js';

const operators = [
  ['==', 'equal'], ['!=', 'not equal'], ['<', 'less'], ['<=', 'at most'], ['>', 'greater'], ['>=', 'at least'],
  ['IN', 'one of {…} or of a collection'], ['BETWEEN {', 'both bounds included'],
  ['BEGINSWITH', ''], ['BEGINSWITH[c]', 'any case'],
  ['CONTAINS', ''], ['CONTAINS[c]', 'any case'], ['ENDSWITH', ''], ['LIKE', '* any run, ? one character'],
  ['MATCHES', 'regular expression'], ['TEXT', 'words'], ['geoWithin', 'points in a region'], ['AND', ''], ['OR', '']];
const starts = [
  ['ANY', 'of the elements'], ['ALL', ''], ['NONE', ''], ['NOT', ''], ['SUBQUERY(', 'path, $x, $x.… == …).@count > 0'],
  ['TRUEPREDICATE', 'all objects'], ['FALSEPREDICATE', 'no objects'], ['true', ''], ['false', ''], ['null', ''],
  ['now()', 'the time'],
  ['obj(', '"Class", key)'], ['uuid(', ''], ['oid(', 'an objectId'], ['@links.', 'objects that link here']];
const ends = [['SORT(', 'path ASC, path DESC)'], ['DISTINCT(', 'path)'], ['LIMIT(', 'number)']];
const regions = [
  ['geoBox(', '[lon, lat], [lon, lat])'], ['geoCircle(', '[lon, lat], radians)'], ['geoPolygon(', '{[lon, lat], …})']];
const ofMany = [
  ['@count', 'number of elements'], ['@min', ''], ['@max', ''], ['@sum', ''], ['@avg', '']];
const ofMaps = [['@keys', ''], ['@values', '']];

const keywords = new Set(('and or not in any some all none between beginswith endswith contains like matches text geowithin sort '
  + 'distinct limit asc desc ascending descending subquery obj uuid oid bin binary geobox geocircle geopolygon').split(' '));
const atoms = new Set(['true', 'false', 'null', 'nil', 'truepredicate', 'falsepredicate', 'inf', 'infinity', 'nan']);

/** The mode of the query language, which colours it. */
const mode = () => ({token(stream) {
  if (stream.eatSpace()) return null;
  if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return 'string';
  if (stream.match(/^\d{4}-\d\d-\d\d[T@]\d\d:\d\d:\d\d(?:[.:]\d+)?(?:Z|[+-]\d\d:\d\d)?/i)) return 'atom';
  if (stream.match(/^T\d+:\d+/)) return 'atom';
  if (stream.match(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i)) return 'number';
  const word = stream.match(/^[@$\p{L}_][\p{L}\p{N}_$-]*/u);
  if (!word) {
    stream.next();
    return null;
  }
  const name = word[0].toLowerCase();
  if (name.startsWith('@')) return 'keyword';
  return keywords.has(name) ? 'keyword' : atoms.has(name) ? 'atom' : 'variable';
}});

/** The name of a step of a path, without an index and the escapes of blanks. */
const nameOf = step => step.replace(/\[.*$/, '').replaceAll('\\ ', ' ');

/** The class that a path leads to, and the property at its end if that is a value. */
function resolve(schema, stored, steps) {
  let property;
  for (let index = 0; index < steps.length; index++) {
    const step = nameOf(steps[index]);
    if (step === '@links') {
      const origin = schema.class(steps[index + 1]);
      stored = steps[index + 2] === undefined ? undefined : origin;
      property = undefined;
      if (!stored) return {links: origin ?? true};
      index += 2;
      continue;
    }
    property = stored?.property(step);
    stored = property && stored.target(property);
  }
  return {stored, property};
}

/** The names that may follow the dots of a path. */
function membersOf(schema, start, steps) {
  const {stored, property, links} = resolve(schema, start, steps);
  if (links === true) return schema.objects.map(({name}) => [name, 'class that links here']);
  if (links) return links.stored.filter(one => links.target(one)).map(one => [one.name, typeText(one)]);
  const isMany = ['list', 'set', 'map', 'linkingObjects'].includes(property?.type);
  return [
    ...stored ? stored.properties.map(one => [one.name.replaceAll(' ', '\\ '), typeText(one)]) : [],
    ...isMany ? ofMany : property?.type === 'string' || property?.type === 'data' ? [['@count', 'bytes']] : [],
    ...property?.type === 'map' ? ofMaps : [], ...property?.type === 'mixed' ? [['@type', 'kind of the value'], ...ofMany] : [],
    ...stored ? [['@links', 'objects that link here']] : []];
}

/** The class of a variable of SUBQUERY that the text before the cursor declares. */
function classOfVariable(schema, stored, text, name) {
  const all = [...text.matchAll(/SUBQUERY\s*\(\s*([^\s,]+)\s*,\s*(\$[\p{L}\p{N}_-]+)/giu)];
  const declared = all.findLast(found => found[2] === name);
  return declared && resolve(schema, stored, declared[1].split('.')).stored;
}

/** A path at the end of a text, with the beginning of its last step. */
const step = String.raw`[$@\p{L}_](?:[\p{L}\p{N}_$@-]|\\ )*`;
const pathAtEnd = new RegExp(String.raw`(?:${step}(?:\[[^\]]*\])?\.)*(?:${step})?$`, 'u');

/** The names that may stand at the end of a text, with the text that they complete. */
function completions(schema, stored, text) {
  const path = text.match(pathAtEnd)[0];
  const steps = path.split('.');
  const begun = steps.pop();
  const before = text.slice(0, text.length - path.length);
  let start = stored;
  if (steps[0]?.startsWith('$')) start = classOfVariable(schema, stored, before, steps.shift());
  let list;
  if (path.includes('.')) list = membersOf(schema, start, steps);
  else if (/geoWithin\s+$/i.test(before)) list = regions;
  else {
    const isAfterValue = /[\p{L}\p{N}_"'})\]]\s+$/u.test(before)
      && !/(?:\b(?:and|or|not|in|any|all|none|some|between|beginswith|contains|endswith|like|matches|text)|\])\s+$/i.test(before);
    const names = membersOf(schema, stored, []).filter(([name]) => !name.startsWith('@'));
    list = isAfterValue ? [...operators, ...ends] : [...names, ...starts];
    if (begun && !isAfterValue) list = [...list, ...operators.filter(([name]) => /^[A-Z]/.test(name)), ...ends];
  }
  const found = list.filter(([name]) => name.toLowerCase().startsWith(begun.toLowerCase()));
  return {begun, list: found.length === 1 && found[0][0] === begun ? [] : found};
}

/** The completions at the cursor, in the form of CodeMirror. */
function hints(CodeMirror, schema, stored, editor) {
  const cursor = editor.getCursor();
  const {begun, list} = completions(schema, stored, editor.getLine(cursor.line).slice(0, cursor.ch));
  return {
    from: CodeMirror.Pos(cursor.line, cursor.ch - begun.length), to: cursor,
    list: list.map(([text, note]) => ({text, render: item => item.append(text, h('small', {}, note))}))};
}

/**
 * Makes the field. `apply(text)` is called at Enter, and `changed()` after each edit. Resolves with `{element, value,
 * showFault(error), focus()}`. `showFault` marks the place that an error of the service names. Without an error it removes the
 * mark.
 */
export async function filterBox({schema, stored, value = '', apply, changed = () => {}, label = 'Filter'}) {
  const CodeMirror = await loadCodeMirror();
  CodeMirror.defineMode('holdfast-filter', mode);
  const element = h('div', {className: 'filter-box'});
  const editor = CodeMirror(element, {
    value, mode: 'holdfast-filter', screenReaderLabel: `${label} of ${stored.name}`, lineWrapping: true, matchBrackets: true,
    viewportMargin: Infinity, hintOptions: {completeSingle: false, hint: one => hints(CodeMirror, schema, stored, one)},
    extraKeys: {
      Enter: () => apply(editor.getValue().trim()), 'Ctrl-Space': 'autocomplete', Tab: false, 'Shift-Tab': false}});
  editor.on('beforeChange', (_, change) => {
    if (change.text.length > 1) change.update?.(change.from, change.to, [change.text.join(' ')]);
  });
  editor.on('change', changed);
  editor.on('inputRead', (_, {text}) => {
    if (/[\p{L}_.@]$/u.test(text[0]) && !isInString(editor)) editor.showHint();
  });
  // A field in a box that is shown later has no size before.
  requestAnimationFrame(() => editor.refresh());
  return {
    element,
    get value() { return editor.getValue().trim(); },
    set value(text) { editor.setValue(text); },
    focus: () => editor.focus(),
    showFault(error) {
      for (const mark of editor.getAllMarks()) mark.clear();
      for (const fault of error?.errors ?? []) {
        if (fault.column && (fault.pointer === '/filter' || fault.parameter === 'filter')) markColumn(editor, fault.column);
      }
    }};
}

/** Whether the cursor stands in a string, where names are not completed. */
const isInString = editor => editor.getTokenTypeAt(editor.getCursor()) === 'string';

/** Marks the word that begins at a column, which counts characters from 1. */
function markColumn(editor, column) {
  const text = editor.getValue();
  const start = [...text].slice(0, column - 1).join('').length;
  const word = text.slice(start).match(/^(?:[@$\p{L}\p{N}_.-]+|.)/u)?.[0] ?? '';
  // A fault at the end is marked at the last character.
  const from = word ? start : Math.max(0, text.length - 1);
  editor.markText({line: 0, ch: from}, {line: 0, ch: word ? start + word.length : text.length}, {className: 'filter-fault'});
}
