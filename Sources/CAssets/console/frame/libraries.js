/** The libraries and the styles that views load when they first need them. */

/** The folder of the console. */
const base = new URL('../', import.meta.url);

const loading = new Map();

/** Adds an element once, and resolves when its file is loaded. A failed element is removed, so that it can be tried again. */
function load(address, makeElement) {
  if (!loading.has(address.href)) {
    loading.set(address.href, new Promise((resolve, reject) => {
      const element = makeElement(address.href);
      element.onload = resolve;
      element.onerror = () => {
        element.remove();
        loading.delete(address.href);
        reject(new Error(`'${address.pathname}' could not be loaded.`));
      };
      document.head.append(element);
    }));
  }
  return loading.get(address.href);
}

const loadScript = path => load(
  new URL(path, base), src => Object.assign(document.createElement('script'), {src, async: false}));
const linkStyle = address => load(
  address, href => Object.assign(document.createElement('link'), {rel: 'stylesheet', href}));

/** Links a style of the console, such as `data/table.css`, and resolves when it is loaded. */
export const loadStyle = path => linkStyle(new URL(path, base));

/** Loads the grid, and resolves with its class. */
export async function loadTabulator() {
  await Promise.all([loadStyle('tabulator/tabulator.min.css'), loadScript('tabulator/tabulator.min.js')]);
  return globalThis.Tabulator;
}

/** Loads the text editor with its completion and the mode for JSON, and resolves with its function. */
export async function loadCodeMirror() {
  await Promise.all([
    ...['codemirror', 'show-hint'].map(name => loadStyle(`codemirror/${name}.css`)), loadStyle('frame/codemirror.css'),
    ...['codemirror', 'show-hint', 'matchbrackets', 'javascript'].map(name => loadScript(`codemirror/${name}.js`))]);
  return globalThis.CodeMirror;
}
