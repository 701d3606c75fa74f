/**
 * Scrolls through a table of a class with a million objects, and measures the script of each frame and the memory of the tab.
 *
 * HOLDFAST_SCROLL is another number of objects.
 */
import {readFile} from 'node:fs/promises';
import {Browser, chromium} from '../support/browser.mjs';
import {check, finish, pause, skip} from '../support/checks.mjs';
import {Service} from '../client-javascript/service.mjs';
import {Page, count} from './page.mjs';

const OBJECTS = Number(process.env.HOLDFAST_SCROLL ?? 1_000_000);
const SCRIPT_MILLISECONDS_MAX = 50, MEGABYTES_MAX = 200;
const CLASS = {primaryKey: 'id', properties: {
  id: 'int', name: 'string', size: 'double', at: 'date', isOpen: 'bool', note: 'string?', tags: 'string[]'}};

/** The lines of the objects, in parts of a thousand. */
function* lines() {
  for (let start = 0; start < OBJECTS; start += 1000) {
    yield `${Array.from({length: Math.min(1000, OBJECTS - start)}, (_, index) => JSON.stringify({
      id: start + index, name: `Object ${start + index}`, size: (start + index) / 8, at: '2026-11-20T06:38:58Z',
      isOpen: index % 2 === 0, note: index % 3 ? `A note of some words about ${index}` : null,
      tags: ['one', `tag ${index % 50}`],
    })).join('\n')}\n`;
  }
}

async function fill(service) {
  await service.set('PUT', '/v1/schema/classes/Row', CLASS);
  const body = ReadableStream.from(lines()).pipeThrough(new TextEncoderStream());
  const reply = await fetch(`${service.url}/v1/classes/Row/import`, {
    method: 'POST', headers: {'Content-Type': 'application/x-ndjson'}, body, duplex: 'half'});
  if (!reply.ok) throw new Error(await reply.text());
}

/** Runs in the page: notes the script of long frames, and scrolls by a step a frame until the object `goal` is loaded. */
function scroller() {
  const frames = {count: 0, scripts: []};
  new PerformanceObserver(list => {
    for (const {scripts} of list.getEntries()) frames.scripts.push(scripts.reduce((sum, one) => sum + one.duration, 0));
  }).observe({type: 'long-animation-frame'});
  const holder = document.querySelector('.tabulator-tableholder');
  const loaded = () => /Objects ([\d,]+) to ([\d,]+)/.exec(document.querySelector('main').innerText).slice(1)
    .map(text => Number(text.replaceAll(',', '')));
  window.scroll_ = {frames, isDone: false, run(step, goal) {
    this.isDone = false;
    const go = () => {
      frames.count++;
      holder.scrollTop += step;
      const [first, last] = loaded();
      if (step < 0 ? first <= goal : last >= goal) this.isDone = true;
      else requestAnimationFrame(go);
    };
    requestAnimationFrame(go);
  }};
}

/** The memory of a tab's process that belongs to no file, in megabytes: the greatest of the renderers. */
async function megabytes(browser) {
  const {processInfo} = await browser.call('SystemInfo.getProcessInfo');
  const each = await Promise.all(processInfo.filter(({type}) => type === 'renderer').map(async ({id}) => {
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
    return ['RssAnon', 'VmSwap'].reduce((sum, name) => sum + Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0), 0);
  }));
  return Math.max(...each) * 1024 / 1e6;
}

/** Scrolls until an object is loaded, counted from 1, and returns the greatest memory meanwhile. */
async function scroll(browser, page, step, goal) {
  const most = {process: 0, heap: 0};
  await page.tab(`scroll_.run(${step}, ${goal})`);
  while (!await page.tab('scroll_.isDone')) {
    most.process = Math.max(most.process, await megabytes(browser));
    const {metrics} = await page.tab.call('Performance.getMetrics');
    most.heap = Math.max(most.heap, metrics.find(({name}) => name === 'JSHeapUsedSize').value / 1e6);
    await pause(500);
  }
  return most;
}

async function main() {
  if (!chromium()) {
    skip('the scrolling of the console: no Chromium; `make setup-test` installs it');
    return finish();
  }
  const service = await Service.start();
  const browser = await Browser.start('--window-size=1280,900');
  try {
    await fill(service);
    const total = await count(service, 'Row');
    const page = await Page.open(browser, service, '#/class/Row');
    await page.shows('Objects 1 to');
    await page.tab.call('Performance.enable');
    await page.tab(`(${scroller})()`);
    const start = performance.now();
    const down = await scroll(browser, page, 2400, total);
    const seconds = (performance.now() - start) / 1000;
    const up = await scroll(browser, page, -2400, Math.max(1, total - 20_000));
    const {frames, scripts} = await page.tab('({frames: scroll_.frames.count, scripts: scroll_.frames.scripts})');
    const worst = Math.max(0, ...scripts);
    const most = Math.max(down.process, up.process);
    const heap = Math.max(down.heap, up.heap);
    console.log(`${total} objects in ${seconds.toFixed(0)} s, ${frames} frames: `
      + `at most ${worst.toFixed(1)} ms of script a frame, `
      + `${most.toFixed(0)} MB in the tab, ${heap.toFixed(0)} MB of them in the heap of JavaScript`);
    await check(`a frame of a scrolled table has at most ${SCRIPT_MILLISECONDS_MAX} ms of script`, () => {
      if (worst > SCRIPT_MILLISECONDS_MAX) throw new Error(`${worst} ms`);
    });
    await check(`a tab with a scrolled table has at most ${MEGABYTES_MAX} MB`, () => {
      if (most > MEGABYTES_MAX) throw new Error(`${most} MB`);
    });
    await check('the whole table was shown without a fault', () => {
      if (page.tab.problems.length > 0) throw new Error(page.tab.problems.join('\n'));
    });
  } finally {
    await browser.stop();
    await service.stop();
  }
  finish();
}

await main();
