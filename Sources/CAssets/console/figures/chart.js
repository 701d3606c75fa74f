/** A line chart of a figure as SVG. */
import {h} from '../frame/elements.js';

const size = {width: 300, height: 120, left: 4, right: 4, top: 16, bottom: 18};
/** The longest milliseconds between two samples that a line connects. Pages in the background are woken once a minute. */
const gapMaximum = 75_000;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The least of 1, 2 and 5 times a power of ten (of two for bytes) that is not below the number. */
function niceMaximum(number, isBytes) {
  if (!(number > 0)) return 1;
  if (isBytes) return 2 ** Math.ceil(Math.log2(number));
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= number);
}

/** The values of each line of the figure with this index, in samples: lists of `{at, value}`. */
function series(figure, figureIndex, samples) {
  return figure.lines.map(({name}, lineIndex) => ({
    name, points: samples.map(({at, values}) => ({at, value: values[figureIndex][lineIndex]}))}));
}

/** The path of a line. It is interrupted where there is no value. */
function pathOf(points, x, y) {
  let last;
  return points.map(({at, value}) => {
    if (value === undefined) {
      last = undefined;
      return '';
    }
    const step = last === undefined || at - last > gapMaximum ? 'M' : 'L';
    last = at;
    return `${step}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
  }).join('');
}

/** A chart that is filled by `draw(samples, span)`, where `span` is the milliseconds that it shows. */
export function chart(figure, figureIndex) {
  const [picture, legend] = [h('div'), h('ul', {className: 'legend'})];
  const caption = h('figcaption', {}, h('h2', {}, figure.title), h('small', {}, figure.note));
  const element = h('figure', {className: 'figure'}, caption, picture, legend);
  return {element, draw(samples, span) {
    const end = samples.at(-1).at;
    const all = series(figure, figureIndex, samples.filter(({at}) => at >= end - span));
    picture.replaceChildren(drawing(figure, all, end, span));
    legend.replaceChildren(...all.map(({name, points}, index) => h(
      'li', {}, legendKey(index), `${name} `, h('strong', {}, present(figure, points)))));
  }};
}

const legendKey = index => svg(
  'svg', {viewBox: '0 0 16 8', class: 'key', 'aria-hidden': 'true'}, svg('path', {d: 'M0 4H16', class: `line line-${index}`}));

const present = (figure, points) => {
  const last = points.at(-1)?.value;
  return last === undefined ? '–' : figure.format(last);
};

function drawing(figure, all, end, span) {
  const values = all.flatMap(({points}) => points.map(({value}) => value)).filter(value => value !== undefined);
  const top = niceMaximum(Math.max(...values, 0), figure.unit.startsWith('bytes'));
  const {width, height, left, right, top: upper, bottom} = size;
  const x = at => left + (width - left - right) * (1 - (end - at) / span);
  const y = value => upper + (height - upper - bottom) * (1 - value / top);
  const minutes = Math.round(span / 60_000);
  const label = description(figure, all, minutes);
  return svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label, class: 'chart'},
    ...[0, 0.5, 1].map(share => svg('path', {d: `M${left} ${y(share * top)}H${width - right}`, class: 'grid'})),
    svg('text', {x: left, y: upper - 5}, figure.format(top)),
    svg('text', {x: left, y: height - 4}, `${minutes} min ago`),
    svg('text', {x: width - right, y: height - 4, 'text-anchor': 'end'}, 'now'),
    ...all.map(({points}, index) => svg('path', {d: pathOf(points, x, y), class: `line line-${index}`})));
}

/** The chart in words. */
function description(figure, all, minutes) {
  const texts = all.map(({name, points}) => {
    const values = points.map(({value}) => value).filter(value => value !== undefined);
    if (values.length === 0) return `${name}: no values`;
    const [least, greatest] = [Math.min(...values), Math.max(...values)].map(figure.format);
    return `${name}: ${present(figure, points)} now, from ${least} to ${greatest}`;
  });
  return `${figure.title} of the last ${minutes} minutes. ${texts.join('. ')}.`;
}
