/** The accounts, and the users that are blocked or signed out. */
import {address} from '../console.js';
import {ask, attempt, button, confirmed, field, h, notify, table, time} from '../frame/elements.js';
import {requestLines, sameRequest} from '../frame/request-lines.js';
import {db, isOpen} from '../frame/session.js';
import {showSecret} from './secret.js';

const pageLength = 50;
const userPath = id => `/v1/access/users/${encodeURIComponent(id)}`;

export async function show(place, {signal}) {
  const lines = requestLines();
  const [accountPlace, userPlace] = [h('div'), h('div')];
  const login = h('input', {type: 'search', autocomplete: 'off'});
  let pages = 1;

  const load = async () => {
    const states = await readStates(signal);
    const {accounts, next} = login.value ? await read({login: login.value}, signal) : await readPages(pages, signal);
    const empty = login.value ? 'No account has this login.' : 'There are no accounts yet.';
    accountPlace.replaceChildren(
      accounts.length ? accountTable(accounts, states, load) : h('p', {}, empty),
      ...next ? [h('p', {}, button('More accounts', () => { pages += 1; return load(); }))] : []);
    userPlace.replaceChildren(userTable(states, load));
  };
  lines.show(
    sameRequest('GET', `/v1/accounts?limit=${pageLength}`),
    sameRequest('POST', '/v1/accounts', {body: {login: 'ann@example.org', password: '…'}}),
    sameRequest('PUT', userPath('ID'), {body: {blocked: true}}), sameRequest('POST', '/v1/accounts/ID/reset-code'),
    sameRequest('DELETE', '/v1/accounts/ID'));
  await load();
  place.append(
    h('p', {className: 'sentence'}, 'With an account, a user of your application signs in by login and password. The account\'s ',
      'id is the user\'s id in rules.'),
    isOpen() ? h('p', {className: 'advice'}, 'From the first account on, each request needs a token. ',
      h('a', {href: address('access', 'tokens')}, 'Create an admin token first'), '.')
      : h('p', {}, button('New account', () => create(load), {className: 'primary'})),
    h('form', {className: 'bar', role: 'search', onsubmit: attempt(load)},
      h('label', {className: 'field'}, h('span', {}, 'Login'), login,
        h('small', {}, 'The whole login, in upper or lower case. Empty: all accounts.')),
      h('button', {}, 'Find')),
    accountPlace, h('h2', {}, 'Blocked and signed-out users'),
    h('p', {className: 'sentence'}, 'This covers all credentials of a user: sessions, JSON Web Tokens and tokens of the store.'),
    userPlace, h('p', {}, button('Add a user by id', () => add(load))), lines.element);
}

async function read(parameters, signal) {
  return (await db.request('GET', `/v1/accounts?${new URLSearchParams(parameters)}`, {signal})).body;
}

async function readPages(count, signal) {
  const all = {accounts: [], next: undefined};
  for (let page = 0; page < count && (page === 0 || all.next); page += 1) {
    const {accounts, next} = await read({limit: pageLength, ...all.next && {cursor: all.next}}, signal);
    all.accounts.push(...accounts);
    all.next = next;
  }
  return all;
}

/** The users that are blocked or signed out, by id. */
async function readStates(signal) {
  const {body: {users}} = await db.request('GET', '/v1/access/users', {signal});
  return new Map(users.map(user => [user.id, user]));
}

/** The state of a user in words. */
function stateWords({blocked, signedInAfter} = {}) {
  const isAhead = signedInAfter && new Date(signedInAfter) > new Date();
  return [
    blocked && h('strong', {className: 'fault-text'}, 'blocked'), blocked && signedInAfter && ', ',
    signedInAfter && [isAhead ? 'may sign in from ' : 'signed out everywhere at ', time(signedInAfter)],
    !blocked && !signedInAfter && 'admitted'];
}

function accountTable(accounts, states, load) {
  return table('Accounts', ['Login and id', 'Created', 'State', 'Actions'], accounts.map(({id, login, created}) => [
    h('th', {scope: 'row'}, login, h('div', {}, h('code', {}, id))), time(created), stateWords(states.get(id)),
    h('div', {className: 'bar row-acts'}, stateButtons(id, login, states.get(id), load),
      button('Reset code', () => reset(id, login), {'aria-label': `Reset code for ${login}`}),
      button('Delete', () => remove(id, login, load), {className: 'danger', 'aria-label': `Delete ${login}`}))]));
}

