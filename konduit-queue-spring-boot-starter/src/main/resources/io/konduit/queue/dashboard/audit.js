// What operators did to many tasks at once, or to a worker.

import { h } from './dom.js';
import { list } from './api.js';
import { number, words } from './format.js';
import { empty, more, table, time, worker } from './parts.js';

export const every = 15000;
export const title = () => 'Audit';

export async function load(params) {
  return list('audit', { before: params.before, size: 50 });
}

export function render(data, params, { go }) {
  return h('section', { class: 'card' },
    h('p', { class: 'quiet' }, 'Actions on many tasks at once and on workers. Decisions about single tasks are under ', h('a', { href: '#/incidents', 'data-key': 'incidents' }, 'Incidents'), ', pauses of queues under ', h('a', { href: '#/queues', 'data-key': 'queues' }, 'Queues'), '.'),
    !data.audit.length ? empty('No operator has acted yet', 'Each batch of a bulk action has an entry here with who did it, the filter, and how many tasks changed.')
      : table('Audit', [
        { title: 'When', cell: (one) => time(one.at) },
        { title: 'Who', class: 'long', cell: (one) => one.actor },
        { title: 'What', cell: (one) => words(one.action) },
        { title: 'Changed', class: 'num', cell: (one) => number(one.changed) },
        { title: 'Worker', cell: (one) => (one.worker ? worker(one.worker) : '') },
        { title: 'Filter', class: 'long', cell: (one) => (one.filter ? h('code', {}, Object.entries(one.filter).filter(([, value]) => value !== null && value !== false).map(([key, value]) => `${key}=${value}`).join(' ')) : '') },
        { title: 'Note', class: 'long', cell: (one) => one.note || '' },
      ], data.audit),
    more(data.next, (next) => go({ before: next })));
}
