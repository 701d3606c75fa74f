/** Times as fields of forms have them. */

/** A date as a field of the type `datetime-local` has it. */
export const localTime = date => new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);

/** The time of such a field in whole seconds of UTC; null if it is empty. */
export const utcTime = text => (text ? new Date(text).toISOString().replace(/\.\d+Z/, 'Z') : null);
