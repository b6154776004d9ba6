// The review inbox: tasks that must not run again before a person has decided.

import { h } from './dom.js';
import { canWrite, get, list } from './api.js';
import { plural, words } from './format.js';
import { act, actOnEach, bulk } from './dialogs.js';
import { empty, facts, json, more, select, state, taskLink, time, worker } from './parts.js';

const chosen = new Set();
const stories = new Map();

const WHY = {
  NOT_REAPABLE: 'Its worker was lost, and the task must not run twice. Find out whether its effect happened.',
  QUARANTINED: 'It has lost so many workers that it may be what kills them.',
};

export const title = () => 'Review inbox';

export async function load(params) {
  const found = await list('held', { after: params.after, size: 50 });
  return { tasks: found.held, next: found.next };
}

export function render(data, params, { reload, go }) {
  const tasks = data.tasks;
  for (const id of [...chosen]) if (!tasks.some((task) => String(task.id) === id)) chosen.delete(id);
  if (!tasks.length) {
    return h('section', { class: 'card' }, empty('Nothing waits for your decision',
      'A task comes here when its worker was lost and it must not run twice (reapable = false), or when it has lost too many workers.',
      'Each entry then shows who had it, until when, and what the lost worker reported later.'));
  }
  return [
    canWrite() && tools(tasks, reload),
    h('section', { class: 'card' }, tasks.map((task) => entry(task, reload))),
    more(data.next, (next) => go({ after: next })),
  ];
}

function tools(tasks, reload) {
  const types = [...new Set(tasks.map((task) => task.type))];
  const type = select([['', 'any type'], ...types.map((one) => [one, one])], '', { 'aria-label': 'Type', 'data-key': 'bulk-type' });
  const all = (action) => bulk(action, { type: type.value, status: 'HELD' }, type.value ? `held tasks of type ${type.value}` : 'held tasks').then((done) => done && reload());
  const some = (action) => actOnEach([...chosen], action).then((done) => done && (chosen.clear(), reload()));
  const release = h('button', { type: 'button', onclick: () => some('release'), 'data-key': 'release-chosen' }, 'Release chosen');
  const fail = h('button', { type: 'button', onclick: () => some('fail'), 'data-key': 'fail-chosen' }, 'Fail chosen');
  const update = () => { release.disabled = fail.disabled = chosen.size === 0; };
  update();
  tools.update = update;
  return h('div', { class: 'bar' },
    h('div', { class: 'buttons' }, release, fail),
    h('div', { class: 'buttons' }, h('span', { class: 'quiet' }, 'Everything of'), type,
      h('button', { type: 'button', onclick: () => all('release'), 'data-key': 'release-all' }, 'Release all…'),
      h('button', { type: 'button', onclick: () => all('fail'), 'data-key': 'fail-all' }, 'Fail all…')));
}

function entry(task, reload) {
  const id = String(task.id);
  const decide = (action) => act('tasks', id, action, `task ${id}`).then((done) => done && reload());
  const evidence = h('div', {});
  const details = h('details', { 'data-key': `evidence-${id}`, ontoggle: () => details.open && show(id, evidence) }, h('summary', {}, 'Everything that happened to it'), evidence);
  return h('article', { class: 'held', 'aria-label': `Task ${id}` },
    h('div', { class: 'head' },
      canWrite() && h('input', { type: 'checkbox', 'aria-label': `Choose task ${id}`, 'data-key': `choose-${id}`, checked: chosen.has(id), onchange: (event) => { if (event.target.checked) chosen.add(id); else chosen.delete(id); tools.update(); } }),
      h('h2', { class: 'long' }, task.type), taskLink(id, `held-${id}`), state('HELD', `held: ${words(task.reason)}`),
      h('span', { class: 'quiet' }, 'queue ', task.queue)),
    h('p', {}, WHY[task.reason] || ''),
    facts([
      ['Held', time(task.heldAt || task.createdAt)],
      ['Had it', task.previousOwner ? ['worker ', worker(task.previousOwner), task.leaseStartedAt && [', from ', time(task.leaseStartedAt)], task.leaseEndedAt && [', lease until ', time(task.leaseEndedAt)]] : null],
      ['Late result', task.lateOutcome ? [state(task.lateOutcome), ' reported by the lost worker ', time(task.lateOutcomeAt), '. It was refused, but its outside effect may have happened.'] : 'none: the lost worker has reported nothing since'],
      ['Last checkpoint', task.lastCheckpointAt ? time(task.lastCheckpointAt) : 'none'],
      ['Look for its effect under', h('code', {}, task.idempotencyKey)],
      ['Unique key', task.uniqueKey && h('code', {}, task.uniqueKey)],
      ['Attempts', `${task.attempts}, and ${plural(task.zombieCount, 'worker')} lost`],
      ['Last error', task.lastErrorClass && h('code', {}, task.lastErrorClass)],
      ['Payload', task.contents && task.contents.payload !== null && json(task.contents.payload)],
      ['Checkpoint', task.contents && task.contents.checkpoint !== null && json(task.contents.checkpoint)],
    ]),
    details,
    canWrite() && h('p', { class: 'buttons' },
      h('button', { type: 'button', class: 'main', onclick: () => decide('release'), 'data-key': `release-${id}`, 'aria-label': `Release task ${id}` }, 'Release…'),
      h('button', { type: 'button', class: 'harm', onclick: () => decide('fail'), 'data-key': `fail-${id}`, 'aria-label': `Fail task ${id}` }, 'Fail…'),
      h('button', { type: 'button', onclick: () => decide('cancel'), 'data-key': `cancel-${id}`, 'aria-label': `Cancel task ${id}` }, 'Cancel…')));
}

async function show(id, place) {
  try {
    if (!stories.has(id)) stories.set(id, await get('task', { id }));
    const { timeline } = await import('./task.js');
    place.replaceChildren(timeline(stories.get(id)));
    stories.delete(id);
  } catch (refused) {
    place.textContent = refused.message;
  }
}
