/** The lines of `curl` and of the client that do the same as a view. */
import {button, copyText, h, notify} from './elements.js';
import {db} from './session.js';

const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`;

/** The line of `curl` for a request. */
export function curlLine({method = 'GET', path, body, headers = {}, file}) {
  const parts = ['curl', '-s'];
  if (method !== 'GET') parts.push('-X', method);
  parts.push(quoted(location.origin + path));
  if (db.isSignedIn) parts.push('-H', '"Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(`${name}: ${value}`));
  if (file) parts.push('--data-binary', quoted(`@${file}`));
  if (body !== undefined) parts.push('--json', quoted(JSON.stringify(body)));
  return parts.join(' ');
}

/** A text in single quotes, with the escapes of JSON. */
const quotedLiteral = text => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The value of an option as a program states it; undefined members are left out. */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === null || typeof value !== 'object') {
    return typeof value === 'string' ? quotedLiteral(value) : `${value}`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${/^(?!\d)\w+$/.test(name) ? name : literal(name)}: ${literal(member)}`).join(', ')}}`;
}

/** A request for `requestLines`. */
export const sameRequest = (method, path, {body, headers} = {}) => ({method, path, body, headers});

/** The line of the client that sends a request; of `fetch` for files and for replies that are not JSON, which it does not take. */
function clientLine({method = 'GET', path, body, headers, file, isText}) {
  if (!file && !isText) {
    const options = body === undefined && headers === undefined ? '' : `, ${literal({body, headers})}`;
    return `await db.request('${method}', ${literal(path)}${options})`;
  }
  const own = Object.entries(headers ?? {}).map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  const all = [...db.isSignedIn ? ['Authorization: `Bearer ${token}`'] : [], ...own].join(', ');
  const options = [method !== 'GET' && `method: '${method}'`, all && `headers: {${all}}`, file && 'body: file'].filter(Boolean);
  return `await fetch(${[literal(location.origin + path), ...options.length > 0 ? [`{${options.join(', ')}}`] : []].join(', ')})`;
}

/**
 * A place that shows requests, closed at first. `show(…)` replaces them. Each has a line of `curl`, and one of `client` or as
 * `clientLine` makes it.
 */
export function requestLines() {
  const list = h('div');
  const line = (name, text) => {
    const code = h('code', {}, text);
    const copy = async () => notify(await copyText(text, () => getSelection().selectAllChildren(code)));
    return h('div', {className: 'line'}, h('span', {}, name), code,
      button('Copy', copy, {'aria-label': `Copy the line for ${name}`}));
  };
  const element = h('details', {className: 'requests'}, h('summary', {}, 'The same by curl and in JavaScript'), list);
  return {element, show(...requests) {
    list.replaceChildren(...requests.flatMap(request => [
      line('curl', curlLine(request)), line('client', request.client ?? clientLine(request))]));
  }};
}
