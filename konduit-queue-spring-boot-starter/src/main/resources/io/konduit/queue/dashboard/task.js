// One task from its enqueue to its end.

import { h } from './dom.js';
import { canWrite, get } from './api.js';
import { duration, number, simpleName, words } from './format.js';
import { act } from './dialogs.js';
import { facts, json, shape, state, statusWord, time, worker } from './parts.js';

export const title = (story) => `${story.task.type} ${story.task.id}`;

export const load = (params, [id]) => get('task', { id });

const ACTIONS = {
  PENDING: ['reschedule', 'cancel'], RUNNING: ['cancel'], HELD: ['release', 'fail', 'cancel'], FAILED: ['retry', 'cancel'], COMPLETED: [], CANCELLED: [],
};
const TONES = { RUNNING: 'run', HELD: 'act', FAILED: 'bad', COMPLETED: 'good' };
const WORDS = { release: 'Release…', fail: 'Fail…', retry: 'Retry…', cancel: 'Cancel…', reschedule: 'Reschedule…' };

export function render(story, params, { reload }) {
  const task = story.task;
  const id = String(task.id);
  const actions = canWrite() ? ACTIONS[task.status] || [] : [];
  return [
    h('section', { class: `card verdict ${TONES[task.status] || ''}` },
      h('p', {}, state(task.status), ' ', h('span', { class: 'first' }, story.explanation)),
      actions.length > 0 && h('p', { class: 'buttons' }, actions.map((action, index) => h('button', {
        type: 'button', class: action === 'fail' || action === 'cancel' ? 'harm' : index ? '' : 'main', 'data-key': action,
        onclick: () => act('tasks', id, action, `task ${id}`).then((done) => done && reload()),
      }, WORDS[action])))),
    h('div', { class: 'cards top-aligned' },
      h('section', { class: 'card' }, h('h2', {}, 'Time line'), timeline(story)),
      h('div', {},
        h('section', { class: 'card' }, h('h2', {}, 'Task'), about(story)),
        h('section', { class: 'card' }, h('h2', {}, 'Contents'), contents(story.contents)))),
  ];
}

function about({ task, lease, snoozes }) {
  return facts([
    ['Queue', h('a', { href: `#/tasks?queue=${encodeURIComponent(task.queue)}`, 'data-key': 'queue' }, task.queue)],
    ['Type', h('a', { href: `#/tasks?type=${encodeURIComponent(task.type)}`, 'data-key': 'type' }, task.type)],
    ['Priority', words(task.priority)],
    ['Attempts', `${number(task.attempts)}${task.maxAttempts ? ` of ${number(task.maxAttempts)}` : ''}`],
    ['Snoozed', snoozes ? number(snoozes) : null],
    ['Workers lost', number(task.zombieCount)],
    ['After a crash', task.reapable === null ? 'decided by the handler' : task.reapable ? 'runs again by itself' : 'is held for a person'],
    ['Unique key', task.uniqueKey && h('code', {}, task.uniqueKey)],
    ['Idempotency key', h('code', {}, task.idempotencyKey)],
    ['Lease', lease && ['epoch ', number(lease.epoch), ', worker ', worker(lease.worker), lease.workerName && ` (${lease.workerName} on ${lease.workerHost})`, lease.workerStatus && [' ', state(lease.workerStatus)], lease.endsAt && [', until ', time(lease.endsAt)]]],
    ['Last checkpoint', task.lastCheckpointAt && time(task.lastCheckpointAt)],
  ]);
}

function contents(found) {
  if (!found) return h('p', { class: 'quiet' }, 'Nothing to show.');
  return [
    found.note && h('p', { class: 'quiet' }, found.note),
    found.payload !== null && found.payload !== undefined && [h('h3', {}, 'Payload'), json(found.payload)],
    found.checkpoint !== null && found.checkpoint !== undefined && [h('h3', {}, 'Checkpoint'), json(found.checkpoint)],
  ];
}

