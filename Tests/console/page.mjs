/** A page of the console in a tab, used by the names that its reader sees. */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {equal, until} from '../support/checks.mjs';

/** The number of a class's objects. */
export const count = async (service, name, token) => (await service.set(
  'GET', `/v1/classes/${name}/objects?limit=1&count=exact`, undefined, token)).count;

/** Runs in the page: finds elements by their roles and names. */
function helpers() {
  const nameOf = element => (element.getAttribute('aria-label')
    ?? element.labels?.[0]?.querySelector('span')?.textContent ?? element.labels?.[0]?.textContent
    ?? element.textContent).trim();
  const isShown = element => element.checkVisibility();
  /** The open dialog, or the whole page. */
  const place = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document;
  const find = (selector, name) => {
    const all = [...place().querySelectorAll(selector)].filter(isShown);
    return all.find(element => nameOf(element) === name) ?? all.find(element => nameOf(element).startsWith(name));
  };
  const write = (field, value) => {
    if (!field) return false;
    if (field.type === 'checkbox') {
      if (field.checked !== value) field.click();
      return true;
    }
    field.focus();
    field.value = value;
    field.dispatchEvent(new Event('input', {bubbles: true}));
    field.dispatchEvent(new Event('change', {bubbles: true}));
    return true;
  };
  window.console_ = {
    press: name => {
      const found = find('button, a, summary', name);
      if (!found || found.disabled) return false;
      found.click();
      return true;
    },
    fill: (name, value) => write(find('input, select, textarea', name), value),
    rename: (before, after) => write([...place().querySelectorAll('input[aria-label=Name]')].find(
      ({value}) => value === before), after),
    pick: (name, title) => {
      const input = find('input', name);
      const option = [...input.list.options].find(({label}) => label === title);
      return option !== undefined && write(input, option.value);
    },
    edit: (key, field) => {
      const row = [...document.querySelectorAll('.tabulator-row')].find(one => one.querySelector('a')?.textContent === key);
      const cell = row?.querySelector(`[tabulator-field="${field}"]`);
      cell?.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}));
      return cell !== null && cell !== undefined;
    },
    drop: (name, text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      const event = {dataTransfer: data, bubbles: true, cancelable: true};
      return document.querySelector('.drop').dispatchEvent(new DragEvent('drop', event)) || true;
    },
    text: () => [...document.querySelectorAll('#account, main, dialog, #notices')].map(one => one.innerText).join('\n'),
  };
}

export class Page {
  static async open(browser, service, address = '') {
    const page = new Page();
    page.service = service;
    page.tab = await browser.open('about:blank');
    await page.tab.watch();
    await page.tab.call('Page.addScriptToEvaluateOnNewDocument', {source: `(${helpers})()`});
    await page.go(address);
    return page;
  }

  async go(address) {
    await this.tab.call('Page.navigate', {url: `${this.service.url}/console/${address}`});
    await until('the page', () => this.tab('document.readyState === "complete" && !!window.console_'));
  }

  /** Does steps, each the name of a method with its arguments. */
  async do(...steps) { for (const [act, ...terms] of steps) await this[act](...terms); }

  /** Waits until an expression is true in the page. An error says what the page shows. */
  async holds(what, expression) {
    try {
      await until(what, () => this.tab(expression));
    } catch (error) {
      throw new Error(`${error.message}; the page shows:\n${(await this.text()).slice(-1500)}`);
    }
  }

  /** Waits until the page shows a text. */
  shows(text) { return this.holds(text, `console_.text().includes(${JSON.stringify(text)})`); }

  /** Waits until the page shows a text no more. */
  async hides(text) {
    await this.holds(`without ${text}`, `!console_.text().includes(${JSON.stringify(text)})`);
  }

  text() { return this.tab('console_.text()'); }
  press(name) { return this.holds(`the button ${name}`, `console_.press(${JSON.stringify(name)})`); }
  fill(name, value) {
    return this.holds(`the field ${name}`, `console_.fill(${JSON.stringify(name)}, ${JSON.stringify(value)})`);
  }

  /** Searches the target of a link by a text, and chooses the one with a title. */
  async pick(name, text, title) {
    await this.fill(name, text);
    await this.holds(title, `console_.pick(${JSON.stringify(name)}, ${JSON.stringify(title)})`);
  }

  /** Begins to edit a cell of a table, by the key of its row. */
  edit(key, field) {
    return this.holds(`the cell ${key} ${field}`, `console_.edit(${JSON.stringify(key)}, ${JSON.stringify(field)})`);
  }

  key(name, modifiers) { return this.tab.press(name, modifiers); }
  type(text) { return this.tab.type(text); }
  focus(selector) { return this.holds(selector, `(one => { one?.focus(); return !!one; })(document.querySelector('${selector}'))`); }

  /** Drops a file on the page. */
  drop(name, text) { return this.holds('the place for files', `console_.drop(${JSON.stringify(name)}, ${JSON.stringify(text)})`); }

  /** Signs in with a login and a password, or with a token. */
  async signIn(login, password) {
    await this.shows('With a token');
    if (password) await this.do(['fill', 'Login', login], ['fill', 'Password', password], ['press', 'Sign in']);
    else await this.do(['fill', 'Token', login], ['press', 'Use the token']);
    await this.shows('Sign out');
  }

  /** Changes the text of the field `Name` that has a certain text. */
  rename(before, after) {
    return this.holds(`the name ${before}`, `console_.rename(${JSON.stringify(before)}, ${JSON.stringify(after)})`);
  }

  /** Notes the files that the page saves from now on. */
  watchFiles() {
    return this.tab(`{
      const make = window.makeURL_ ??= URL.createObjectURL;
      window.saved_ = [];
      URL.createObjectURL = blob => {
        saved_.push(blob);
        return make(blob);
      };
    }`);
  }

  /** The text of the file that the page saves. */
  async savedText() {
    await this.holds('a file', 'saved_.length === 1');
    return this.tab('saved_[0].text()');
  }

  /** The bytes of the file that the page saves. */
  async savedSize() {
    await this.holds('a file', 'saved_.length === 1');
    return this.tab('saved_[0].size');
  }

  /** Gives files to the field for files. */
  async choose(...paths) {
    const {root} = await this.tab.call('DOM.getDocument');
    const {nodeId} = await this.tab.call('DOM.querySelector', {nodeId: root.nodeId, selector: 'input[type=file]'});
    await this.tab.call('DOM.setFileInputFiles', {nodeId, files: paths});
  }

  /** The faults that axe-core calls serious or critical. */
  async accessibilityFaults() {
    await this.tab(await readFile(process.env.HOLDFAST_AXE, 'utf8'));
    return this.tab(`axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.filter(
      ({impact}) => ['serious', 'critical'].includes(impact)).map(({id, nodes}) => id + ' ' + nodes[0].html.slice(0, 200)))`);
  }

  /** Takes a picture, where they are wanted, and looks for faults of the page. */
  async look(name) {
    const folder = process.env.HOLDFAST_SCREENSHOTS;
    if (folder) await this.tab.picture(join(folder, `console-${name}.png`));
    if (process.env.HOLDFAST_AXE) equal(await this.accessibilityFaults(), [], `the accessibility of ${name}`);
    equal(this.tab.problems.splice(0), [], `the problems of ${name}`);
    equal([...this.tab.hosts], [new URL(this.service.url).host], `the hosts of ${name}`);
  }
}
