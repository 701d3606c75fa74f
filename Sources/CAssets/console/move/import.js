/** The import of a file: it is chosen, looked at, given a class, and sent. */
import {address, showClasses} from '../console.js';
import {attempt, button, bytes, faults, field, grouped, h, notify} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {forgetSchema} from '../frame/schema.js';
import {isAdmin} from '../frame/session.js';
import {proposalForm} from './class.js';
import {shown} from '../frame/json.js';
import {classOptions, readingFields, storeOptions} from './options.js';
import {progressLine} from './progress.js';
import {classNameOf, classesOf, columnsOf, fittingClass, proposalRequest, propose, proposeRealm} from './propose.js';
import {encodings, firstRows, forms, inUTF8, likelyDelimiter, readSample, wholeText} from './read.js';
import {RealmExport} from './realm.js';
import {reportOf} from './report.js';
import {upload} from '../frame/transfer.js';
import {loadExactSchema} from '../schema/exact.js';
import {choice} from '../schema/fields.js';

/** The largest Realm that the browser makes lines of. */
const realmBytesMax = 512 * 1024 * 1024;
/** The media types of imports without a proposal. */
const usualTypes = {
  csv: 'text/csv', json: 'application/x-ndjson; profile=extended-json', geojson: 'application/geo+json'};
const newClass = ' new';

/** The place where a file is dropped or chosen. `take` gets the file. */
function dropPlace(take, signal) {
  const input = h('input', {type: 'file', accept: '.csv,.tsv,.json,.ndjson,.jsonl,.geojson,.gz,.txt',
    onchange: () => input.files[0] && take(input.files[0])});
  const element = h('label', {className: 'drop'}, h('span', {}, 'Drop a file here, or choose one:'), input, h('small', {},
    'CSV, NDJSON, a JSON array, mongoexport’s extended JSON, GeoJSON, Realm Studio’s JSON, an export of Holdfast; '
    + 'also as .gz'));
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
    h('tbody', {}, rows.map(row => h('tr', {}, columns.map(
      column => h('td', {}, shown(row[column]).slice(0, 200))))))));

export class ImportView {
  constructor(main, {schema, query, signal}) {
    Object.assign(this, {main, schema, query, signal, isBusy: false});
    [this.file, this.rows, this.target] = [h('div'), h('div'), h('div')];
    this.result = h('div', {role: 'status'});
    this.progress = progressLine(signal);
    this.lines = requestLines();
  }

  start() {
    this.lines.show({method: 'POST', path: `/v1/classes/${encodeURIComponent(this.query.class ?? 'NAME')}/import`,
      headers: {'Content-Type': 'text/csv'}, file: 'FILE.csv'});
    this.main.append(dropPlace(file => this.look(file), this.signal), this.file, this.rows, this.target, this.progress.element,
      this.result, this.lines.element);
  }

  clear() { for (const place of [this.file, this.rows, this.target, this.result]) place.replaceChildren(); }

  /** Reads the beginning of a file and shows it. `chosen` has the reader's choices. */
  async look(file, chosen = {}) {
    if (this.isBusy) return notify('An import is under way. Wait for it, or cancel it.', 'fault');
    this.clear();
    try {
      this.sample = await readSample(file, chosen);
      this.showFile();
      const {form} = this.sample;
      await (form === 'store' ? this.showStore() : form === 'realm' ? this.showRealm() : this.showObjects(chosen.reading));
    } catch (error) {
      if (!this.signal.aborted) this.target.replaceChildren(faults(error));
    }
  }

  showFile() {
    const {file, form, encoding} = this.sample;
    const again = () => this.look(file, {form: inputs.form.value, encoding: inputs.encoding.value});
    const inputs = {
      form: choice(forms, form, {onchange: again}), encoding: choice(encodings, encoding, {onchange: again})};
    this.file.replaceChildren(h('h2', {}, file.name), h('p', {}, `${bytes(file.size)}.`),
      h('div', {className: 'columns'}, field('Form', inputs.form), field('Encoding', inputs.encoding)));
  }

  /** Shows the first rows with the options of reading, and the class that they become. */
  async showObjects(stated) {
    const {sample} = this;
    this.proposal = null;
    const known = stated ?? (sample.form === 'csv' && !isAdmin() ? {delimiter: likelyDelimiter(sample)} : {});
    try {
      this.name = classNameOf(sample.file.name, name => this.schema.class(name));
      if (isAdmin()) this.proposal = await propose(sample, this.name, known, this.signal);
    } catch (error) {
      this.showRows(known);
      throw error;
    }
    this.showRows(this.proposal?.import.parameters ?? known);
    const fitting = this.schema.class(this.query.class ?? '') ?? fittingClass(sample, this.schema);
    return this.showClass(fitting?.name ?? (isAdmin() ? newClass : this.schema.objects[0]?.name));
  }

  showRows(parameters) {
    const {sample} = this;
    const {file, form, encoding} = sample;
    this.reading = form === 'csv'
      ? readingFields(parameters, () => this.look(file, {form, encoding, reading: this.reading.read()})) : undefined;
    Object.assign(sample, firstRows(sample, parameters.delimiter), {proposed: new Map()});
    sample.contentType = this.proposal?.import.contentType ?? usualTypes[form];
    if (this.proposal) {
      const main = classesOf(this.proposal).at(-1);
      sample.proposed = new Map(Object.entries(main.sources).map(([property, column]) => [column, property]));
      if (form !== 'csv') sample.columns = columnsOf(this.proposal);
    }
    this.rows.replaceChildren(sample.rows.length > 0 && sample.columns.length > 0 ? rowTable(sample) : '',
      this.reading?.element ?? '');
  }

