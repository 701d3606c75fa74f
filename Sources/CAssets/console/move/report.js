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

/** The faults with equal place and code, the most frequent first. */
function groupsOf(faults, columns) {
  const groups = new Map();
  for (const fault of faults) {
    const place = placeOf(fault, columns);
    const key = JSON.stringify([place, fault.code]);
    if (!groups.has(key)) groups.set(key, {place, code: fault.code, faults: []});
    groups.get(key).faults.push(fault);
  }
  return [...groups.values()].sort((one, other) => other.faults.length - one.faults.length);
}

/** The line numbers of faults as a sentence part. */
const linesText = faults => {
  const lines = faults.map(fault => fault.line).filter(Boolean);
  const more = lines.length > lineCountMax ? ` and ${grouped(lines.length - lineCountMax)} more` : '';
  return lines.slice(0, lineCountMax).map(grouped).join(', ') + more;
};

const faultFile = faults => new Blob(
  [recordText(['line', 'column', 'pointer', 'code', 'detail', 'hint']),
    ...faults.map(({line, column, pointer, code, detail, hint}) => recordText([line, column, pointer, code, detail, hint]))],
  {type: 'text/csv'});

function faultTable(faults, columns) {
  const rows = groupsOf(faults, columns).map(group => {
    const [first] = group.faults;
    return h('tr', {},
      h('th', {scope: 'row'}, group.place || 'the whole line'), h('td', {className: 'number'}, grouped(group.faults.length)),
      h('td', {}, first.detail, first.hint && h('small', {}, ` Meant: ${first.hint}`)), h('td', {}, linesText(group.faults)));
  });
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
      ` in ${seconds.toFixed(1)} s.`,
      ignored !== undefined && ` ${grouped(ignored)} were there already.`,
      unknownMembers > 0 && ` ${grouped(unknownMembers)} values of unknown members were left out.`),
    !isWhole && h('p', {}, `${grouped(missed)} ${missed === 1 ? 'line was' : 'lines were'} not taken.`,
      failed > errors.length && errors.length > 0 && ` The table has the first ${grouped(errors.length)} faults.`),
    faults.length > 0 && faultTable(faults, columns),
    h('p', {className: 'bar'},
      name && imported > 0 && h('a', {href: address('class', name)}, `Show the objects of ${name}`),
      faults.length > 0 && button('Save the faults as CSV', () => save(faultFile(faults), 'faults.csv'))));
}
