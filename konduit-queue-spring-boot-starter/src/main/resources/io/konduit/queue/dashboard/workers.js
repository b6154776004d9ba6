// Workers with what they run.

import { h } from './dom.js';
import { canWrite, get } from './api.js';
import { number, plural } from './format.js';
import { act } from './dialogs.js';
import { empty, facts, state, table, taskLink, time } from './parts.js';

export const title = () => 'Workers';

export async function load() {
  const found = await get('workers');
  return { workers: found.workers.workers, running: found.running };
}

export function render(data, params, { reload }) {
  if (!data.workers.length) return h('section', { class: 'card' }, empty('No worker has registered', 'An application with the starter and a handler is a worker, unless konduit.queue.worker.enabled is false.'));
  const order = { ACTIVE: 0, DRAINING: 1, STALE: 2, GONE: 3 };
  return [...data.workers].sort((a, b) => order[a.status] - order[b.status]).map((one) => card(one, data.running.filter((run) => run.worker === one.id), reload));
}

function card(one, runs, reload) {
  const decide = (action) => act('workers', one.id, action, `worker ${one.name} on ${one.host}`).then((done) => done && reload());
  const alive = one.status === 'ACTIVE' || one.status === 'DRAINING';
  return h('section', { class: 'card', 'aria-label': `Worker ${one.name} ${one.id}` },
    h('div', { class: 'bar' }, h('h2', { class: 'long' }, one.name), state(one.status, one.concurrency ? null : `${one.status.toLowerCase()}, chores only`),
      h('span', { class: 'quiet' }, `${plural(one.running, 'task')} of ${plural(one.concurrency, 'slot')}`),
      canWrite() && alive && one.concurrency > 0 && h('button', { type: 'button', 'data-key': `act-${one.id}`, 'aria-label': `${one.drainingSince ? 'Resume' : 'Drain'} worker ${one.name} ${one.id.slice(0, 8)}`, onclick: () => decide(one.drainingSince ? 'resume' : 'drain') }, one.drainingSince ? 'Resume…' : 'Drain…')),
    facts([
      ['Process', `${one.pid} on ${one.host}`],
      ['Id', h('code', {}, one.id)],
      ['Queues', one.queues.join(', ') || 'none'],
      ['Started', time(one.startedAt)],
      ['Last heartbeat', time(one.lastBeatAt)],
      ['A crash is noticed by', one.witness ? 'its database session, within seconds' : 'the end of its leases'],
      ['Version', [one.version, one.applicationVersion && ` (application ${one.applicationVersion})`]],
      ['Draining', one.drainingSince && ['since ', time(one.drainingSince), ' by ', one.drainingBy]],
    ]),
    runs.length > 0 && h('details', { 'data-key': `runs-${one.id}`, open: runs.length <= 5 }, h('summary', {}, `Holds ${plural(runs.length, 'lease')}`),
      table(`Leases of ${one.name} ${one.id.slice(0, 8)}`, [
        { title: 'Task', cell: (run) => taskLink(run.id) },
        { title: 'Type', class: 'long', cell: (run) => run.type },
        { title: 'Queue', class: 'long', cell: (run) => run.queue },
        { title: 'Running since', cell: (run) => time(run.startedAt) },
        { title: 'Lease until', cell: (run) => time(run.leaseEndsAt) },
        { title: 'Last checkpoint', cell: (run) => (run.lastCheckpointAt ? time(run.lastCheckpointAt) : h('span', { class: 'quiet' }, 'none')) },
      ], runs.slice(0, 50)), runs.length > 50 && h('p', { class: 'quiet' }, `and ${number(runs.length - 50)} more`)));
}
