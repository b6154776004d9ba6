// Queues: what waits, who serves them, and who paused them.

import { h } from './dom.js';
import { canWrite, list } from './api.js';
import { duration, number, plural, words } from './format.js';
import { act } from './dialogs.js';
import { empty, state, table, time } from './parts.js';

export const title = () => 'Queues';

export async function load() {
  const [queues, decisions] = await Promise.all([list('queues'), list('decisions', { size: 20 })]);
  return { queues: queues.queues, decisions: decisions.decisions };
}

export function render(data, params, { reload }) {
  const decide = (queue, action) => act('queues', queue.name, action, `queue ${queue.name}`).then((done) => done && reload());
  return [
    h('section', { class: 'card' }, !data.queues.length ? empty('No queues yet', 'A queue exists as soon as a task names it or a worker serves it. Without a name, tasks go to the queue "default".')
      : table('Queues', [
        { title: 'Queue', class: 'long', cell: (queue) => h('a', { href: `#/tasks?queue=${encodeURIComponent(queue.name)}`, 'data-key': `queue-${queue.name}` }, queue.name) },
        { title: 'State', class: 'long', cell: (queue) => (queue.paused ? [state('PAUSED'), h('div', { class: 'quiet' }, 'by ', queue.paused.pausedBy, ', ', time(queue.paused.pausedAt), queue.paused.note && [': ', queue.paused.note])] : queue.activeWorkers ? state('OPEN') : state('UNSERVED')) },
        { title: 'Waiting', class: 'num', cell: (queue) => (queue.pendingIsEstimate ? `~${number(queue.pending)}` : number(queue.pending)) },
        { title: 'Running', class: 'num', cell: (queue) => number(queue.running) },
        { title: 'Held', class: 'num', cell: (queue) => number(queue.held) },
        { title: 'Failed', class: 'num', cell: (queue) => number(queue.failed) },
        { title: 'Oldest due', class: 'num', cell: (queue) => duration(queue.oldestDueSeconds) },
        { title: 'Active workers', class: 'num', cell: (queue) => `${number(queue.activeWorkers)} / ${plural(queue.slots, 'slot')}` },
        ...(canWrite() ? [{ title: 'Actions', cell: (queue) => h('button', { type: 'button', 'data-key': `act-${queue.name}`, 'aria-label': `${queue.paused ? 'Resume' : 'Pause'} queue ${queue.name}`, onclick: () => decide(queue, queue.paused ? 'resume' : 'pause') }, queue.paused ? 'Resume…' : 'Pause…') }] : []),
      ], data.queues)),
    h('section', { class: 'card' }, h('h2', {}, 'Who paused and resumed'), !data.decisions.length ? h('p', { class: 'quiet' }, 'Nobody has paused a queue. A pause stops claims in all instances; running tasks continue.')
      : table('Who paused and resumed', [
        { title: 'When', cell: (one) => time(one.at) },
        { title: 'Queue', class: 'long', cell: (one) => one.queue },
        { title: 'What', cell: (one) => words(one.action) },
        { title: 'Who', class: 'long', cell: (one) => one.actor },
        { title: 'Note', class: 'long', cell: (one) => one.note || '' },
      ], data.decisions)),
  ];
}