  /** The choice of the class, with its options or a proposal below it. `made` has what was made of the proposal. */
  async showClass(name, made) {
    if (name === undefined) throw new Error('The store has no class that takes the file. An administrator can make one.');
    const names = this.schema.objects.map(found => found.name);
    const select = choice([...isAdmin() ? [[newClass, 'a new class …']] : [], ...names], name,
      {onchange: attempt(() => this.showClass(select.value))});
    const rest = h('div');
    this.target.replaceChildren(h('h2', {}, 'Class'), field('The rows become objects of', select), rest);
    const found = this.schema.class(name);
    return found ? this.showOptions(rest, found, made) : this.showProposal(rest);
  }

  showProposal(place) {
    const {form, file} = this.sample;
    const {sample: {objects, whole}, notes} = this.proposal;
    place.replaceChildren(
      h('p', {}, `The service proposes this class from ${whole ? 'the' : 'the first'} ${grouped(objects)} objects of the file. `
        + 'Change names and types where you know more.'),
      h('ul', {}, notes.map(note => h('li', {}, note))),
      proposalForm(classesOf(this.proposal), this.schema, {
        confirm: 'Make the class and import the file', onDone: made => this.classMade(made),
        onEdit: ({method, path, body}) => this.lines.show(
          {...proposalRequest(form, this.name, this.reading?.read()), file: file.name},
          {method, path, body})}));
  }

  /** Goes on with the import into a class that was made of the proposal. */
  async classMade(made) {
    [this.schema] = await Promise.all([loadExactSchema(), showClasses()]);
    const {name, properties} = made.get(this.proposal.class.name);
    (await this.showClass(name, properties)).requestSubmit();
  }

  /** The form of an import into a class, which is returned. */
  showOptions(place, found, made) {
    const {sample} = this;
    const options = classOptions(sample, found, {made, reading: this.reading});
    const path = `/v1/classes/${encodeURIComponent(found.name)}/import`;
    const isGzip = sample.isCompressed && sample.encoding === 'utf-8';
    const request = () => {
      const {parameters, contentType} = options.read();
      return {path: `${path}?${parameters}`, headers: {'Content-Type': contentType, ...isGzip && {'Content-Encoding': 'gzip'}}};
    };
    const note = () => {
      try {
        this.lines.show({method: 'POST', ...request(), file: sample.file.name});
      } catch { /* The button reports it. */ }
    };
    const form = h('form', {oninput: note, onsubmit: attempt(async () => {
      const {path: target, headers} = request();
      await this.send(target, headers, () => inUTF8(sample), {name: found.name, columns: sample.columns});
    })}, options.element, h('p', {className: 'actions'}, h('button', {className: 'primary'}, `Import into ${found.name}`)));
    place.replaceChildren(form);
    note();
    return form;
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

  /** The classes of a Realm, with a proposal for those that the store lacks. `names` has what was made of a proposal. */
  async showRealm(names = new Map()) {
    if (this.sample.file.size > realmBytesMax) {
      throw new Error('The file is too large for the browser. Import it with: holdfast import --data DIR --realm-json FILE');
    }
    const realm = this.sample.realm ??= new RealmExport(await wholeText(this.sample));
    const classOf = name => this.schema.class(names.get(name)?.name ?? name);
    const missing = realm.lists.filter(([name]) => !classOf(name));
    this.target.replaceChildren(h('h2', {}, 'Classes of the Realm'), h('ul', {}, realm.lists.map(([name, objects]) => h('li', {},
      name, h('small', {}, ` ${grouped(objects.length)} ${objects.length === 1 ? 'object' : 'objects'}`), classOf(name) ? '' : ', which the store lacks'))));
    if (missing.length > 0) {
      if (!isAdmin()) throw new Error('The store lacks classes of the Realm. An administrator can make them.');
      const proposals = await proposeRealm(realm, this.schema, this.signal);
      return this.target.append(
        h('p', {}, 'The store has to have the classes first. If you have the app’s object schemas, ',
          h('code', {}, 'holdfast schema put --from realm-js'), ' makes them exactly. This proposal comes from the objects.'),
        proposalForm(proposals, this.schema, {
          confirm: 'Make the classes and import the objects', onDone: made => this.realmMade(made),
          onEdit: ({method, path, body}) => this.lines.show({method, path, body})}));
    }
    const options = storeOptions();
    const headers = {'Content-Type': 'application/x-ndjson'};
    this.lines.show({method: 'POST', path: '/v1/import', headers, file: 'LINES.ndjson'});
    const form = h('form', {onsubmit: attempt(() => {
      const {blob, faults: before} = realm.lines(this.schema, names);
      return this.send(`/v1/import?${options.read()}`, headers, () => blob, {before});
    })}, options.element, h('p', {className: 'actions'}, h('button', {className: 'primary'}, 'Import the objects')));
    this.target.append(form);
    return form;
  }

  /** Goes on with the import into classes that were made of a proposal. */
  async realmMade(made) {
    [this.schema] = await Promise.all([loadExactSchema(), showClasses()]);
    (await this.showRealm(made)).requestSubmit();
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
    this.clear();
    this.main.querySelector('.drop input').value = '';
    this.main.querySelector('.drop input').focus();
  }
}
