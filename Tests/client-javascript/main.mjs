/** Runs the checks of the JavaScript client. HOLDFAST_SEED sets another seed, HOLDFAST_BINARY names the program. */
import {chromium} from '../support/browser.mjs';
import {checkBrowser} from './browser.mjs';
import {checkFaults} from './faults.mjs';
import {check, finish, skip} from '../support/checks.mjs';
import {checkRunningServices} from './live.mjs';
import {checkPureParts} from './pure.mjs';
import {checkTypes} from './types.mjs';

const seed = Number(process.env.HOLDFAST_SEED ?? 70);
console.log(`seed ${seed}`);
try {
  await checkPureParts(seed, process.env.HOLDFAST_SOAK ? 2000 : 200);
  await Promise.all([
    checkRunningServices(seed),
    checkFaults(),
    checkTypes(),
    chromium() ? checkBrowser(seed) : skip('the client in Chromium: `make setup-test` installs it')]);
} catch (error) {
  await check('the checks come to their end', () => { throw error; });
}
finish();
