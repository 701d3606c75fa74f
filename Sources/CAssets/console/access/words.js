/** An access document in words. */
import {h, table} from '../frame/elements.js';

const rights = {
  none: 'hidden', read: 'can be read', create: 'can be set at creation and read', write: 'can be read and written'};

/** A condition on objects in words. */
function condition(rule) {
  if (rule === undefined) return h('small', {}, 'no');
  if (rule === true) return 'all objects';
  return ['if ', h('code', {}, rule)];
}

function update(rule) {
  if (rule === null || typeof rule !== 'object') return condition(rule);
  return [h('div', {}, 'before: ', condition(rule.before)), h('div', {}, 'after: ', condition(rule.after))];
}

function scope({for: audience, when}) {
  return [
    audience === 'anyone' ? 'every request, also without a user' : 'each user',
    when !== undefined && [' with ', h('code', {}, when)]];
}

/** The meaning of a document as elements. */
export function words({roles, users, signUp}) {
  const rows = Object.entries(roles).flatMap(([role, terms]) => {
    const classes = Object.entries(terms.classes ?? {});
    const span = Math.max(1, classes.length);
    const head = [
      h('th', {scope: 'rowgroup', rowSpan: span}, role), h('td', {rowSpan: span}, scope(terms))];
    if (classes.length === 0) return [[...head, h('td', {colSpan: 6}, 'The role allows nothing.')]];
    return classes.map(([name, rules], index) => [...index === 0 ? head : [], ...ruleCells(name, rules)]);
  });
  return h('div', {},
    h('p', {className: 'sentence'},
      'A user may do everything that at least one of the user\'s roles allows. An action without a rule is not allowed.',
      users && [' The objects of the users are in the class ', h('strong', {}, users), ', each with the user\'s id as its key.'],
      signUp && ' Anyone may create an account.'),
    rows.length ? table('The rules in words', ['Role', 'For', 'Class', 'Read', 'Create', 'Update', 'Delete', 'Properties'], rows)
      : h('p', {}, 'The document has no roles, so users may do nothing.'));
}

function ruleCells(name, rules) {
  const properties = Object.entries(rules.properties ?? {});
  return [
    h('td', {}, name === '*' ? 'each other class' : name), condition(rules.read), condition(rules.create), update(rules.update),
    condition(rules.delete),
    properties.length ? properties.map(([property, right]) => h('div', {}, `${property} ${rights[right] ?? right}`)) : ''];
}
