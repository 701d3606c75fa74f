/** The frame of the console: sign-in, the way from addresses to views, and the list of classes. */
import {attempt, button, clearNotice, faults, field, grouped, h} from './frame/elements.js';
import {classCounts, loadSchema} from './frame/schema.js';
import {caller, db, enter, isAdmin, isOpen, look, signOut, useToken} from './frame/session.js';

/** The views by the first part of the address behind `#/`. Each is loaded when it is first shown. */
const views = {
  '': () => import('./data/overview.js'),
  class: () => import('./data/table.js'),
  object: () => import('./data/object.js'),
  schema: () => import('./schema/schema.js'),
  move: () => import('./move/move.js'),
  access: () => import('./access/access.js'),
  query: () => import('./query/query.js'),
  changes: () => import('./query/changes.js'),
  figures: () => import('./figures/figures.js'),
};
/** The rooms with their names, and the callers that they are for: everybody, tokens without a user, or administrators. */
const rooms = [
  ['', 'Data', () => true], ['schema', 'Schema', () => !caller().user], ['move', 'Move', () => !caller().user],
  ['access', 'Access', isAdmin], ['query', 'Query', () => true], ['changes', 'Changes', () => !caller().user],
  ['figures', 'Figures', isAdmin]];

const [main, account, roomList, classList] = ['#main', '#account', '#rooms', '#classes'].map(
  name => document.querySelector(name));

/** The address of a view: `address('class', 'City', {filter: '…'})`. */
export function address(...parts) {
  const query = typeof parts.at(-1) === 'object' ? parts.pop() : {};
  const members = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(members).toString();
  return `#/${parts.map(part => encodeURIComponent(part)).join('/')}${search && `?${search}`}`;
}

/** A part of an address; the text itself if it is not encoded as addresses are. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parts and the query of the present address. */
export function place() {
  const [path, search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {parts: path.split('/').map(decoded), query: Object.fromEntries(new URLSearchParams(search))};
}

/** Puts another query into the address without showing the view again. */
export function remember(query) {
  history.replaceState(null, '', address(...place().parts, query));
}

let leaving = new AbortController();

/** Shows the view of the address. */
async function show() {
  leaving.abort();
  const {signal} = leaving = new AbortController();
  clearNotice();
  const {parts, query} = place();
  const [room, ...rest] = parts;
  for (const link of roomList.children) {
    const isPresent = link.dataset.room === (['class', 'object'].includes(room) ? '' : room);
    isPresent ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  }
  for (const link of classList.querySelectorAll('a')) {
    link.dataset.class === rest[0] ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current');
  }
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  const content = h('div', {className: 'view'});
  main.replaceChildren(content);
  try {
    if (!Object.hasOwn(views, room)) throw new Error(`The console has no page '${room}'.`);
    const view = await views[room]();
    await view.show(content, {parts: rest, query, signal});
    if (!signal.aborted) document.title = `${content.querySelector('h1')?.textContent ?? 'Console'} – Holdfast`;
  } catch (error) {
    if (!signal.aborted && error.name !== 'AbortError') content.append(faults(error));
  }
}

/** Fills the list of classes with their counts. */
export async function showClasses() {
  const [schema, counts] = await Promise.all([loadSchema(), classCounts()]);
  classList.replaceChildren(h('h2', {}, 'Classes'), h('ul', {}, schema.objects.map(({name}) => h('li', {},
    h('a', {href: address('class', name), 'data-class': name}, name, h('small', {}, grouped(counts.get(name))))))));
}

function showAccount() {
  const name = caller().login ?? caller().user ?? caller().token;
  account.replaceChildren(
    ...isOpen() ? [h('a', {href: address('access')}, 'No tokens yet: open to this machine')] : [
      h('span', {}, `${name ?? ''}${caller().right ? ` (${caller().right})` : ''}`), button('Sign out', signOut)],
    h('a', {href: '/docs/'}, 'Reference'));
}

function showSignIn() {
  const [login, password, token] = [
    h('input', {autocomplete: 'username', required: true}),
    h('input', {type: 'password', autocomplete: 'current-password', required: true}),
    h('input', {type: 'password', autocomplete: 'off', required: true})];
  main.replaceChildren(h('div', {className: 'doors'}, h('h1', {}, 'Sign in'),
    h('form', {onsubmit: attempt(async () => {
      await db.signIn(login.value, password.value);
      location.reload();
    })}, h('h2', {}, 'With an account'), field('Login', login), field('Password', password),
    h('button', {className: 'primary'}, 'Sign in')),
    h('form', {onsubmit: attempt(() => useToken(token.value.trim()))}, h('h2', {}, 'With a token'),
      field('Token', token, 'holdfast token create --data DIR --name NAME --rights admin'),
      h('button', {}, 'Use the token'))));
}

/** Signs in by the link of an address, or looks at the caller and shows the console. */
async function start() {
  try {
    const [room, linkToken] = place().parts;
    if (room === 'enter' && linkToken) return await enter(linkToken);
    if (!await look()) return showSignIn();
    showAccount();
    roomList.replaceChildren(...rooms.filter(([, , isFor]) => isFor()).map(
      ([room, name]) => h('a', {href: address(room), 'data-room': room}, name)));
    await showClasses();
    // The charts begin when the console is opened, and not with the page that shows them.
    if (isAdmin()) import('./figures/samples.js').then(({keepFigures}) => keepFigures());
    await show();
  } catch (error) {
    main.replaceChildren(faults(error));
  }
}

// A link that signs in may also be opened in a tab that has the console.
addEventListener('hashchange', () => {
  if (place().parts[0] === 'enter') start();
  else if (caller()) show();
});
start();