function userTable(states, load) {
  if (states.size === 0) return h('p', {}, 'No user is blocked or signed out.');
  return table('Blocked and signed-out users', ['User', 'State', 'Actions'], [...states.values()].map(state => [
    h('th', {scope: 'row'}, h('code', {}, state.id)), stateWords(state),
    h('div', {className: 'bar row-acts'}, stateButtons(state.id, state.id, state, load))]));
}

function stateButtons(id, name, state, load) {
  const set = change => async () => {
    await setState(id, change);
    await load();
  };
  const blocking = async () => {
    const text = 'The user is refused with any credentials. Everything that the user has begun ends within two seconds.';
    if (await confirmed(`Block ${name}?`, text, 'Block')) await set({blocked: true})();
  };
  const signingOut = async () => {
    const text = 'All sessions end within two seconds. JSON Web Tokens and tokens of the store that were issued to the user ' +
      'before now are refused.';
    if (await confirmed(`Sign ${name} out everywhere?`, text, 'Sign out')) await set({signedInAfter: 'now'})();
  };
  return [
    state?.blocked ? button('Unblock', set({blocked: false}), {'aria-label': `Unblock ${name}`})
      : button('Block', blocking, {'aria-label': `Block ${name}`}),
    button('Sign out', signingOut, {'aria-label': `Sign ${name} out everywhere`}),
    state?.signedInAfter && button('Clear time', set({signedInAfter: undefined}), {
      'aria-label': `Accept earlier credentials of ${name}`}),
    h('a', {className: 'button', href: address('access', 'test', {user: id}), 'aria-label': `Test the rights of ${name}`}, 'Test')];
}

/** Changes a part of a user's state and keeps the rest. The time `now` is the service's. */
async function setState(id, change) {
  const {body, headers} = await db.request('GET', userPath(id));
  const next = {blocked: body.blocked, signedInAfter: body.signedInAfter, ...change};
  if (next.signedInAfter === 'now') {
    next.signedInAfter = new Date(headers.get('Date') ?? Date.now()).toISOString().replace(/\.\d+Z/, 'Z');
  }
  await db.request('PUT', userPath(id), {body: next});
}

async function create(load) {
  const login = h('input', {required: true, maxLength: 255, autocomplete: 'off'});
  const password = h('input', {type: 'password', required: true, minLength: 8, maxLength: 1024, autocomplete: 'new-password'});
  const made = await ask('New account', [
    field('Login', login, 'Such as an e-mail address.'), field('Password', password, 'At least 8 characters.')],
  {confirm: 'Create', act: async () => (
    await db.request('POST', '/v1/accounts', {body: {login: login.value, password: password.value}})).body});
  if (!made) return;
  notify(`The account ${made.login} has the id ${made.id}.`);
  await load();
}

async function reset(id, login) {
  const {body: {code, expires}} = await db.request('POST', `/v1/accounts/${id}/reset-code`);
  await showSecret(`A code that resets the password of ${login}`, 'Code', code,
    `It works once, until ${new Date(expires).toLocaleString()}. A code from before is void.`,
    'The service sends no mail: deliver the code to the user. Your application sends it with a new password to ' +
    '/v1/password-resets.');
}

async function remove(id, login, load) {
  const text = 'Its sessions end. The user\'s objects and the user\'s tokens of the store stay. To end these tokens too, block ' +
    'the user.';
  if (!await confirmed(`Delete the account ${login}?`, text, 'Delete')) return;
  await db.request('DELETE', `/v1/accounts/${id}`);
  notify(`The account ${login} is deleted.`);
  await load();
}

async function add(load) {
  const id = h('input', {required: true, maxLength: 255, autocomplete: 'off'});
  const change = h('select', {}, h('option', {value: 'block'}, 'Block'), h('option', {value: 'sign-out'}, 'Sign out everywhere'));
  const isDone = await ask('A user by id', [
    field('User', id, 'The id as rules see it: of an account, or the `sub` of a JSON Web Token.'), field('Change', change)],
  {confirm: 'Change', act: async () => {
    await setState(id.value, change.value === 'block' ? {blocked: true} : {signedInAfter: 'now'});
    return true;
  }});
  if (isDone) await load();
}
