/** A drawing of the classes with their links, and the same as a list. */
import {address} from '../console.js';
import {button, grouped, h} from '../frame/elements.js';
import {requestLines} from '../frame/request-lines.js';
import {layOut, rowHeight} from './layout.js';
import {shorthand} from './words.js';

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const shortened = (text, length) => text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** The box of a class: its name and count, then a line for each stored property. */
function boxOf({found, x, y, width, height}, count) {
  const about = count === undefined ? found.kind : grouped(count);
  const rows = found.stored.map((property, index) => {
    const isKey = property.name === found.primaryKey;
    const baseline = y + rowHeight * (index + 2) - 3;
    return svg('g', {class: isKey ? 'key' : ''},
      svg('text', {x: x + 10, y: baseline}, shortened(`${property.name}${isKey ? ' •' : ''}`, 24)),
      svg('text', {x: x + width - 10, y: baseline, class: 'type', 'text-anchor': 'end'}, shortened(shorthand(property), 18)));
  });
  return svg('a', {href: address('schema', found.name), class: `box ${found.kind}`, 'aria-label': `${found.name}, ${about}`},
    svg('rect', {x, y, width, height, rx: 6}),
    svg('text', {x: x + 10, y: y + 18, class: 'name'}, shortened(found.name, 24)),
    svg('text', {x: x + width - 10, y: y + 18, class: 'type', 'text-anchor': 'end'}, about),
    svg('line', {x1: x, x2: x + width, y1: y + rowHeight + 2, y2: y + rowHeight + 2}), ...rows);
}

/** The path of a link, from the line of its property to the head of the target's box. */
function pathOf({from, row, to}) {
  const startY = from.y + rowHeight * (row + 1.5) + 3;
  const endY = to.y + rowHeight / 2;
  const isBack = to.x <= from.x;
  if (from === to) {
    const right = from.x + from.width;
    return `M ${right} ${startY} C ${right + 46} ${startY}, ${right + 46} ${endY}, ${right + 2} ${endY}`;
  }
  const [startX, endX] = isBack ? [from.x, to.x + (to.x === from.x ? -2 : to.width + 2)] : [from.x + from.width, to.x - 2];
  const bend = Math.max(40, Math.abs(endX - startX) / 2);
  const [outward, inward] = isBack ? [-bend, to.x === from.x ? -bend : bend] : [bend, -bend];
  return `M ${startX} ${startY} C ${startX + outward} ${startY}, ${endX + inward} ${endY}, ${endX} ${endY}`;
}

function drawing(layout, counts) {
  const marker = svg('marker', {
    id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto'},
  svg('path', {d: 'M 0 0 L 8 4 L 0 8 z', class: 'head'}));
  const links = layout.links.map(link => svg('path', {
    d: pathOf(link), class: `link${link.isEmbedded ? ' embedded' : ''}`, 'marker-end': 'url(#arrow)'},
  svg('title', {}, `${link.from.found.name}.${link.property.name} → ${link.to.found.name}`)));
  return svg('svg', {
    viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height, class: 'diagram', role: 'group',
    'aria-label': `${layout.boxes.length} classes and ${layout.links.length} links between them. The list below says the same.`},
  svg('defs', {}, marker), ...links, ...layout.boxes.map(box => boxOf(box, counts.get(box.found.name))));
}

/** The links as a list. */
const listOf = layout => h('ul', {}, layout.boxes.map(box => {
  const links = layout.links.filter(link => link.from === box);
  return h('li', {}, h('a', {href: address('schema', box.found.name)}, box.found.name),
    links.length > 0 ? ': ' : '', links.map((link, index) => [index > 0 && ', ', link.property.name,
      h('small', {}, ` ${link.isEmbedded ? 'contains' : 'links to'} `), shorthand(link.property)]));
}));

/** Shows the drawing. */
export function showDiagram(main, schema, counts) {
  if (schema.classes.length === 0) return main.append(h('p', {}, 'The store has no classes yet.'));
  const layout = layOut(schema);
  const picture = drawing(layout, counts);
  const fit = button('Fit to the page', () => {
    const isFitted = picture.classList.toggle('fitted');
    fit.textContent = isFitted ? 'Full size' : 'Fit to the page';
  });
  const lines = requestLines();
  lines.show({path: '/v1/schema'});
  main.append(
    h('p', {className: 'bar'}, fit, h('small', {}, '• primary key; solid arrows: links; dashed arrows: embedded objects')),
    h('div', {className: 'scroller drawing', tabIndex: 0, role: 'region', 'aria-label': 'Drawing of the schema'}, picture),
    h('h2', {}, 'The classes and their links as a list'), listOf(layout), lines.element);
}
