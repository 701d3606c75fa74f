/** The newest audit lines: the changes of tokens, users, accounts, the access document, the schema and projections. */
import {button, h, table, time} from '../frame/elements.js';
import {requestLines, sameRequest} from '../frame/request-lines.js';
import {db} from '../frame/session.js';

const path = '/v1/audit';

/** Words for the principals that have no name. */
const principals = {everybody: 'open store', nobody: 'no token'};

/** The members of a line beside its time, as the cells of a row. */
const cellsOf = ({time: at, operation, path: target, token, account, principal, client, requestId}) => [
  at ? time(at) : '', operation, h('code', {}, target ?? ''), token ?? account ?? '', principals[principal] ?? principal, client ?? '',
  h('small', {}, requestId ?? '')];

export async function show(place, {signal}) {
  const lines = requestLines();
  lines.show(sameRequest('GET', path));
  const list = h('div', {'aria-live': 'polite'});
  const load = async () => {
    const {body} = await db.request('GET', path, {signal});
    list.replaceChildren(body.lines.length === 0 ? h('p', {}, 'Nothing was changed since the service started.') : table(
      'Audit lines, the newest first', ['Time', 'Operation', 'Path', 'Token or account', 'By', 'Client', 'Request'],
      body.lines.map(cellsOf)));
  };
  place.append(
    h('p', {className: 'sentence'}, 'The newest 200 changes of tokens, users, accounts, the access document, the schema and ',
      'projections since the service started. The log of the service has all of them.'),
    h('p', {className: 'bar'}, button('Read again', load)), list, lines.element);
  await load();
}
