/** The console's client, and the person or token that it asks for. */
import {Holdfast} from '/client/holdfast.js';

const tokenName = 'holdfast-console-token';

/** The options of a client that signs in as the console does, until the tab is closed. */
export const credentials = {storage: sessionStorage, token: sessionStorage.getItem(tokenName) ?? undefined};

let known = null;

/** The client of the whole console. The page is loaded anew when the sign-in ends. */
export const db = new Holdfast(location.origin, {
  ...credentials, onSignedOut: error => { if (error && known) location.reload(); }});

/** The caller as `GET /v1/me` describes it; null without a valid sign-in. */
export const caller = () => known;
/** Whether the caller may do everything. */
export const isAdmin = () => known?.right === 'admin';
/** Whether the store has no tokens, so that it takes everybody of this machine for an administrator. */
export const isOpen = () => isAdmin() && !db.isSignedIn;

/** Whether the caller may change objects. Of users the rules decide at each change. */
export const mayWrite = () => !['metrics', 'read'].includes(known?.right);
/** Whether the caller may see plans: the service refuses that to users and to tokens for some classes. */
export const seesPlans = () => known?.right !== undefined && known.user === undefined && !known.classes?.length;

/** Asks the service for the caller. */
export async function look() {
  try {
    known = await db.me();
  } catch (error) {
    if (error.status !== 401 && error.status !== 403) throw error;
    // A token that is not valid any more would be sent with the next sign-in.
    sessionStorage.removeItem(tokenName);
    known = null;
  }
  return known;
}

/** Continues with a token, which is kept until the tab is closed. Throws if it is not valid. */
export async function useToken(token) {
  await new Holdfast(location.origin, {token}).me();
  sessionStorage.setItem(tokenName, token);
  location.reload();
}

/** The hours after which the token of a link's reader expires. */
const hours = 12;

/** Whether a token is one that the console made for itself, by its name. */
const isOwn = name => /^console-[0-9a-f]{32}$/.test(name ?? '');

/**
 * Signs in with the token of a link, which is taken out of the address and the history of the tab. It makes one token and ends with
 * that, so that the link signs in once.
 */
export async function enter(linkToken) {
  history.replaceState(null, '', '#/');
  const link = new Holdfast(location.origin, {token: linkToken});
  const digits = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0'));
  const name = `console-${digits.join('')}`;
  const expires = new Date(Date.now() + hours * 3_600_000).toISOString();
  const {body} = await link.request('POST', '/v1/tokens', {body: {name, right: 'admin', expires}});
  sessionStorage.setItem(tokenName, body.token);
  location.reload();
}

/** Signs out. The console's own token is deleted, and any other token is only forgotten. */
export async function signOut() {
  if (isOwn(known?.token)) {
    try {
      await db.request('DELETE', `/v1/tokens/${known.token}`);
    } catch (error) {
      // The token may be deleted already, or have lost its right.
      if (![401, 403, 404].includes(error.status)) throw error;
    }
  }
  const hadToken = sessionStorage.getItem(tokenName) !== null;
  sessionStorage.removeItem(tokenName);
  if (!hadToken) await db.signOut();
  location.reload();
}
