/** The checks of the console, in the order in which an administrator uses it for the first time. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Browser, chromium} from '../support/browser.mjs';
import {finish, skip} from '../support/checks.mjs';
import {Service} from '../client-javascript/service.mjs';
import {checkAccess, checkLink, checkReader, checkReference, checkUser} from './access.mjs';
import {checkChange} from './change.mjs';
import {checkJSON} from './json.mjs';
import {checkFaults, checkLook} from './look.mjs';
import {checkMove} from './move.mjs';
import {Page} from './page.mjs';
import {checkShape} from './shape.mjs';
import {checkLines, checkTabs, checkWhy} from './why.mjs';

async function main() {
  await checkJSON();
  if (!chromium()) {
    skip('the console: no Chromium; `make setup-test` installs it');
    return finish();
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
  const service = await Service.start('--sample', 'world');
  const browser = await Browser.start('--window-size=1280,900');
  try {
    const page = await Page.open(browser, service);
    await checkLook(page, service);
    await checkFaults(page);
    await checkChange(page, service);
    await checkShape(page, service);
    await checkMove(page, service, folder);
    await checkWhy(page, service);
    await checkLines(page);
    await checkTabs(browser, service);
    const admin = await checkAccess(page, service);
    await checkUser(browser, service, admin);
    await checkReader(browser, service, admin);
    await checkLink(browser, service, admin);
    await checkReference(browser, service, admin);
  } finally {
    await browser.stop();
    await service.stop();
    await rm(folder, {recursive: true});
  }
  finish();
}

await main();
