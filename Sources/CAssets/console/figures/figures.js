/** The figures of the service as charts. */
import {faults, h} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {chart} from './chart.js';
import {facts, figures} from './list.js';
import {followFigures, lastReading, samples} from './samples.js';
import {loadStyle} from '../frame/libraries.js';

const spans = [['', 'since the console was opened'], [5, '5 minutes'], [15, '15 minutes'], [60, 'the last hour']];
let chosen = '';

/** The milliseconds that the charts show: the chosen ones, or those of all samples in whole minutes. */
const spanOf = found => chosen
  ? chosen * 60_000 : Math.max(1, Math.ceil((found.at(-1).at - found[0].at) / 60_000)) * 60_000;

export async function show(main, {signal}) {
  await loadStyle('figures/figures.css');
  const lines = requestLines();
  lines.show({path: '/metrics', isText: true});
  const charts = figures.map(chart);
  const chartPlace = h('div', {className: 'figures', hidden: true}, charts.map(({element}) => element));
  const [trouble, factList, status] = [h('div'), h('dl', {className: 'facts'}), h('p')];
  const draw = error => {
    trouble.replaceChildren(error ? faults(error) : '');
    chartPlace.hidden = samples.length === 0;
    if (samples.length === 0) return;
    const newest = lastReading();
    status.replaceChildren(h('small', {}, `Read every 5 s while the console is open. The last time: ${
      new Date(newest.at).toLocaleTimeString()}.`));
    factList.replaceChildren(...facts(newest).map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, `${text}`))));
    for (const one of charts) one.draw(samples, spanOf(samples));
  };
  const span = h('select', {onchange: () => {
    chosen = span.value && Number(span.value);
    draw(null);
  }}, spans.map(([value, text]) => h('option', {value, selected: value === chosen}, text)));
  main.append(
    h('h1', {}, 'Figures'), h('div', {className: 'bar'}, h('label', {}, 'Time ', span)), trouble, factList,
    chartPlace, status, lines.element);
  followFigures(draw, signal);
}
