/**
 * Scrolls through a table of a class with a million objects, and measures the script of each frame, in processor time, and the
 * memory of the tab.
 *
 * HOLDFAST_SCROLL is the number of objects that are scrolled through; all without it.
 */
import {readFile} from 'node:fs/promises';
import {Browser, chromium} from '../support/browser.mjs';
import {check, equal, finish, pause, skip} from '../support/checks.mjs';
import {Service} from '../client-javascript/service.mjs';
import {Page, count} from './page.mjs';

const OBJECTS = 1_000_000;
const SCROLLED = Number(process.env.HOLDFAST_SCROLL ?? OBJECTS);
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

/** Runs in the page: scrolls by a step a frame until the object `goal` is loaded, counted from 1. */
function scroller() {
  const holder = document.querySelector('.tabulator-tableholder');
  const loaded = () => /Objects ([\d,]+) to ([\d,]+)/.exec(document.querySelector('main').innerText).slice(1)
    .map(text => Number(text.replaceAll(',', '')));
  window.scroll_ = {isDone: false, run(step, goal) {
    this.isDone = false;
    const go = () => {
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

/** The events in which a page's script runs. */
const SCRIPT_EVENTS = new Set([
  'FireAnimationFrame', 'RunMicrotasks', 'EventDispatch', 'FunctionCall', 'TimerFire', 'EvaluateScript']);

/** The processor milliseconds of script in each frame of a trace. A frame ends where the next one calls its animation. */
function framesOf(events) {
  const frames = [];
  let end = 0;
  // Workers have threads of their own.
  const thread = events.find(({name}) => name === 'FireAnimationFrame')?.tid;
  const scripts = events.filter(
    ({ph, tid, name, tdur}) => ph === 'X' && tid === thread && tdur !== undefined && SCRIPT_EVENTS.has(name));
  for (const {name, ts, dur, tdur} of scripts.sort((one, other) => one.ts - other.ts || other.dur - one.dur)) {
    // An event within another one counts with it.
    if (ts < end) continue;
    end = ts + dur;
    if (name === 'FireAnimationFrame') frames.push(0);
    if (frames.length > 0) frames[frames.length - 1] += tdur / 1000;
  }
  return frames;
}

/** Scrolls until an object is loaded, and returns the script of each frame and the greatest memory meanwhile. */
async function scroll(browser, page, step, goal) {
  const found = {frames: [], process: 0, heap: 0};
  await page.tab(`scroll_.run(${step}, ${goal})`);
  while (!await page.tab('scroll_.isDone')) {
    const events = [];
    const ended = new Promise(resolve => browser.watchers.set(undefined, (method, {value}) => {
      if (method === 'Tracing.dataCollected') events.push(...value);
      if (method === 'Tracing.tracingComplete') resolve();
    }));
    await browser.call('Tracing.start', {transferMode: 'ReportEvents', traceConfig: {
      includedCategories: ['devtools.timeline'], excludedCategories: ['*']}});
    for (let second = 0; second < 10 && !await page.tab('scroll_.isDone'); second++) {
      found.process = Math.max(found.process, await megabytes(browser));
      const {metrics} = await page.tab.call('Performance.getMetrics');
      found.heap = Math.max(found.heap, metrics.find(({name}) => name === 'JSHeapUsedSize').value / 1e6);
      await pause(1000);
    }
    await browser.call('Tracing.end');
    await ended;
    for (const frame of framesOf(events)) found.frames.push(frame);
  }
  return found;
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
    equal(await count(service, 'Row'), OBJECTS, 'the objects');
    const page = await Page.open(browser, service, '#/class/Row');
    await page.shows('Objects 1 to');
    await page.tab.call('Performance.enable');
    // The tab would keep the replies for the tools of developers.
    await page.tab.call('Network.disable');
    await page.tab(`(${scroller})()`);
    const start = performance.now();
    const down = await scroll(browser, page, 2400, SCROLLED);
    const seconds = (performance.now() - start) / 1000;
    const up = await scroll(browser, page, -2400, Math.max(1, SCROLLED - 20_000));
    const frames = [...down.frames, ...up.frames].sort((one, other) => one - other);
    const worst = frames.at(-1);
    // The browser keeps elements that are gone until it collects them, and decides when by the machine's memory.
    await page.tab.call('HeapProfiler.collectGarbage');
    await pause(3000);
    const held = await megabytes(browser);
    const most = Math.max(down.process, up.process);
    const usual = frames[Math.floor(0.99 * frames.length)];
    console.log(`${SCROLLED} of ${OBJECTS} objects in ${seconds.toFixed(0)} s, ${frames.length} frames: script of at most `
      + `${worst.toFixed(1)} ms a frame, ${usual.toFixed(1)} ms in 99 of 100; ${most.toFixed(0)} MB in the tab, `
      + `${held.toFixed(0)} MB when it was collected, ${Math.max(down.heap, up.heap).toFixed(0)} MB in the heap of JavaScript`);
    await check(`a frame of a scrolled table has at most ${SCRIPT_MILLISECONDS_MAX} ms of script`, () => {
      if (!(worst <= SCRIPT_MILLISECONDS_MAX)) throw new Error(`${worst} ms`);
    });
    await check(`a tab with a scrolled table has at most ${MEGABYTES_MAX} MB`, () => {
      if (most > MEGABYTES_MAX) throw new Error(`${most} MB`);
    });
    await check(`a tab with a scrolled table holds at most ${MEGABYTES_MAX} MB`, () => {
      if (held > MEGABYTES_MAX) throw new Error(`${held} MB`);
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
