/** The tokens of the store. */
import {ask, button, confirmed, field, h, notify, table, time} from '../frame/elements.js';
import {requestLines, sameRequest} from '../frame/request-lines.js';
import {loadSchema} from '../frame/schema.js';
import {caller, db, isOpen, signOut, useToken} from '../frame/session.js';
import {parsed} from '../frame/json.js';
import {showSecret} from './secret.js';
import {localTime, utcTime} from '../frame/times.js';

const rights = {
  metrics: 'metrics: read the figures',
  read: 'read: also read objects, the schema and changes',
  write: 'write: also change objects',
  admin: 'admin: also change the schema and access, back up and restore',
};
const pathOf = name => `/v1/tokens/${encodeURIComponent(name)}`;

export async function show(place, {signal}) {
  const lines = requestLines();
  const list = h('div');
  const load = async () => {
    const {body: {tokens}} = await db.request('GET', '/v1/tokens', {signal});
    list.replaceChildren(tokens.length ? tokenTable(tokens, load) : h('p', {}, 'The store has no tokens.'));
  };
  lines.show(
    sameRequest('GET', '/v1/tokens'), sameRequest('POST', '/v1/tokens', {body: {name: 'reports', right: 'read'}}),
    sameRequest('PATCH', '/v1/tokens/reports', {body: {right: 'write'}}), sameRequest('DELETE', '/v1/tokens/reports'));
  await load();
  place.append(h('div', {},
    h('p', {className: 'sentence'},
      'A program sends its token with each request. Give each program its own token, with the least right that it needs. ',
      'Each change of tokens, accounts and rules leaves an audit line in the service\'s log.'),
    isOpen() && h('p', {className: 'advice'}, 'The store is open: each program of this machine may do everything. From the ',
      'first token on, each request needs a token, and the service may also listen on other addresses. The first token has the ',
      'right admin, because only an admin can create more. This console then continues with it.'),
    h('p', {}, button('New token', () => create(load), {className: 'primary'})),
    list, lines.element));
}

function tokenTable(tokens, load) {
  return table('Tokens', ['Name', 'Right', 'User', 'Classes', 'Created', 'Expires', 'Actions'], tokens.map(token => [
    h('th', {scope: 'row'}, token.name, caller()?.token === token.name && h('small', {}, ' this console')),
    token.right,
    [token.user ?? '', hasClaims(token) && h('div', {}, h('code', {}, JSON.stringify(token.claims)))],
    token.classes?.length ? token.classes.join(', ') : 'all',
    time(token.created),
    expiry(token),
    h('div', {className: 'bar'},
      button('Change', () => change(token, load), {'aria-label': `Change ${token.name}`}),
      button('Revoke', () => revoke(token, load), {className: 'danger', 'aria-label': `Revoke ${token.name}`}))]));
}

const hasClaims = ({claims}) => claims !== undefined && Object.keys(claims).length > 0;

function expiry({expires}) {
  if (!expires) return 'never';
  return [time(expires), new Date(expires) <= new Date() && h('small', {className: 'fault-text'}, ' expired')];
}

/** The fields of a token: `elements` for a form, and `terms()` with the values for the service. */
async function terms(token = {}) {
  const names = [...new Set([...(await loadSchema()).objects.map(({name}) => name), ...token.classes ?? []])];
  const right = h('select', {disabled: isOpen()}, Object.entries(rights).map(([value, text]) => h('option', {
    value, selected: value === (isOpen() ? 'admin' : token.right ?? 'read')}, text)));
  const claims = h('textarea', {
    rows: 2, className: 'code', spellcheck: false, value: hasClaims(token) ? JSON.stringify(token.claims) : ''});
  const expires = h('input', {type: 'datetime-local', step: 1, value: token.expires ? localTime(new Date(token.expires)) : ''});
  const boxes = names.map(name => h('input', {type: 'checkbox', value: name, checked: token.classes?.includes(name)}));
  const elements = [
    field('Right', right), field('Expires', expires, 'In your time zone. Empty: never.'),
    field('Claims', claims, 'A JSON object that rules read as $user, such as {"groups": ["editor"]}. Usually only with a user.'),
    names.length > 0 && h('fieldset', {className: 'choices'}, h('legend', {}, 'Only these classes'),
      boxes.map(box => h('label', {}, box, ' ', box.value)),
      h('small', {}, 'Without a choice, all classes. A token for some classes can\'t be admin.'))];
  return {elements, values: () => ({
    right: right.value, claims: parsed(claims.value, 'Claims'), expires: utcTime(expires.value),
    classes: boxes.filter(({checked}) => checked).map(({value}) => value)})};
}

async function create(load) {
  const isFirst = isOpen();
  const name = h('input', {
    required: true, maxLength: 64, pattern: '[A-Za-z0-9._@\\-]+', value: isFirst ? 'admin' : '', autocomplete: 'off'});
  const user = h('input', {maxLength: 255, autocomplete: 'off'});
  const {elements, values} = await terms();
  const made = await ask(isFirst ? 'The first token' : 'New token', [
    field('Name', name, 'Letters, digits and . _ @ -'), elements[0],
    !isFirst && field('User', user, 'The id of the user that the token acts for. Empty: the token is no user\'s.'),
    !isFirst && elements.slice(1)],
  {confirm: 'Create', isWide: true, act: async () => {
    const {classes, ...rest} = values();
    const body = {name: name.value, ...rest, user: user.value || undefined, classes: classes.length ? classes : undefined};
    return (await db.request('POST', '/v1/tokens', {body})).body;
  }});
  if (!made) return;
  await showSecret(`The token '${made.name}'`, 'Token', made.token,
    isFirst ? 'Keep it well: from now on each request needs a token. The console continues with this one until the tab is closed.'
      : 'A request sends it as "Authorization: Bearer …".');
  if (isFirst) await useToken(made.token);
  else await load();
}

async function change(token, load) {
  const {elements, values} = await terms(token);
  const changed = await ask(`Change '${token.name}'`, [
    elements, h('p', {}, 'Requests and streams that need a right that the token loses end within two seconds. If claims or ',
      'classes change, all of them end.')],
  {confirm: 'Change', isWide: true, act: () => {
    const {right, expires, classes, claims = {}} = values();
    const isOther = (one, other) => JSON.stringify(one) !== JSON.stringify(other);
    const body = {
      right: right === token.right ? undefined : right,
      expires: isOther(expires, token.expires ?? null) ? expires : undefined,
      classes: isOther(classes, token.classes ?? []) ? classes : undefined,
      claims: isOther(claims, token.claims ?? {}) ? claims : undefined};
    if (Object.values(body).every(value => value === undefined)) return true;
    return db.request('PATCH', pathOf(token.name), {body});
  }});
  if (changed) await load();
}

async function revoke(token, load) {
  const isOwn = caller()?.token === token.name;
  const text = 'Everything that the token has begun ends within two seconds. It can\'t be restored.' +
    (isOwn ? ' This console uses it and will sign you out.' : '');
  if (!await confirmed(`Revoke '${token.name}'?`, text, 'Revoke')) return;
  await db.request('DELETE', pathOf(token.name));
  if (isOwn) return signOut();
  notify(`'${token.name}' is revoked.`);
  await load();
}
