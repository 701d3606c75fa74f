/** The changes of a class, for lists that cannot be live. */
import {db} from '../frame/session.js';

const pause = (milliseconds, signal) => new Promise(resolve => {
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
});

const longestPause = 2 ** 31 - 1;

/**
 * Calls `act` after each change of a class until the signal is aborted, and once at the start: rows that were read before may lack
 * the changes until then. It rests while the tab is hidden: a browser opens six connections to a host, and a request that waits takes
 * one. Throws if the service refuses to tell of changes.
 */
export async function followChanges(className, signal, act) {
  let cursor;
  while (!signal.aborted) {
    const turning = new AbortController();
    const turned = AbortSignal.any([signal, turning.signal]);
    document.addEventListener('visibilitychange', () => turning.abort(), {signal: turned});
    if (document.hidden) {
      await pause(longestPause, turned);
      continue;
    }
    const search = new URLSearchParams({since: cursor ?? 'now'});
    const headers = cursor && {Prefer: 'int64=string, wait=25'};
    try {
      const {body} = await db.request('GET', `/v1/classes/${encodeURIComponent(className)}/changes?${search}`, {
        headers, signal: turned});
      if (!cursor || body.changes.length > 0) act();
      cursor = body.cursor ?? body.next;
    } catch (error) {
      if (turned.aborted) continue;
      if (error.status === 410) cursor = undefined;
      else if (!error.isTransient) throw error;
      await pause(5000, signal);
    } finally {
      turning.abort();
    }
  }
}
