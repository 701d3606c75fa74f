/** The editor of a link: the key of the target, found by a search in its class. */
import {h} from '../frame/elements.js';
import {keyOfText, keyType, objectAddress, pathText, titleProperty} from './keys.js';
import {db} from '../frame/session.js';

let count = 0;
const longestList = 20;

/** The filter that finds the objects of a class by a text; undefined if the class has nothing to search. */
function searchFilter(target, text) {
  const conditions = [];
  const title = titleProperty(target);
  if (title) conditions.push(`${pathText(title)} CONTAINS[c] $0`);
  if (target.primaryKey && keyType(target) === 'string' && title !== target.primaryKey) {
    conditions.push(`${pathText(target.primaryKey)} BEGINSWITH[c] $0`);
  }
  if (target.primaryKey && keyType(target).startsWith('int') && /^\d{1,15}$/.test(text)) {
    conditions.push(`${pathText(target.primaryKey)} == ${text}`);
  }
  return conditions.length > 0 ? conditions.join(' OR ') : undefined;
}

/** The objects of a class that a text finds, as `{key, title}`. */
async function searched(target, text, signal) {
  const filter = text === '' ? undefined : searchFilter(target, text);
  const title = titleProperty(target);
  const fields = [target.keyName, title].filter(Boolean);
  const {objects} = await db.class(target.name).query({
    filter, args: filter?.includes('$0') ? [text] : undefined, fields, limit: longestList, signal});
  return objects.map(object => ({key: target.keyOf(object), title: title && `${object[title]}`}));
}

export function linkEditor(property, value, {schema, label, signal}) {
  const target = schema.class(property.class);
  const options = h('datalist', {id: `options-${++count}`});
  const input = h('input', {
    type: 'text', list: options.id, value: value === undefined || value === null ? '' : `${value}`, autocomplete: 'off',
    'aria-label': `${label}: key of a ${property.class}`, placeholder: `Search in ${property.class}`});
  const shown = h('a', {className: 'target'});
  let timer;
  let last = 0;

  /** Shows the title of the chosen target, which the list of options may know. */
  const showTitle = title => {
    shown.hidden = input.value === '';
    if (shown.hidden || !target) return;
    shown.textContent = title ?? input.value;
    try {
      shown.href = objectAddress(target, keyOfText(target, input.value));
    } catch {
      shown.hidden = true;
    }
  };
  const search = async () => {
    const turn = ++last;
    const found = await searched(target, input.value.trim(), signal).catch(() => []);
    if (turn !== last) return;
    options.replaceChildren(...found.map(({key, title}) => h('option', {value: `${key}`, label: title ?? `${key}`})));
  };
  const titleOf = async () => {
    const title = target && titleProperty(target);
    if (!title || input.value === '') return undefined;
    const object = await db.class(target.name).get(keyOfText(target, input.value), {fields: [title], signal});
    return `${object[title]}`;
  };
  const lookUp = () => titleOf().then(showTitle, () => { shown.hidden = true; });
  input.addEventListener('focus', () => { if (target && options.children.length === 0) search(); });
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, 200);
  });
  input.addEventListener('change', lookUp);
  showTitle();
  lookUp();
  return {
    element: h('span', {className: 'link-editor'}, input, options, shown),
    read() {
      if (input.value === '' && keyType(target) !== 'string') {
        if (value === undefined) return undefined;
        throw new Error(`Choose an object of '${property.class}' for '${label}'.`);
      }
      if (input.value === '' && value === undefined) return undefined;
      return input.value === `${value}` ? value : keyOfText(target, input.value);
    },
    focus() {
      input.focus();
      input.select();
    }};
}