const DID = {
  RECLAIMED: 'taken back, to run again', HELD: 'held for a person', LEASE_ENDED: 'lease ended early', RELEASED: 'released', FAILED: 'failed by hand',
  RETRIED: 'given more attempts', CANCELLED: 'cancelled', RESCHEDULED: 'rescheduled',
};
const CAUSE = { ZOMBIE: 'its lease had ended', QUARANTINED: 'it had lost too many workers', ABANDONED: 'it made no progress', WORKER_GONE: 'its worker had died' };
const ERRORS = { RETRIED: 'will be tried again', FAILED: 'was the last', INTERRUPTED: 'was interrupted', REFUSED: 'came too late and was refused' };

/** Everything that happened to a task, oldest first. */
export function timeline(story) {
  const task = story.task;
  const events = [{ at: task.createdAt, tone: 'note', form: 'circle', text: ['Enqueued in queue ', task.queue] }];
  for (const incident of story.incidents) {
    if (incident.leaseStartedAt) events.push({ at: incident.leaseStartedAt, tone: 'run', form: 'play', text: ['Claimed by worker ', worker(incident.previousOwner), ` (lease ${incident.leaseEpoch})`] });
    const byHand = incident.classification === 'OPERATOR';
    events.push({
      at: incident.detectedAt, tone: byHand ? 'note' : 'act', form: byHand ? 'turn' : 'warning',
      text: byHand ? [`${cap(DID[incident.action])} by `, incident.actor] : [`${cap(DID[incident.action] || words(incident.action))}: ${CAUSE[incident.classification] || words(incident.classification)}`],
      more: [
        incident.leaseEndedAt && !byHand && h('p', { class: 'quiet' }, 'Its lease was valid until ', time(incident.leaseEndedAt), incident.detectionDelayMillis !== null && `, noticed ${duration(Number(incident.detectionDelayMillis) / 1000)} later`),
        incident.note && h('p', {}, '“', incident.note, '”'),
      ],
    });
    if (incident.lateOutcome) events.push({ at: incident.lateOutcomeAt, tone: 'act', form: 'warning', text: [`The lost worker reported “${words(incident.lateOutcome)}”. It was refused.`] });
  }
  for (const error of story.errors) {
    events.push({
      at: error.at, tone: 'bad', form: 'cross', text: [`Attempt ${error.attempt} failed: `, h('code', { title: error.type }, simpleName(error.type)), ` (${ERRORS[error.outcome] || words(error.outcome)})`],
      more: [error.message && h('p', {}, error.message), error.stack && h('details', { 'data-key': `stack-${error.attempt}-${error.at}` }, h('summary', {}, 'Stack trace'), h('pre', { tabindex: '0' }, error.stack))],
    });
  }
  if (story.lease && task.status === 'RUNNING' && story.lease.startedAt) events.push({ at: story.lease.startedAt, tone: 'run', form: 'play', text: ['Claimed by ', story.lease.workerName || 'worker', ' ', worker(story.lease.worker), `, running since`] });
  if (task.lastCheckpointAt) events.push({ at: task.lastCheckpointAt, tone: 'note', form: 'dot', text: ['Last checkpoint'] });
  if (task.status === 'PENDING') events.push({ at: task.runAt, tone: 'note', form: 'circle', text: ['Due'] });
  if (task.finishedAt) {
    const good = task.status === 'COMPLETED';
    if (story.lease && story.lease.startedAt) events.push({ at: story.lease.startedAt, tone: 'run', form: 'play', text: ['Claimed by worker ', worker(story.lease.worker)] });
    events.push({ at: task.finishedAt, tone: good ? 'good' : task.status === 'FAILED' ? 'bad' : 'note', form: good ? 'check' : task.status === 'FAILED' ? 'cross' : 'slash', text: [cap(statusWord(task.status))], last: 1 });
  }
  events.sort((a, b) => new Date(a.at) - new Date(b.at) || (a.last || 0) - (b.last || 0));
  return h('ol', { class: 'line' }, events.map((event) => h('li', {}, h('span', { class: event.tone }, shape(event.form)), h('p', {}, event.text, ' ', h('span', { class: 'quiet' }, time(event.at))), event.more)));
}

const cap = (text) => text && text[0].toUpperCase() + text.slice(1);
