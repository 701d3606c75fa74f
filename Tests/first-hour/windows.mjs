/**
 * Looks at what docs/first-hour.md shows, in Chromium.
 *
 *   node windows.mjs list URL        the page of tasks, in two windows
 *   node windows.mjs console URL     the class Orders in the console
 *
 * HOLDFAST_SCREENSHOTS names a folder for a picture.
 */
import {join} from 'node:path';
import {Browser} from '../support/browser.mjs';
import {check, equal, finish, until} from '../support/checks.mjs';
import {Page} from '../console/page.mjs';

const [what, url] = process.argv.slice(2);
const folder = process.env.HOLDFAST_SCREENSHOTS;

/** Both windows side by side, as one picture. */
async function picture(browser, windows, path) {
  const images = await Promise.all(windows.map(async window => {
    const {data} = await window.call('Page.captureScreenshot', {format: 'png'});
    return `<img src="data:image/png;base64,${data}">`;
  }));
  const both = await browser.open('about:blank');
  await both.call('Emulation.setDeviceMetricsOverride', {width: 884, height: 286, deviceScaleFactor: 1, mobile: false});
  await both(`document.write(${JSON.stringify(
    `<style>body{display:flex;gap:12px;margin:12px;background:#bbb}img{border:1px solid #888}</style>${images.join('')}`)})`);
  await until('the images', () => both('[...document.images].every(image => image.complete)'));
  await both.picture(path);
}

async function checkList(browser) {
  const windows = [await browser.open(url), await browser.open(url)];
  for (const window of windows) {
    await window.call('Emulation.setDeviceMetricsOverride', {width: 420, height: 260, deviceScaleFactor: 1, mobile: false});
  }
  const titles = window => window('[...document.querySelectorAll("li")].map(item => item.textContent)');
  const shows = (window, title) => until(title, async () => (await titles(window)).includes(title));
  await check('the page shows the first object in both windows', async () => {
    for (const window of windows) await shows(window, 'Water the plants');
  });
  await check('a task that is added in one window is in the other, both ways', async () => {
    for (const [from, to, title] of [[0, 1, 'Feed the cat'], [1, 0, 'Call Ann']]) {
      const window = windows[from];
      await until('the form', () => window('document.hasFocus() || (document.querySelector("input").focus(), true)'));
      await window.type(title);
      await window.press('Enter');
      await shows(windows[to], title);
      await shows(window, title);
    }
    equal(await titles(windows[0]), await titles(windows[1]), 'the list');
  });
  if (folder) await picture(browser, windows, join(folder, 'first-hour.png'));
}

async function checkConsole(browser) {
  const page = await Page.open(browser, {url});
  await check('the console shows the lines of the file, typed', async () => {
    await page.go('#/class/Orders');
    await page.shows('Anna Müller');
    await page.shows('07743');
  });
  await check('a filter over an index finds lines', async () => {
    const filter = 'Bestellt >= 2025-06-01@00:00:00 AND Bezahlt == false';
    await page.go(`#/class/Orders?${new URLSearchParams({filter})}`);
    await page.shows('2025-06-01T00:00:00Z');
    await page.press('Count');
    await page.shows(Number(process.env.HOLDFAST_EXPECTED).toLocaleString('en'));
    equal(page.tab.problems, [], 'the problems of the page');
  });
  if (folder) await page.tab.picture(join(folder, 'first-hour-console.png'));
}

const browser = await Browser.start('--window-size=1280,800');
try {
  await (what === 'list' ? checkList : checkConsole)(browser);
} finally {
  await browser.stop();
}
finish();
