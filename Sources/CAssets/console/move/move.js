/** Data on its way into the store and out of it: imports, exports and backups. */
import {address} from '../console.js';
import {h} from '../frame/elements.js';
import {caller, isAdmin} from '../frame/session.js';
import {showBackups} from './backups.js';
import {showExport} from './export.js';
import {ImportView} from './import.js';
import {loadExactSchema} from '../schema/exact.js';
import {loadStyle} from '../frame/libraries.js';

const ways = [['', 'Import', 'Import a file'], ['export', 'Export', 'Export'], ['backups', 'Backups', 'Backups']];

export async function show(main, {parts, query, signal}) {
  const [present = ''] = parts;
  const [, , title] = ways.find(([way]) => way === present) ?? [];
  if (!title) throw new Error(`There is no page 'move/${present}'.`);
  const [schema] = await Promise.all([loadExactSchema(), loadStyle('schema/schema.css'), loadStyle('move/move.css')]);
  const content = h('div', {});
  main.append(h('h1', {}, title),
    h('nav', {className: 'ways', 'aria-label': 'Ways to move data'}, ways.filter(([way]) => isAdmin() || way !== 'backups').map(
      ([way, text]) => h('a', {href: address('move', ...way ? [way] : []), 'aria-current': way === present ? 'page' : undefined},
        text))),
    content);
  if (present === 'backups') await showBackups(content, signal);
  else if (present === 'export') await showExport(content, {schema, query, signal});
  else if (caller().right === 'read') content.append(h('p', {}, 'Your token may only read. Imports need the right write.'));
  else new ImportView(content, {schema, query, signal}).start();
}
