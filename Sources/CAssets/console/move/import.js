/** The import of a file: it is chosen, looked at, given a class, and sent. */
import {address, showClasses} from '../console.js';
import {attempt, button, bytes, faults, field, grouped, h, notify} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {forgetSchema} from '../frame/schema.js';
import {isAdmin} from '../frame/session.js';
import {proposalForm} from './class.js';
import {shown} from '../frame/json.js';
import {classOptions, storeOptions} from './options.js';
import {progressLine} from './progress.js';
import {fittingClass, propose, proposeRealm, textForms} from './propose.js';
import {encodings, forms, inUTF8, readSample} from './read.js';
import {RealmExport} from './realm.js';
import {reportOf} from './report.js';
import {upload} from '../frame/transfer.js';
import {loadExactSchema} from '../schema/exact.js';
import {choice} from '../schema/fields.js';

const [shownRows, realmBytesMax] = [8, 512 * 1024 * 1024];
const separators = [[',', 'comma'], [';', 'semicolon'], ['\t', 'tab'], ['|', 'bar |'], [':', 'colon']];
const newClass = ' new';

/** The place where a file is dropped or chosen. `take` gets the file. */
function dropPlace(take, signal) {
  const input = h('input', {type: 'file', accept: '.csv,.tsv,.json,.ndjson,.jsonl,.gz,.txt',
    onchange: () => input.files[0] && take(input.files[0])});
  const element = h('label', {className: 'drop'}, h('span', {}, 'Drop a file here, or choose one:'), input, h('small', {},
    'CSV, NDJSON, a JSON array, mongoexport’s extended JSON, Realm Studio’s JSON, an export of Holdfast; also as .gz'));
  const isFile = event => event.dataTransfer?.types.includes('Files');
  const hover = isOver => event => {
    if (!isFile(event)) return;
    event.preventDefault();
    element.classList.toggle('over', isOver);
  };
  document.addEventListener('dragover', hover(true), {signal});
  document.addEventListener('dragleave', hover(false), {signal});
  document.addEventListener('drop', event => {
    hover(false)(event);
    if (event.dataTransfer?.files[0]) take(event.dataTransfer.files[0]);
  }, {signal});
  return element;
}

/** The first rows of a sample. */
const rowTable = ({rows, columns}) => h('div',
  {className: 'scroller', tabIndex: 0, role: 'region', 'aria-label': 'The first rows'}, h('table', {className: 'sample'},
    h('thead', {}, h('tr', {}, columns.map(column => h('th', {scope: 'col'}, column || '(no name)')))),
    h('tbody', {}, rows.slice(0, shownRows).map(row => h('tr', {}, columns.map(
      column => h('td', {}, shown(row[column]).slice(0, 200))))))));

export class ImportView {
  constructor(main, {schema, query, signal}) {
    Object.assign(this, {main, schema, query, signal, isBusy: false});
    this.file = h('div');
    this.target = h('div');
    this.result = h('div', {role: 'status'});
    this.progress = progressLine(signal);
    this.lines = requestLines();
  }

  start() {
    this.lines.show({method: 'POST', path: `/v1/classes/${encodeURIComponent(this.query.class ?? 'NAME')}/import`,
      headers: {'Content-Type': 'text/csv'}, file: 'FILE.csv'});
    this.main.append(dropPlace(file => this.look(file), this.signal), this.file, this.target, this.progress.element, this.result,
      this.lines.element);
  }

  /** Reads the beginning of a file and shows it. `chosen` has the reader's choices. */
  async look(file, chosen = {}) {
    if (this.isBusy) return notify('An import is under way. Wait for it, or cancel it.', 'fault');
    this.target.replaceChildren();
    this.result.replaceChildren();
    try {
      this.sample = await readSample(file, chosen);
      this.showFile();
      await this.showTarget();
    } catch (error) {
      if (!this.signal.aborted) this.target.replaceChildren(faults(error));
    }
  }

