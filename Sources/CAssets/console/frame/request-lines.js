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

/** The value of an option as a program states it; undefined members are left out. */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === null || typeof value !== 'object') {
    return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : `${value}`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${/^\w+$/.test(name) ? name : literal(name)}: ${literal(member)}`).join(', ')}}`;
}

/** A request for `requestLines`, with the client's line for it. */
export function sameRequest(method, path, {body, headers} = {}) {
  const options = body === undefined && headers === undefined ? '' : `, ${literal({body, headers})}`;
  return {method, path, body, headers, client: `await db.request('${method}', ${literal(path)}${options})`};
}

/** A place that shows requests, closed at first. `show(…)` replaces them. Each has a line of `curl`, and may have one of `client`. */
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
      line('curl', curlLine(request)), request.client && line('client', request.client)].filter(Boolean)));
  }};
}
