// Whether all is well, and what to do first.

import { h } from './dom.js';
import { get } from './api.js';
import { compact, duration, exact, number, plural } from './format.js';
import { bars, curves } from './charts.js';
import { empty, state, table } from './parts.js';

let hour = null;
let hourRead = 0;

export const title = () => 'Overview';

export async function load() {
  const stale = Date.now() - hourRead > 20000;
  const [data, minutes] = await Promise.all([get('overview'), stale ? get('hour') : hour]);
  if (stale) hourRead = Date.now();
  hour = minutes;
  return { ...data, minutes: minutes.minutes };
}

export function render(data) {
  return [verdict(data), figures(data), charts(data), queues(data)];
}

function verdict(data) {
  const [first, ...others] = data.findings;
  return h('section', { class: `card verdict ${first.level.toLowerCase()}`, 'aria-label': 'Whether all is well' },
    h('p', { class: 'first' }, first.text),
    first.action && h('p', {}, first.action, ' ', link(first)),
    !first.action && link(first),
    others.length > 0 && h('ul', {}, others.slice(0, 8).map((one) => h('li', {}, one.text, ' ', link(one))),
      others.length > 8 && h('li', { class: 'quiet' }, `and ${number(others.length - 8)} more`)));
}

const PLACES = { '#/review': 'Open the review inbox', '#/queues': 'See the queues', '#/workers': 'See the workers', '#/incidents': 'See the incidents' };

function link(finding) {
  return finding.link && h('a', { href: finding.link, 'data-key': `finding-${finding.text.slice(0, 30)}` }, PLACES[finding.link] || 'See the tasks');
}

function figures(data) {
  const sum = (what) => data.queues.reduce((total, queue) => total + Number(queue[what]), 0);
  const estimate = data.queues.some((queue) => queue.pendingIsEstimate);
  const figure = (name, value, detail, to) => h('div', {}, h('dt', {}, to ? h('a', { href: to, 'data-key': `figure-${name}` }, name) : name),
    h('dd', { title: typeof value === 'number' ? number(value) : null }, typeof value === 'number' ? compact(value) : value, detail && h('small', {}, ` ${detail}`)));
  return h('dl', { class: 'figures' },
    figure(estimate ? 'Waiting (about)' : 'Waiting', sum('pending'), null, '#/tasks?status=PENDING'),
    figure('Running', sum('running'), `of ${plural(data.slots, 'slot')}`, '#/tasks?status=RUNNING'),
    figure('Held', Number(data.held), null, '#/review'),
    figure('Failed', sum('failed'), null, '#/tasks?status=FAILED'),
    figure('Oldest due task', data.oldestDueSeconds === null ? 'none' : duration(data.oldestDueSeconds)),
    figure('Workers', data.activeWorkers, [data.staleWorkers && `${data.staleWorkers} silent`, data.drainingWorkers && `${data.drainingWorkers} draining`].filter(Boolean).join(', '), '#/workers'),
    figure('Crash recovery ran', data.secondsSinceReaper === null ? 'not yet' : `${duration(data.secondsSinceReaper)} ago`));
}

const clock = (time) => exact(time).slice(11, 16);

function charts(data) {
  const minutes = data.minutes;
  const over = minutes.slice(0, -1);
  const completed = over.reduce((total, minute) => total + minute.completed, 0);
  const failed = over.reduce((total, minute) => total + minute.failed, 0);
  const about = over.some((minute) => minute.estimated) ? 'about ' : '';
  const last = over[over.length - 1];
  const from = clock(minutes[0].minute);
  const throughput = `${about}${plural(completed, 'task')} completed, ${number(failed)} failed in the last hour`;
  const waits = over.filter((minute) => minute.waitedMost !== null);
  const points = (what) => over.map((minute, index) => (minute[what] === null ? null : { x: index / 59, y: minute[what] }));
  const latest = waits[waits.length - 1];
  const peak = Math.max(...waits.map((minute) => minute.waitedMost));
  const waited = latest ? `median ${duration(latest.waitedMedian)}, slowest 5 % above ${duration(latest.waitedMost)}` : 'nothing completed in the last hour';
  return h('div', { class: 'cards' },
    h('section', { class: 'card' }, h('h2', {}, 'Completed per minute', h('span', { class: 'now' }, `${last.estimated ? '~' : ''}${compact(last.completed)}`)),
      bars(over.map((minute) => ({ parts: [minute.completed, minute.failed], title: `${clock(minute.minute)}: ${number(minute.completed)} completed, ${number(minute.failed)} failed` })), throughput, from, 'now'),
      h('p', { class: 'quiet' }, throughput[0].toUpperCase(), throughput.slice(1), '.')),
    h('section', { class: 'card' }, h('h2', {}, 'Time from due to start', latest && h('span', { class: 'now' }, duration(latest.waitedMedian))),
      curves([points('waitedMost'), points('waitedMedian')], `Time from due to start: ${waited}`, from, 'now'),
      h('p', { class: 'quiet' }, latest ? `Latest: ${waited}. Peak: ${duration(peak)}. Dashed: the median.` : 'Nothing completed in the last hour.')),
    backlog(data));
}

function backlog(data) {
  const samples = data.backlog;
  const end = new Date(data.readAt).getTime();
  const start = samples.length ? new Date(samples[0].at).getTime() : end;
  const span = Math.max(60000, end - start);
  const points = samples.map((sample) => ({ x: 1 - (end - new Date(sample.at).getTime()) / span, y: Number(sample.waiting) }));
  const nowWaiting = samples.length ? samples[samples.length - 1].waiting : 0;
  return h('section', { class: 'card' }, h('h2', {}, 'Waiting tasks', h('span', { class: 'now' }, compact(nowWaiting))),
    curves([points], `Waiting tasks: now ${number(nowWaiting)}`, clock(new Date(end - span).toISOString()), 'now'),
    h('p', { class: 'quiet' }, 'Recorded while this page is open on any screen, for an hour.'));
}

function queues(data) {
  if (!data.queues.length) return empty('Nothing has been enqueued yet', 'Call TaskQueue.enqueue(type, payload) in a transaction of your application. The task appears here when it commits.');
  return h('section', { class: 'card' }, h('h2', {}, 'Queues'),
    table('Queues', [
      { title: 'Queue', class: 'long', cell: (queue) => h('a', { href: `#/tasks?queue=${encodeURIComponent(queue.name)}`, 'data-key': `queue-${queue.name}` }, queue.name) },
      { title: 'State', cell: (queue) => (queue.paused ? state('PAUSED') : queue.activeWorkers ? state('OPEN') : state('UNSERVED')) },
      { title: 'Waiting', class: 'num', cell: (queue) => (queue.pendingIsEstimate ? `~${number(queue.pending)}` : number(queue.pending)) },
      { title: 'Running', class: 'num', cell: (queue) => number(queue.running) },
      { title: 'Held', class: 'num', cell: (queue) => number(queue.held) },
      { title: 'Failed', class: 'num', cell: (queue) => number(queue.failed) },
      { title: 'Oldest due', class: 'num', cell: (queue) => duration(queue.oldestDueSeconds) },
      { title: 'Workers', class: 'num', cell: (queue) => `${number(queue.activeWorkers)} / ${plural(queue.slots, 'slot')}` },
    ], data.queues));
}
