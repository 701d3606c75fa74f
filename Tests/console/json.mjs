/** Checks of the console's reading of JSON, which needs no browser. */
import {readFile} from 'node:fs/promises';
import {check, equal} from '../support/checks.mjs';

const source = await readFile(new URL('../../Sources/CAssets/console/frame/json.js', import.meta.url), 'utf8');
const {parseExactly, parseMany, withTexts} = await import(`data:text/javascript,${encodeURIComponent(source)}`);

export async function checkJSON() {
  await check('numbers of JSON keep their values: fractions, exponents, and digits in strings', () => {
    for (const text of [
      '0.30000000000000004', '-0.30000000000000004', '1e-7', '1.2345678901234567890', '12345678901234567.5',
      '1234567890123456e2', '1e-1234567890123456', '1E+1234567890123456', '9007199254740991', '-9007199254740991',
      '"12345678901234567890"', '"a\\\\" ', '"\\"12345678901234567890"', '"0.1,12345678901234567890"']) {
      equal(parseExactly(text), JSON.parse(text), text);
      equal(withTexts(text), text, text);
    }
    equal(parseExactly(`${0.1 + 0.2}`), 0.1 + 0.2);
  });
  await check('integers beyond 2^53 keep their digits', () => {
    for (const digits of ['12345678901234567890', '-12345678901234567890', '9007199254740992']) {
      equal(parseExactly(digits), {$numberLong: digits});
      equal(parseExactly(`{"a":[1,${digits}, ${digits}]}`), {a: [1, {$numberLong: digits}, {$numberLong: digits}]});
      equal(withTexts(`[${digits}]`), `["${digits}"]`);
    }
    equal(parseMany('{"a":0.30000000000000004}\n{"a":12345678901234567890}', 9), [
      {a: 0.30000000000000004}, {a: {$numberLong: '12345678901234567890'}}]);
  });
}
