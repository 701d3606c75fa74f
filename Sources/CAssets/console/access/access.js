/** Access: tokens, accounts, the access document, the rights of a user, and audit lines. */
import {address} from '../console.js';
import {h} from '../frame/elements.js';
import {loadStyle} from '../frame/libraries.js';

const sections = {
  tokens: ['Tokens', () => import('./tokens.js')],
  accounts: ['Accounts', () => import('./accounts.js')],
  rules: ['Rules', () => import('./rules.js')],
  test: ['Test', () => import('./test.js')],
  audit: ['Audit', () => import('./audit.js')],
};

export async function show(main, {parts: [name = 'tokens'], query, signal}) {
  if (!Object.hasOwn(sections, name)) throw new Error(`Access has no section '${name}'.`);
  await loadStyle('access/access.css');
  const content = h('div');
  main.append(
    h('h1', {}, 'Access'),
    h('nav', {className: 'sections', 'aria-label': 'Access'}, Object.entries(sections).map(([section, [title]]) => h('a', {
      href: address('access', section), 'aria-current': section === name ? 'page' : undefined}, title))),
    content);
  await (await sections[name][1]()).show(content, {query, signal});
}
