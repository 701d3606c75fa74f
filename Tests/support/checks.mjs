/** The checks of this folder: each is a sentence and a function that throws if it is not true. */
import {isDeepStrictEqual, inspect} from 'node:util';

// Nothing here is timed; a loaded machine and a debug build are slow.
const PATIENCE_MILLISECONDS = 60000, PATIENCE_AFTER_FAILURE_MILLISECONDS = 20000;

let patience = PATIENCE_MILLISECONDS;
let passed = 0, failed = 0, skipped = 0;

/** Runs a check, prints its outcome, and returns whether it passed. */
export async function check(sentence, run) {
  let timer;
  const isLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it has come to no end')), 2 * PATIENCE_MILLISECONDS);
  });
  try {
    await Promise.race([run(), isLate]);
    passed++;
    console.log(`ok    ${sentence}`);
    return true;
  } catch (error) {
    failed++;
    console.log(`FAIL  ${sentence}: ${error?.stack ?? inspect(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a function like `check` for checks that build on each other: after a failed one, the others are skipped. */
export function sequence() {
  let isBroken = false;
  return async (sentence, run) => {
    if (isBroken) skip(`${sentence}: an earlier check of the same client failed`);
    else isBroken = !await check(sentence, run);
  };
}

export function skip(what) {
  skipped++;
  console.log(`skip  ${what}`);
}

/** Prints the counts, and ends the process. */
export function finish() {
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exit(failed ? 1 : 0);
}

export function equal(found, expected, what = '') {
  if (isDeepStrictEqual(found, expected)) return;
  const show = value => inspect(value, {depth: 6, breakLength: Infinity, maxArrayLength: 20});
  throw new Error(`${what} is ${show(found)}, not ${show(expected)}`);
}

/** The error with which a promise is rejected. */
export async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not refused');
}

/**
 * Waits until `isTrue()` returns something true, and returns it. A page that a browser is leaving has no answer yet. After a first
 * failure, later ones are reported sooner.
 */
export async function until(what, isTrue) {
  const allowed = patience, end = Date.now() + allowed;
  while (Date.now() < end) {
    try {
      const found = await isTrue();
      if (found) return found;
    } catch (error) {
      if (!error.isOfOldPage) throw error;
    }
    await pause(10);
  }
  patience = PATIENCE_AFTER_FAILURE_MILLISECONDS;
  throw new Error(`it was not true in ${allowed / 1000} s: ${what}`);
}

export const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** Random numbers of a seed (mulberry32). */
export class Random {
  constructor(seed) { this.state = seed >>> 0; }

  /** A number of at least 0 and less than 1. */
  next() {
    this.state = (this.state + 0x6D2B79F5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number below `count`. */
  below(count) { return Math.floor(this.next() * count); }

  isTrue(probability = 0.5) { return this.next() < probability; }

  pick(list) { return list[this.below(list.length)]; }

  shuffled(list) { return list.map(one => [this.next(), one]).sort(([a], [b]) => a - b).map(([, one]) => one); }
}
