/** Checks the types that `holdfast schema typescript` prints, with those of the client. TypeScript need not be there. */
import {execFile} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {check, skip} from '../support/checks.mjs';

const run = promisify(execFile);
const OPTIONS = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'es2022', '--lib', 'es2022,dom'];

export async function checkTypes() {
  try {
    await run('tsc', ['--version']);
  } catch {
    return skip('the types of a store: `scripts/setup clients` installs TypeScript');
  }
  await check('a program compiles with the types of a store, and its slips do not', async () => {
    try {
      await run('tsc', [...OPTIONS, fileURLToPath(new URL('types/use.ts', import.meta.url))]);
    } catch (error) {
      throw new Error(error.stdout || error.message);
    }
  });
}