  showFile() {
    const {file, form, encoding, delimiter, rows, columns, isWhole} = this.sample;
    const again = () => this.look(file, {form: inputs.form.value, encoding: inputs.encoding.value,
      ...inputs.form.value === 'csv' && form === 'csv' && {delimiter: inputs.delimiter.value}});
    const inputs = {form: choice(forms, form, {onchange: again}), encoding: choice(encodings, encoding, {onchange: again}),
      delimiter: choice(separators, delimiter ?? ',', {onchange: again})};
    const read = isWhole ? `${grouped(rows.length)} rows` : `of which the first ${grouped(rows.length)} rows were read`;
    this.file.replaceChildren(
      h('h2', {}, file.name), h('p', {}, `${bytes(file.size)}${rows.length > 0 ? `, ${read}` : ''}.`),
      h('div', {className: 'columns'}, field('Form', inputs.form), field('Encoding', inputs.encoding),
        form === 'csv' && field('Between cells', inputs.delimiter)),
      rows.length > 0 && columns.length > 0 ? rowTable(this.sample) : '');
  }

  showTarget() {
    const {form, rows} = this.sample;
    if (form === 'store') return this.showStore();
    if (form === 'realm') return this.showRealm();
    if (rows.length === 0) throw new Error('The file has no rows in this form. Choose another form, encoding or separator.');
    const fitting = this.schema.class(this.query.class ?? '') ?? fittingClass(this.sample, this.schema);
    return this.showClass(fitting?.name ?? (isAdmin() ? newClass : this.schema.objects[0]?.name));
  }

  /** The choice of the class, with its options or a proposal below it. */
  async showClass(name) {
    if (name === undefined) throw new Error('The store has no class that takes the file. An administrator can make one.');
    const names = this.schema.objects.map(found => found.name);
    const select = choice([...isAdmin() ? [[newClass, 'a new class …']] : [], ...names], name,
      {onchange: attempt(() => this.showClass(select.value))});
    const rest = h('div');
    this.target.replaceChildren(h('h2', {}, 'Class'), field('The rows become objects of', select), rest);
    const found = this.schema.class(name);
    const textual = this.sample.form === 'csv' ? textForms(this.sample) : {dateFormat: '', decimalComma: false};
    if (found) return this.showOptions(rest, found, textual);
    const proposals = await propose(this.sample, this.schema, textual, this.signal);
    rest.replaceChildren(
      h('p', {}, `A proposal from ${grouped(this.sample.rows.length)} rows. Change it as you like, then make the class.`),
      proposalForm(proposals, this.schema, made => this.classMade(made)));
  }

  /** Continues with the class that was made of a proposal. */
  async classMade({name, renames}) {
    this.schema = await loadExactSchema();
    if (this.sample.form === 'realm') return this.showRealm();
    this.made = {name, renames};
    await this.showClass(name);
  }

  showOptions(place, found, textual) {
    const options = classOptions(this.sample, found, textual, found.name === this.made?.name ? this.made.renames : new Map());
    const path = `/v1/classes/${encodeURIComponent(found.name)}/import`;
    const request = () => {
      const {parameters, contentType} = options.read();
      const isGzip = this.sample.isCompressed && this.sample.encoding === 'utf-8';
      return {path: `${path}?${parameters}`, headers: {'Content-Type': contentType, ...isGzip && {'Content-Encoding': 'gzip'}}};
    };
    const note = () => {
      try {
        this.lines.show({method: 'POST', ...request(), file: this.sample.file.name});
      } catch { /* The button reports it. */ }
    };
    const form = h('form', {oninput: note, onsubmit: attempt(async () => {
      const {path: target, headers} = request();
      await this.send(target, headers, () => inUTF8(this.sample), {name: found.name, columns: this.sample.columns});
    })}, options.element, h('p', {className: 'actions'}, h('button', {className: 'primary'}, `Import into ${found.name}`)));
    place.replaceChildren(form);
    note();
  }

