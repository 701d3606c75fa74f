/** The result of an import: its objects, and the faults by column and kind. */
import {address} from '../console.js';
import {button, grouped, h} from '../frame/elements.js';
import {recordText} from './csv.js';
import {save} from '../frame/transfer.js';

const lineCountMax = 8;

/** The column or member of a fault. */
function placeOf(fault, columns) {
  const member = fault.pointer?.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  return /column '(.+?)':/.exec(fault.detail)?.[1] ?? member ?? (fault.column && columns[fault.column - 1]) ?? '';
}

/**
 * The groups of equal faults that a report has, the largest first, with the `faults` of each that the report lists. `before` has
 * the faults of objects that were not sent.
 */
function groupsOf({groups = [], errors}, before) {
  const unsent = before.length > 0 ? [{...before[0], lines: before.length, faults: []}] : [];
  const listed = groups.map(group => ({...group, faults: errors.filter(
    fault => fault.code === group.code && fault.column === group.column && fault.pointer === group.pointer)}));
  return [...unsent, ...listed].sort((one, other) => other.lines - one.lines);
}

/** The line numbers of a group as a sentence part. */
function linesText({lines: count, line, faults}) {
  const lines = [...new Set([line, ...faults.map(fault => fault.line)])].filter(Boolean).slice(0, lineCountMax);
  const more = count > lines.length && lines.length > 0 ? ` and ${grouped(count - lines.length)} more` : '';
  return lines.map(grouped).join(', ') + more;
}

const faultFile = faults => new Blob(
  [recordText(['line', 'column', 'pointer', 'code', 'detail', 'hint']),
    ...faults.map(({line, column, pointer, code, detail, hint}) => recordText([line, column, pointer, code, detail, hint]))],
  {type: 'text/csv'});

function faultTable(groups, columns) {
  const rows = groups.map(group => h('tr', {},
    h('th', {scope: 'row'}, placeOf(group, columns) || 'the whole line'), h('td', {className: 'number'}, grouped(group.lines)),
    h('td', {}, group.detail, group.hint && h('small', {}, ` Meant: ${group.hint}`)), h('td', {}, linesText(group))));
  return h('div', {className: 'scroller'}, h('table', {},
    h('thead', {}, h('tr', {}, ['Column', 'Faults', 'The first one', 'Lines'].map(
      (head, index) => h('th', {scope: 'col', className: index === 1 ? 'number' : ''}, head)))),
    h('tbody', {}, rows)));
}

/** The report of an import. `columns` are the names of a CSV file's columns; `name` is the class, if there is one. */
export function reportOf(report, {columns = [], name, seconds, before = []}) {
  const {imported, failed, ignored, unknownMembers, errors} = report;
  const faults = [...before, ...errors];
  const missed = failed + before.length;
  const isWhole = missed === 0;
  return h('section', {className: `report ${isWhole ? '' : 'partly'}`, tabIndex: -1, 'aria-label': 'Result of the import'},
    h('h2', {}, 'Result'),
    h('p', {}, h('strong', {}, `${grouped(imported)} ${imported === 1 ? 'object' : 'objects'} imported`),
      ` in ${seconds < 0.1 ? 'less than 0.1' : seconds.toFixed(1)} s.`,
      ignored !== undefined && ` ${grouped(ignored)} were there already.`,
      unknownMembers > 0 && ` ${grouped(unknownMembers)} values of unknown members were left out.`),
    !isWhole && h('p', {}, `${grouped(missed)} ${missed === 1 ? 'line was' : 'lines were'} not taken.`,
      failed > errors.length && errors.length > 0 && ` The file of faults has the first ${grouped(errors.length)}.`),
    faults.length > 0 && faultTable(groupsOf(report, before), columns),
    h('p', {className: 'bar'},
      name && imported > 0 && h('a', {href: address('class', name)}, `Show the objects of ${name}`),
      faults.length > 0 && button('Save the faults as CSV', () => save(faultFile(faults), 'faults.csv'))));
}
