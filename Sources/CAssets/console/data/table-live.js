/** The changes of a class, for lists that cannot be live. */
import {db} from '../frame/session.js';

const pause = (milliseconds, signal) => new Promise(resolve => {
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
});

/** Calls `act` after each change of a class until the signal is aborted. Throws if the service refuses to tell of changes. */
export async function followChanges(className, signal, act) {
  let since = 'now';
  while (!signal.aborted) {
    try {
      const {body} = await db.request('GET', `/v1/classes/${encodeURIComponent(className)}/changes?since=${since}`, {
        headers: {Prefer: 'int64=string, wait=25'}, signal});
      since = encodeURIComponent(body.cursor ?? body.next);
      if (body.changes.length > 0) act();
    } catch (error) {
      if (signal.aborted) return;
      if (error.status === 410) {
        since = 'now';
        act();
      } else if (!error.isTransient) throw error;
      await pause(5000, signal);
    }
  }
}
