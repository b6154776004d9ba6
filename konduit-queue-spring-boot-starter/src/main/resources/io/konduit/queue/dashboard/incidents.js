// Incidents: tasks that were taken from a worker, per day and one by one.

import { h } from './dom.js';
import { get, list } from './api.js';
import { duration, number, plural, words } from './format.js';
import { bars } from './charts.js';
import { empty, more, select, state, table, taskLink, time, worker } from './parts.js';

export const every = 15000;
const PERIODS = [['1h', 'last hour'], ['24h', 'last 24 hours'], ['7d', 'last 7 days'], ['30d', 'last 30 days'], ['90d', 'last 90 days']];
const KINDS = { ZOMBIE: 'lease ended', QUARANTINED: 'lost too many workers', ABANDONED: 'no progress', WORKER_GONE: 'worker died', OPERATOR: 'operator' };

export const title = () => 'Incidents';

export async function load(params) {
  const [found, days] = await Promise.all([list('incidents', { since: params.since || '24h', before: params.before, size: 50 }), get('days')]);
  return { ...found, days };
}

export function render(data, params, { go }) {
  const since = select(PERIODS, params.since || '24h', { 'aria-label': 'Period', 'data-key': 'since', onchange: () => { since.blur(); go({ since: since.value }); } });
  return [perDay(data.days), counts(data, since), rows(data, params, go)];
}

function perDay({ days, of }) {
  const today = Math.floor(Date.now() / 86400000);
  const data = Array.from({ length: of }, (unused, index) => ({ day: today - of + 1 + index, parts: [0, 0] }));
  for (const one of days) {
    const bar = data.find((each) => each.day === Math.floor(new Date(one.day).getTime() / 86400000));
    if (bar) bar.parts[one.kind === 'OPERATOR' ? 0 : 1] += Number(one.incidents);
  }
  const name = (day) => new Date(day * 86400000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const lost = data.reduce((sum, bar) => sum + bar.parts[1], 0);
  const decided = data.reduce((sum, bar) => sum + bar.parts[0], 0);
  const label = `In ${of} days: ${plural(lost, 'task')} taken from a worker, ${plural(decided, 'decision')} of operators${days.some((one) => one.cut) ? ', and more: at most 2,000 of a day are counted' : ''}`;
  return h('section', { class: 'card' }, h('h2', {}, 'Incidents per day (UTC)'),
    bars(data.map((bar) => ({ parts: bar.parts, title: `${name(bar.day)}: ${number(bar.parts[1])} taken from a worker, ${number(bar.parts[0])} by operators` })), label, name(data[0].day), 'today'),
    h('p', { class: 'quiet' }, label, '.'));
}

function counts(data, since) {
  return h('section', { class: 'card' }, h('div', { class: 'bar' }, h('h2', {}, 'What became of them'), since),
    data.counts && (data.counts.length ? table('What became of them', [
      { title: 'Type', class: 'long', cell: (one) => one.type },
      { title: 'Why', cell: (one) => KINDS[one.classification] || words(one.classification) },
      { title: 'Then', cell: (one) => words(one.action) },
      { title: 'Incidents', class: 'num', cell: (one) => number(one.incidents) },
      { title: 'Completed', class: 'num', cell: (one) => number(one.completed) },
      { title: 'Failed', class: 'num', cell: (one) => number(one.failed) },
      { title: 'Cancelled', class: 'num', cell: (one) => number(one.cancelled) },
      { title: 'Open', class: 'num', cell: (one) => number(one.open) },
      { title: 'Worker was alive', class: 'num', cell: (one) => number(one.workerWasAlive) },
    ], data.counts) : empty('No incident in this period', 'An incident is recorded when a task is taken from a worker that crashed or stalled, and when an operator decides about a task.')));
}

function rows(data, params, go) {
  if (!data.incidents.length) return null;
  return h('section', { class: 'card' }, h('h2', {}, 'One by one'), table('One by one', [
    { title: 'When', cell: (one) => time(one.detectedAt) },
    { title: 'Task', cell: (one) => taskLink(one.task, `incident-${one.id}`) },
    { title: 'Type', class: 'long', cell: (one) => one.type },
    { title: 'Why', cell: (one) => KINDS[one.classification] || words(one.classification) },
    { title: 'Then', cell: (one) => words(one.action) },
    { title: 'Noticed after', class: 'num', cell: (one) => (one.detectionDelayMillis === null ? '–' : duration(Number(one.detectionDelayMillis) / 1000)) },
    { title: 'Worker', cell: (one) => worker(one.previousOwner) },
    { title: 'Late result', cell: (one) => (one.lateOutcome ? state(one.lateOutcome) : '') },
    { title: 'Task then', cell: (one) => (one.outcome ? state(one.outcome) : h('span', { class: 'quiet' }, 'open')) },
    { title: 'Who', class: 'long', cell: (one) => [one.actor, one.note && h('div', { class: 'quiet' }, '“', one.note, '”')] },
  ], data.incidents), more(data.next, (next) => go({ ...params, before: next })));
}
