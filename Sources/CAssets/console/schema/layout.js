/** Where the boxes of a drawing of the schema stand: in layers from left to right, so that most links lead to the right. */
import {shorthand} from './words.js';

export const rowHeight = 20;
const [letterWidth, gapX, gapY, margin] = [7.2, 90, 28, 12];
/** The greatest height at which layers are centred. A taller drawing would begin with an empty corner. */
const centredMax = 1200;

const targetName = property => property.class ?? property.element?.class;

/** The box of a class, without a position. */
function boxFor(found) {
  const letters = found.stored.map(property => Math.min(25, property.name.length + 2) + Math.min(18, shorthand(property).length));
  const head = Math.min(24, found.name.length) * 1.2 + 9;
  const width = Math.max(130, Math.ceil(Math.max(head, ...letters) * letterWidth) + 20);
  return {found, width, height: rowHeight * (found.stored.length + 1) + 8, layer: 0, x: 0, y: 0};
}

/** The links between boxes; each knows the line of its property. */
function linksBetween(boxes) {
  const named = new Map(boxes.map(box => [box.found.name, box]));
  const linksOf = from => from.found.stored.map(
    (property, row) => ({from, property, row, to: named.get(targetName(property))}));
  return boxes.flatMap(linksOf).filter(link => link.to).map(link => ({...link, isEmbedded: link.to.found.isEmbedded}));
}

/** Gives each box the distance from a box that few link to, which keeps drawings with many circles short. */
function assignDistances(boxes, links) {
  const incoming = new Map(boxes.map(box => [box, links.filter(link => link.to === box && link.from !== box).length]));
  const waiting = new Set(boxes);
  for (const start of [...boxes].sort((one, other) => incoming.get(one) - incoming.get(other))) {
    if (!waiting.delete(start)) continue;
    start.layer = 0;
    const found = [start];
    for (const box of found) {
      for (const {to} of links.filter(link => link.from === box)) {
        if (!waiting.delete(to)) continue;
        to.layer = box.layer + 1;
        found.push(to);
      }
    }
  }
}

/** Gives each box its layer, left of the boxes that it links to. Links that would close a circle do not count. */
function assignLayers(boxes, links) {
  const state = new Map();
  const visit = box => {
    state.set(box, 'open');
    for (const {to} of links.filter(link => link.from === box)) {
      if (state.get(to) === 'open') continue;
      if (!state.has(to)) visit(to);
      box.rank = Math.max(box.rank ?? 0, (to.rank ?? 0) + 1);
    }
    state.set(box, 'done');
  };
  for (const box of boxes) if (!state.has(box)) visit(box);
  const highest = Math.max(...boxes.map(box => box.rank ?? 0));
  if (highest > 4 + Math.sqrt(boxes.length)) return assignDistances(boxes, links);
  for (const box of boxes) box.layer = highest - (box.rank ?? 0);
  for (const box of [...boxes].sort((one, other) => one.layer - other.layer)) {
    const before = links.filter(link => link.to === box && link.from.layer < box.layer).map(link => link.from.layer);
    if (before.length > 0) box.layer = Math.max(...before) + 1;
  }
}

/** Orders each layer by the mean position of the boxes that link to its boxes, which keeps arrows short. */
function orderLayers(layers, links) {
  const position = new Map();
  const note = layer => layer.forEach((box, index) => position.set(box, index / layer.length));
  layers.forEach(note);
  const meanOf = (box, side, other) => {
    const near = links.filter(link => link[side] === box && link[other] !== box).map(link => position.get(link[other]));
    return near.length > 0 ? near.reduce((sum, value) => sum + value, 0) / near.length : position.get(box);
  };
  for (let round = 0; round < 4; round++) {
    const [side, other] = round % 2 === 0 ? ['to', 'from'] : ['from', 'to'];
    for (const layer of round % 2 === 0 ? layers : [...layers].reverse()) {
      const means = new Map(layer.map(box => [box, meanOf(box, side, other)]));
      layer.sort((one, another) => means.get(one) - means.get(another));
      note(layer);
    }
  }
}

/** Moves boxes that no link touches into rows below the others. */
function placeLoose(boxes, top, width) {
  let [x, y, lowest] = [margin, top, top];
  for (const box of boxes) {
    if (x > margin && x + box.width > Math.max(width, 1000)) [x, y] = [margin, lowest + gapY];
    [box.x, box.y] = [x, y];
    x += box.width + gapX / 3;
    lowest = Math.max(lowest, y + box.height);
  }
  return lowest;
}

/** The boxes and links of a schema with their positions, and the size of the drawing. */
export function layOut(schema) {
  const boxes = schema.classes.map(boxFor);
  const links = linksBetween(boxes);
  const isLinked = box => links.some(link => link.from === box || link.to === box);
  const linked = boxes.filter(isLinked);
  let [x, bottom] = [margin, margin];
  if (linked.length > 0) {
    assignLayers(linked, links);
    const layers = Array.from({length: Math.max(...linked.map(box => box.layer)) + 1}, (_, index) =>
      linked.filter(box => box.layer === index));
    orderLayers(layers, links);
    const heights = layers.map(layer => layer.reduce((sum, box) => sum + box.height + gapY, -gapY));
    const tallest = Math.max(...heights);
    layers.forEach((layer, index) => {
      let y = margin + (tallest > centredMax ? 0 : (tallest - heights[index]) / 2);
      for (const box of layer) {
        [box.x, box.y] = [x, y];
        y += box.height + gapY;
      }
      x += Math.max(...layer.map(box => box.width)) + gapX;
    });
    bottom = margin + tallest;
  }
  const loose = boxes.filter(box => !isLinked(box));
  if (loose.length > 0) bottom = placeLoose(loose, bottom + (linked.length > 0 ? gapY : 0), x);
  return {boxes, links, width: Math.max(...boxes.map(box => box.x + box.width)) + gapX / 1.5, height: bottom + margin};
}
