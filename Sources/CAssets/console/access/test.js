/** A test of the rights of a user. */
import {remember} from '../console.js';
import {attempt, field, h, table, time} from '../frame/elements.js';
import {requestLines, sameRequest} from '../frame/request-lines.js';
import {loadSchema} from '../frame/schema.js';
import {db} from '../frame/session.js';
import {parsed} from '../frame/json.js';

const path = '/v1/access/explain';
const rightWords = {
  none: 'hidden', read: 'may be read', create: 'may be read, and set at creation', write: 'may be read and written'};

/** The key of an object from its text. An integer beyond 2^53 stays a string, which the service reads as an integer. */
function keyOf(storedClass, text) {
  const type = storedClass.primaryKey ? storedClass.property(storedClass.primaryKey).type : 'int';
  return type === 'int' && /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

export async function show(place, {query, signal}) {
  const schema = await loadSchema();
  const lines = requestLines();
  const result = h('div', {'aria-live': 'polite'});
  const user = h('input', {value: query.user ?? '', maxLength: 255, autocomplete: 'off'});
  const claims = h('textarea', {className: 'code', rows: 2, spellcheck: false, value: query.claims ?? ''});
  const classChoice = h('select', {}, h('option', {value: ''}, 'no object'), schema.objects.map(({name}) => h('option', {
    value: name, selected: name === query.class}, name)));
  const key = h('input', {value: query.key ?? '', autocomplete: 'off', spellcheck: false});

  const run = async () => {
    result.replaceChildren();
    remember({user: user.value, claims: claims.value, class: classChoice.value, key: classChoice.value && key.value});
    const body = {user: user.value || undefined, claims: parsed(claims.value, 'Claims')};
    if (classChoice.value) Object.assign(body, {
      class: classChoice.value, key: keyOf(schema.class(classChoice.value), key.value)});
    lines.show(sameRequest('POST', path, {body}));
    const {body: explanation} = await db.request('POST', path, {body, signal});
    result.replaceChildren(...explanationElements(explanation, body));
  };
  lines.show(sameRequest('POST', path, {body: {user: 'ann', claims: {groups: ['editor']}}}));
  const form = h('form', {onsubmit: attempt(run)},
    h('div', {className: 'columns'},
      field('User', user, 'An id. Empty: a request without a user, or the user that the claims name as "sub".'),
      field('Claims', claims, 'A JSON object, such as {"groups": ["editor"]}.'),
      field('Class', classChoice), field('Key', key, 'The primary key of an object of the class.')),
    h('button', {className: 'primary'}, 'Test'));
  place.append(
    h('p', {className: 'sentence'}, 'The service explains which roles a user has, and which role and rule allows or refuses ',
      'each action on an object, as the object is stored now. The limits of tokens, by right or classes, are not considered.'),
    form, result, lines.element);
  if (query.user || query.claims) form.requestSubmit();
}

function explanationElements({access, roles, actions, properties}, {user, class: className, key}) {
  return [
    access && h('p', {className: 'faults'}, access.blocked ? 'The user is blocked, so no credentials are accepted. '
      : ['Credentials that were issued before ', time(access.signedInAfter), ' are refused. '],
    'The rules below apply otherwise.'),
    h('h2', {}, `Roles of ${user ?? 'the request'}`),
    roles.length ? table('Roles', ['Role', 'State', 'Condition', 'Reason'], roles.map(({role, holds, when, reason}) => [
      h('th', {scope: 'row'}, role), state(holds, 'active', 'not active'), when === undefined ? '' : h('code', {}, when),
      reason ?? ''])) : h('p', {}, 'The document has no roles.'),
    actions && [h('h2', {}, `Actions on ${className} ${key}`), actionTable(actions)],
    properties && Object.keys(properties).length > 0 && [h('h2', {}, 'Properties'),
      table('Properties', ['Property', 'Right'], Object.entries(properties).map(([name, right]) => [
        h('th', {scope: 'row'}, name), rightWords[right] ?? right]))],
  ].flat(Infinity).filter(Boolean);
}

const state = (isGood, good, bad) => h('span', {className: isGood ? 'state-allowed' : 'state-refused'}, isGood ? good : bad);

function actionTable(actions) {
  const rule = text => text !== undefined && [' by ', h('code', {}, text === 'true' ? 'true (all objects)' : text)];
  const because = ({allowed, role, rule: text, refusals = []}) => {
    if (allowed) return ['role ', h('strong', {}, role), rule(text)];
    if (refusals.length === 0) return 'No active role has rules for the class.';
    return refusals.map(one => h('div', {}, 'role ', h('strong', {}, one.role), rule(one.rule), ': ', one.reason));
  };
  return table('Actions', ['Action', 'Result', 'Because'], Object.entries(actions).map(([action, answer]) => [
    h('th', {scope: 'row'}, action), state(answer.allowed, 'allowed', 'refused'), because(answer)]));
}
