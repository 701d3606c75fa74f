/** CSV in the form of RFC 4180, read for a preview and written for an export. */

/**
 * The records of a text as arrays of cells. An empty cell without quotes is null. The last record is left out if the text may end
 * within it. Lines end in a line feed, or in a carriage return if the text has no line feed.
 */
export function parseRecords(lines, delimiter, countMax, isWhole = true) {
  const records = [];
  const text = lines.includes('\n') ? lines : lines.replaceAll('\r', '\n');
  let [record, cell, isQuoted, position] = [[], '', false, 0];
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

const cellText = value => typeof value === 'object' && value !== null ? JSON.stringify(value) : `${value ?? ''}`;

/** One record. Null is an empty cell, and the empty text is `""`. */
export const recordText = values => `${values.map(value => {
  const text = cellText(value);
  return value === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(',')}\r\n`;
