/** The figures of the view: their names, units and lines, calculated from readings. */
import {bytes} from '../frame/elements.js';

/** The value of a family without labels; undefined if the service does not state it. */
const value = (reading, name) => reading.families.get(name)?.[0]?.value;

/** The sum of a family over the labels that `isCounted` admits. */
function sum(reading, name, isCounted = () => true) {
  return (reading.families.get(name) ?? []).reduce((total, one) => (isCounted(one.labels) ? total + one.value : total), 0);
}

/** A line of values as they are. */
const gauge = (name, family, scale = 1) => ({name, at: reading => {
  const found = value(reading, family);
  return found === undefined ? undefined : found * scale;
}});

/** The growth of a counter in a second. A counter that has fallen began anew with the service. */
function growth(reading, before, read) {
  const difference = read(reading) - read(before);
  return difference < 0 || Number.isNaN(difference) ? undefined : difference / ((reading.at - before.at) / 1000);
}

/** A line of a counter's growth in a second. */
const rate = (name, read, scale = 1) => ({name, at: (reading, before) => {
  const found = before && growth(reading, before, read);
  return found === undefined ? undefined : found * scale;
}});

/** Streams and waiting requests stay open on purpose, so their durations say nothing about speed. */
const isMeasured = ({operation}) => !operation.startsWith('stream') && operation !== 'getMetrics';

/** A quantile of the durations between two readings in milliseconds, interpolated within its bucket. */
function quantile(reading, before, share) {
  const counts = new Map();
  for (const [from, sign] of [[reading, 1], [before, -1]]) {
    for (const {labels, value: count} of from.families.get('holdfast_http_request_duration_seconds_bucket') ?? []) {
      if (!isMeasured(labels)) continue;
      const bound = labels.le === '+Inf' ? Infinity : Number(labels.le);
      counts.set(bound, (counts.get(bound) ?? 0) + sign * count);
    }
  }
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total <= 0) return undefined;
  let [lower, below] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= share * total) {
      if (bound === Infinity) return lower * 1000;
      return (lower + (bound - lower) * ((share * total - below) / (count - below))) * 1000;
    }
    [lower, below] = [bound, count];
  }
}

const latency = (name, share) => ({name, at: (reading, before) => before && quantile(reading, before, share)});
const statusRate = name => rate(name, reading => sum(reading, 'holdfast_http_requests_total', ({status}) => status === name));

function commitMilliseconds(reading, before) {
  if (!before) return undefined;
  const commits = growth(reading, before, one => value(one, 'holdfast_commits_total'));
  const seconds = growth(reading, before, one => value(one, 'holdfast_commit_seconds_total'));
  return commits > 0 && seconds !== undefined ? seconds / commits * 1000 : undefined;
}

const short = number => (number >= 100 || Number.isInteger(number) ? Math.round(number).toLocaleString() : number.toPrecision(2));
const units = {
  count: short,
  'a second': number => `${short(number)}/s`,
  milliseconds: number => `${short(number)} ms`,
  bytes,
  'bytes a second': number => `${bytes(number)}/s`,
  percent: number => `${short(number)} %`,
};

/** A figure: its title, a sentence about it, the form of its values, and its lines. */
const figure = (title, unit, note, ...lines) => ({title, note, unit, format: units[unit], lines});

export const figures = [
  figure('Requests', 'a second', 'Requests that ended, by the class of their status. "aborted" had no whole reply.',
    ...['2xx', '3xx', '4xx', '5xx', 'aborted'].map(statusRate)),
  figure('Latency', 'milliseconds',
    'From the request line to the end of the reply, without streams: half, 95 and 99 of 100 requests were faster.',
    latency('50 %', 0.5), latency('95 %', 0.95), latency('99 %', 0.99)),
  figure('Connections', 'count', 'Open connections, and the event streams among them.',
    gauge('streams', 'holdfast_streams'), gauge('connections', 'holdfast_http_connections')),
  figure('Stream lag', 'milliseconds', 'From the first commit of the last step until its delivery to streams.',
    gauge('lag', 'holdfast_stream_lag_seconds', 1000)),
  figure('Writes', 'a second', 'A commit contains one or more transactions.',
    rate('commits', reading => value(reading, 'holdfast_commits_total')),
    rate('transactions', reading => value(reading, 'holdfast_transactions_total'))),
  figure('Commit time', 'milliseconds', 'The mean time that the engine takes to apply and sync a commit.',
    {name: 'mean', at: commitMilliseconds}),
  figure('Work under way', 'count', 'Reads and other jobs, and writes that wait for the writer.',
    gauge('jobs that run', 'holdfast_jobs_running'), gauge('jobs that wait', 'holdfast_jobs_waiting'),
    gauge('writes that wait', 'holdfast_waiting_writes')),
  figure('Traffic', 'bytes a second', 'Bodies of requests and replies.',
    rate('sent', reading => sum(reading, 'holdfast_http_sent_bytes_total')),
    rate('received', reading => sum(reading, 'holdfast_http_received_bytes_total'))),
  figure('Objects', 'count', 'The objects of all classes.', {name: 'objects', at: reading => sum(reading, 'holdfast_objects')}),
  figure('Store size', 'bytes', 'Bytes that the data takes on its medium.', gauge('store', 'holdfast_stored_bytes')),
  figure('Change log', 'bytes', 'The changes that streams can resume from.', gauge('change log', 'holdfast_change_log_bytes')),
  figure('Memory', 'bytes', 'Memory in RAM; the part that belongs to no file; columns, from which scans are answered.',
    gauge('all, with mapped files', 'process_resident_memory_bytes'),
    gauge('without files', 'holdfast_anonymous_memory_bytes'), gauge('columns', 'holdfast_column_bytes')),
  figure('Processor', 'percent', 'Processor time, where 100 % is one processor.',
    rate('processor', reading => value(reading, 'process_cpu_seconds_total'), 100)),
  figure('Refusals', 'a second',
    'Connections and messages that were refused, slow replies that were cut, and commits that failed.',
    rate('connections', reading => value(reading, 'holdfast_http_connections_refused_total')),
    rate('messages', reading => value(reading, 'holdfast_http_messages_refused_total')),
    rate('slow replies', reading => value(reading, 'holdfast_http_slow_replies_total')),
    rate('commits', reading => value(reading, 'holdfast_commit_failures_total'))),
];

/** Facts about the service, as pairs of a name and a text. */
export function facts(reading) {
  const {version, engine} = reading.families.get('holdfast_info')?.[0]?.labels ?? {};
  const started = value(reading, 'process_start_time_seconds');
  const pinned = value(reading, 'holdfast_pinned_versions');
  const exportSeconds = value(reading, 'holdfast_oldest_export_seconds');
  return [
    ['Version', version], ['Engine', engine],
    ['Running since', started && new Date(started * 1000).toLocaleString()],
    ['Store version', value(reading, 'holdfast_store_version')?.toLocaleString()],
    ['Schema revision', value(reading, 'holdfast_schema_revision')],
    ['Store file', value(reading, 'holdfast_store_readable') === 0 ? 'not readable' : 'readable'],
    ['Pinned versions', pinned || undefined], ['Oldest export', exportSeconds ? `${short(exportSeconds)} s` : undefined],
  ].filter(([, text]) => text !== undefined);
}
