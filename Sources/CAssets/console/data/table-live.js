/** The changes of a class, for lists that cannot be live. */
import {db} from '../frame/session.js';

const pause = (milliseconds, signal) => new Promise(resolve => {
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
});

/**
 * Calls `act` after each change of a class until the signal is aborted, and once at the start: rows that were read before may lack
 * the changes until then. Throws if the service refuses to tell of changes.
 */
export async function followChanges(className, signal, act) {
  let cursor;
  while (!signal.aborted) {
    const search = new URLSearchParams({since: cursor ?? 'now'});
    const headers = cursor && {Prefer: 'int64=string, wait=25'};
    try {
      const {body} = await db.request('GET', `/v1/classes/${encodeURIComponent(className)}/changes?${search}`, {headers, signal});
      if (!cursor || body.changes.length > 0) act();
      cursor = body.cursor ?? body.next;
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 410) cursor = undefined;
      else if (!error.isTransient) throw error;
      await pause(5000, signal);
    }
  }
}
