/** A headless Chromium for tests. */
import {spawn} from 'node:child_process';
import {accessSync, constants} from 'node:fs';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {pause} from './checks.mjs';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** The keys that `press` knows, with their codes. */
const KEYS = {Enter: 13, Tab: 9, Escape: 27, ' ': 32, ArrowDown: 40, ArrowUp: 38, ArrowLeft: 37, ArrowRight: 39};

/** The path of a Chromium of this machine, if there is one. */
export function chromium() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch { /* Not there. */ }
    }
  }
  return null;
}

/** A tab. Called with an expression, it evaluates it in the page. */
function tabOf(browser, targetId, sessionId) {
  const call = (method, params) => browser.call(method, params, sessionId);
  const tab = async expression => {
    const {result, exceptionDetails} = await call(
      'Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  return Object.assign(tab, {
    /** Sends a request of the DevTools protocol to the page. */
    call,
    /** What went wrong in the page since `watch`: exceptions and refusals of its policy, but no refused requests. */
    problems: [],
    /** The hosts of all requests since `watch`. */
    hosts: new Set(),
    /** Notes problems and hosts from now on. */
    watch: async () => {
      browser.watchers.set(sessionId, (method, params) => {
        if (method === 'Runtime.exceptionThrown') {
          tab.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        } else if (method === 'Log.entryAdded' && params.entry.level === 'error' && params.entry.source !== 'network') {
          tab.problems.push(`${params.entry.text} ${params.entry.url ?? ''}`);
        } else if (method === 'Network.requestWillBeSent' && /^(https?|wss?):/.test(params.request.url)) {
          tab.hosts.add(new URL(params.request.url).host);
        }
      });
      for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await call(`${domain}.enable`);
    },
    /** Presses a key, such as `Tab`, or types a text as a keyboard does. */
    press: async (key, modifiers = 0) => {
      const code = {key, windowsVirtualKeyCode: KEYS[key], nativeVirtualKeyCode: KEYS[key], modifiers};
      await call('Input.dispatchKeyEvent', {type: 'keyDown', text: {Enter: '\r', ' ': ' '}[key], ...code});
      await call('Input.dispatchKeyEvent', {type: 'keyUp', ...code});
    },
    type: text => call('Input.insertText', {text}),
    /** Writes a picture of the page to a file. */
    picture: async path => {
      const {data} = await call('Page.captureScreenshot', {format: 'png'});
      await writeFile(path, data, 'base64');
    },
    close: () => browser.call('Target.closeTarget', {targetId}),
  });
}

/** A headless Chromium, driven by the DevTools protocol over a pair of pipes. */
export class Browser {
  #process;
  #folder;
  #replies = new Map();
  #count = 0;
  /** The receivers of the events of tabs, by their sessions. */
  watchers = new Map();

  static async start(...options) {
    const browser = new Browser();
    browser.#folder = await mkdtemp(join(tmpdir(), 'holdfast-browser-'));
    // The sandbox needs rights that a container and root do not have; the pages are ours.
    browser.#process = spawn(chromium(), [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe',
      `--user-data-dir=${browser.#folder}`, ...options], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true});
    let rest = Buffer.alloc(0);
    browser.#process.stdio[4].on('data', bytes => {
      rest = Buffer.concat([rest, bytes]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
        browser.#take(JSON.parse(rest.subarray(0, end).toString()));
      }
    });
    return browser;
  }

  #take({id, result, error, method, params, sessionId}) {
    if (id === undefined) return this.watchers.get(sessionId)?.(method, params);
    const settle = this.#replies.get(id);
    this.#replies.delete(id);
    if (error) settle?.reject(Object.assign(new Error(error.message), {isOfOldPage: /navigated|context/.test(error.message)}));
    else settle?.resolve(result);
  }

  call(method, params = {}, sessionId = undefined) {
    const id = ++this.#count;
    this.#process.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    return new Promise((resolve, reject) => this.#replies.set(id, {resolve, reject}));
  }

  /** Opens a page in a tab of its own. */
  async open(url) {
    const {targetId} = await this.call('Target.createTarget', {url});
    const {sessionId} = await this.call('Target.attachToTarget', {targetId, flatten: true});
    return tabOf(this, targetId, sessionId);
  }

  /** Stops all processes of the browser for a time, as a sleeping machine does. */
  async sleep(milliseconds) {
    process.kill(-this.#process.pid, 'SIGSTOP');
    await pause(milliseconds);
    process.kill(-this.#process.pid, 'SIGCONT');
  }

  async stop() {
    const ended = new Promise(resolve => this.#process.once('exit', resolve));
    process.kill(-this.#process.pid, 'SIGKILL');
    await ended;
    await rm(this.#folder, {recursive: true, force: true, maxRetries: 5});
  }
}
