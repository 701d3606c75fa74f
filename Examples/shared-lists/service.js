// What the page asks of the service: requests with the user's token, and live results.

// Another service than the usual one: index.html?service=http://127.0.0.1:9000
export const api = new URLSearchParams(location.search).get('service') ?? 'http://127.0.0.1:8080';

// The token of an identity provider comes as index.html#token=eyJ…, and stays neither in the address nor in the history.
const given = new URLSearchParams(location.hash.slice(1)).get('token');
if (given) {
  sessionStorage.setItem('token', given);
  history.replaceState(null, '', location.pathname + location.search);
}

/** The token of a session, or of an identity provider. */
let token = sessionStorage.getItem('token');

/** Whether there is somebody to ask as. */
export const isSignedIn = () => token !== null;

/** Asks as the user; `body` is sent as JSON. Returns the JSON of the reply, and throws what the service says is wrong. */
export async function ask(method, path, body) {
  const headers = {'Content-Type': 'application/json'};
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch(api + path, {method, headers, body: body && JSON.stringify(body)});
  const text = await reply.text();
  // It has ended: its user signs in again.
  if (reply.status === 401) forget();
  if (!reply.ok) throw Object.assign(new Error(JSON.parse(text).detail), {status: reply.status});
  return text ? JSON.parse(text) : null;
}

/** Signs in with an account. */
export async function signIn(login, password) {
  token = null;
  ({token} = await ask('POST', '/v1/sessions', {login, password}));
  sessionStorage.setItem('token', token);
}

/** Ends the session, or forgets the token. */
export async function signOut() {
  await ask('DELETE', '/v1/sessions/current').catch(() => {});
  forget();
}

function forget() {
  sessionStorage.removeItem('token');
  token = null;
}

/** Follows the objects of a class that the user may read. Calls `show` with all of them whenever they have changed. */
export function follow(className, show) {
  const objects = new Map();
  // What has been seen. EventSource sends it by itself when it reconnects; a new EventSource needs it.
  let place = 'start';
  const later = () => setTimeout(open, 2000 + 2000 * Math.random());

  async function open() {
    const url = `/v1/classes/${className}/changes?since=${encodeURIComponent(place)}`;
    let ticket;
    try {
      ({ticket} = await ask('POST', '/v1/tickets', {url}));
    } catch (fault) {
      return fault.status === 401 ? location.reload() : later();
    }
    const source = new EventSource(`${api}${url}&ticket=${ticket}`);
    const on = (name, take) => source.addEventListener(name, event => {
      take(JSON.parse(event.data), event.lastEventId);
      place = event.lastEventId || place;
    });
    const set = ({id, object}) => objects.set(id, object);
    on('reset', () => objects.clear());
    on('snapshot', found => found.objects.forEach(set));
    on('change', ({version, changes}, id) => {
      for (const change of changes) {
        if (change.op === 'enter' || change.op === 'update') set(change);
        else objects.delete(change.id);
      }
      if (id === version) show([...objects.values()]);
    });
    on('upToDate', () => show([...objects.values()]));
    source.addEventListener('error', event => {
      // The service's own event has data: it has ended the stream and says why.
      if (event.data) source.close();
      if (source.readyState === EventSource.CLOSED) later();
    });
  }
  open();
}
