/** The places of values and faults in a JSON text. */

const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const scalarPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const blankPattern = /[ \t\r\n]*/y;

const lineOf = (text, offset) => text.slice(0, offset).split('\n').length;

/** An error of a JSON text, with its `range`. */
class JSONFault extends Error {
  constructor(text, offset, expected) {
    super(`This is not valid JSON: ${expected} is expected here.`);
    this.range = {start: offset, end: Math.min(offset + 1, text.length), line: lineOf(text, offset)};
  }
}

/** The ranges of the values in a JSON text, by their JSON pointers: each has `start` and `end`. Throws the first fault. */
export function rangesOf(text) {
  const ranges = new Map();
  let at = 0;
  const expect = expected => { throw new JSONFault(text, at, expected); };
  /** Moves behind what matches here, and returns that text; undefined without a match. */
  const take = pattern => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  /** Moves behind a character and the blanks before it, if it is the next one. */
  const takes = character => {
    take(blankPattern);
    const isNext = text[at] === character;
    if (isNext) at += 1;
    return isNext;
  };
  /** Reads the members of an object or array up to its last bracket. */
  const members = (pointer, last, nameOf) => {
    if (takes(last)) return;
    do value(`${pointer}/${nameOf()}`); while (takes(','));
    if (!takes(last)) expect(`a comma or '${last}'`);
  };
  const memberName = () => {
    take(blankPattern);
    const name = take(stringPattern) ?? expect('a name in double quotes');
    if (!takes(':')) expect('a colon');
    return JSON.parse(name).replaceAll('~', '~0').replaceAll('/', '~1');
  };
  const value = pointer => {
    take(blankPattern);
    const start = at;
    let index = 0;
    if (takes('{')) members(pointer, '}', memberName);
    else if (takes('[')) members(pointer, ']', () => index++);
    else if (!(take(stringPattern) ?? take(scalarPattern))) expect('a value');
    ranges.set(pointer, {start, end: at});
  };
  value('');
  take(blankPattern);
  if (at < text.length) expect('the end of the text');
  return ranges;
}

/** The offset in a JSON string, which begins at `start`, of a column of its value. Columns count characters from 1. */
function offsetInString(text, start, column) {
  let at = start + 1;
  for (let passed = 1; passed < column; passed += 1) {
    if (text[at] === '\\') at += text[at + 1] === 'u' ? 6 : 2;
    else at += text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  return at;
}

/** The range that a fault of the service names, or that of the nearest value around it, with its line. */
export function rangeOf(text, {pointer = '', column}) {
  const ranges = rangesOf(text);
  let found = pointer;
  while (!ranges.has(found)) found = found.slice(0, found.lastIndexOf('/'));
  const {start, end} = ranges.get(found);
  const isPlaced = found === pointer && column !== undefined && text[start] === '"';
  const first = isPlaced ? Math.min(offsetInString(text, start, column), end - 1) : start;
  return {start: first, end: isPlaced ? end - 1 : end, line: lineOf(text, first)};
}
