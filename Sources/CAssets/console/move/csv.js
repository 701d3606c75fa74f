/** CSV in the form of RFC 4180, read for a preview and written for an export. */

/**
 * The records of a text as arrays of cells. An empty cell without quotes is null. The last record is left out if the text may end
 * within it.
 */
export function parseRecords(text, delimiter, countMax, isWhole = true) {
  const records = [];
  let [record, cell, isQuoted, position] = [[], '', false, text.charCodeAt(0) === 0xfeff ? 1 : 0];
  const endCell = () => {
    record.push(cell === '' && !isQuoted ? null : cell);
    [cell, isQuoted] = ['', false];
  };
  const endRecord = () => {
    endCell();
    if (record.length > 1 || record[0] !== null) records.push(record);
    record = [];
  };
  while (position < text.length && records.length < countMax) {
    const letter = text[position++];
    if (letter === '"' && cell === '') {
      isQuoted = true;
      for (;;) {
        const end = text.indexOf('"', position);
        if (end < 0) return isWhole ? (cell += text.slice(position), endRecord(), records) : records;
        cell += text.slice(position, end);
        position = end + 1;
        if (text[position] !== '"') break;
        cell += '"';
        position++;
      }
    } else if (letter === delimiter) endCell();
    else if (letter === '\n') endRecord();
    else if (letter !== '\r' || text[position] !== '\n') cell += letter;
  }
  if (isWhole && records.length < countMax && (cell !== '' || isQuoted || record.length > 0)) endRecord();
  return records;
}

/** The separator with which the first lines of a text have the most cells, and equally many. */
export function separatorOf(text) {
  const scores = [',', ';', '\t', '|'].map(separator => {
    const widths = parseRecords(text.slice(0, 20_000), separator, 20, false).map(record => record.length);
    const same = widths.filter(width => width === widths[0]).length;
    return {separator, score: widths[0] > 1 ? widths[0] * same / widths.length : 0};
  });
  return scores.reduce((best, one) => one.score > best.score ? one : best).separator;
}

const cellText = value => typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value ?? ''}`;

/** One record. Null is an empty cell, and the empty text is `""`. */
export const recordText = values => `${values.map(value => {
  const text = cellText(value);
  return value === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(',')}\r\n`;
