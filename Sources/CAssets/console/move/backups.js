/** The backups of the store. */
import {bytes, button, confirmed, h, notify} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {db, isAdmin} from '../frame/session.js';
import {progressLine} from './progress.js';
import {download, save} from '../frame/transfer.js';

/** When a backup was made, which its name says. */
function timeOf(name) {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? [];
  const [year, month, day, ...time] = parts;
  return year ? new Date(`${year}-${month}-${day}T${time.join(':')}Z`) : null;
}

const pathOf = name => `/v1/backups/${encodeURIComponent(name)}`;

/** Shows the backups, which are made, fetched and deleted. */
export async function showBackups(main, signal) {
  if (!isAdmin()) return main.append(h('p', {}, 'Backups need the right admin, because they have everything.'));
  const [list, progress, lines] = [h('div'), progressLine(signal), requestLines()];
  const load = async () => {
    const {body} = await db.request('GET', '/v1/backups', {signal});
    const isEmpty = body.backups.length === 0;
    list.replaceChildren(isEmpty ? h('p', {}, 'The service has no backups.') : tableOf([...body.backups].reverse()));
  };
  const fetchOne = ({name, bytes: size}) => progress.during(`Fetching ${name}`, async ({signal: own, show}) => {
    save(await download(pathOf(name), {signal: own, onProgress: loaded => show(loaded, size)}), name);
  });
  const remove = async ({name}) => {
    if (!await confirmed('Delete a backup', `${name} is deleted for good.`, 'Delete')) return;
    await db.request('DELETE', pathOf(name));
    notify('The backup is deleted.');
    await load();
  };
  const tableOf = backups => h('div', {className: 'scroller'}, h('table', {},
    h('thead', {}, h('tr', {}, ['Made', 'Size', 'Version', 'Name', 'Actions'].map(
      (head, index) => h('th', {scope: 'col', className: index === 1 ? 'number' : ''}, head)))),
    h('tbody', {}, backups.map(backup => h('tr', {},
      h('td', {}, timeOf(backup.name)?.toLocaleString() ?? ''), h('td', {className: 'number'}, bytes(backup.bytes)),
      h('td', {}, h('code', {}, backup.version)), h('td', {}, h('code', {}, backup.name)),
      h('td', {className: 'acts'},
        button('Download', () => fetchOne(backup), {'aria-label': `Download ${backup.name}`}),
        button('Delete', () => remove(backup), {'aria-label': `Delete ${backup.name}`, className: 'danger'})))))));
  const make = () => progress.during('Making a backup', async ({signal: own}) => {
    const {body} = await db.request('POST', '/v1/backups', {signal: own});
    notify(`A backup of ${bytes(body.bytes)} is made.`);
    await load();
  });
  lines.show({path: '/v1/backups'}, {method: 'POST', path: '/v1/backups'});
  main.append(
    h('p', {}, 'A backup is an exact copy of the store with its access document, tokens and accounts. It stays in the '
      + 'service’s directory. ', h('code', {}, 'holdfast restore --data NEWDIR NAME'), ' makes a store of it.'),
    h('p', {className: 'bar'}, button('Make a backup', make, {className: 'primary'})), progress.element, list, lines.element);
  await load();
}