  showStore() {
    const options = storeOptions();
    const headers = {'Content-Type': 'application/x-ndjson', ...this.sample.isCompressed && {'Content-Encoding': 'gzip'}};
    this.target.replaceChildren(h('h2', {}, 'A whole store'),
      h('p', {}, 'The file has a schema and the objects of all its classes. An empty store gets the schema; a store with classes '
        + 'has to have the same ones. It needs the right admin.'),
      h('form', {onsubmit: attempt(() => this.send(`/v1/import?${options.read()}`, headers, () => this.sample.file, {}))},
        options.element, h('p', {className: 'actions'}, h('button', {className: 'primary'}, 'Import the store'))));
    this.lines.show({method: 'POST', path: '/v1/import', headers, file: this.sample.file.name});
  }

  async showRealm() {
    const {file, isCompressed} = this.sample;
    if (file.size > realmBytesMax) {
      throw new Error('The file is too large for the browser. Import it with: holdfast import --data DIR --realm-json FILE');
    }
    const stream = isCompressed ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
    const realm = this.sample.realm ??= new RealmExport((await new Response(stream).text()).replace(/^\ufeff/, ''));
    const missing = realm.lists.filter(([name]) => !this.schema.class(name));
    this.target.replaceChildren(h('h2', {}, 'Classes of the Realm'), h('ul', {}, realm.lists.map(([name, objects]) => h('li', {},
      name, h('small', {}, ` ${grouped(objects.length)} objects`), this.schema.class(name) ? '' : ', which the store lacks'))));
    if (missing.length > 0) {
      const proposals = proposeRealm(realm, this.schema);
      return this.target.append(
        h('p', {}, 'The store has to have the classes first. If you have the app’s object schemas, ',
          h('code', {}, 'holdfast schema put --from realm-js'), ' makes them exactly; this proposal comes from the objects.'),
        proposalForm(proposals, this.schema, made => this.classMade(made)));
    }
    const options = storeOptions();
    const headers = {'Content-Type': 'application/x-ndjson'};
    this.lines.show({method: 'POST', path: '/v1/import', headers, file: 'LINES.ndjson'});
    this.target.append(h('form', {onsubmit: attempt(() => {
      const {blob, faults: before} = realm.lines(this.schema);
      return this.send(`/v1/import?${options.read()}`, headers, () => blob, {before});
    })}, options.element, h('p', {className: 'actions'}, h('button', {className: 'primary'}, 'Import the objects'))));
  }

  /** Sends the file that `makeBody` gives, and shows the report. */
  async send(path, headers, makeBody, about) {
    this.isBusy = true;
    this.result.replaceChildren();
    const start = performance.now();
    try {
      const report = await this.progress.during('Importing', async ({signal, show, waits}) => {
        const onProgress = (loaded, total) => loaded < total
          ? show(loaded, total) : waits('The file is sent. The service checks its last lines …');
        return upload(path, await makeBody(), {headers, signal, onProgress});
      });
      this.showReport(report, {...about, seconds: (performance.now() - start) / 1000});
    } catch (error) {
      if (error.name !== 'AbortError' || this.signal.aborted) throw error;
      this.result.replaceChildren(h('p', {}, 'The import was cancelled. Objects of lines that were taken stay in the store.'));
    } finally {
      this.isBusy = false;
    }
    forgetSchema();
    await showClasses();
  }

  showReport(report, about) {
    const element = reportOf(report, about);
    element.lastElementChild.append(button('Import another file', () => {
      this.query = {};
      location.hash === address('move') ? this.restart() : location.hash = address('move');
    }));
    this.result.replaceChildren(element);
    element.focus();
  }

  restart() {
    for (const place of [this.file, this.target, this.result]) place.replaceChildren();
    this.main.querySelector('.drop input').value = '';
    this.main.querySelector('.drop input').focus();
  }
}
