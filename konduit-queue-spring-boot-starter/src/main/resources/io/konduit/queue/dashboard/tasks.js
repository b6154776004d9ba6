// Tasks with filters, counts that follow them, and actions on everything that matches.

import { h } from './dom.js';
import { canWrite, get, list } from './api.js';
import { compact, number, simpleName } from './format.js';
import { bulk } from './dialogs.js';
import { empty, field, more, state, statusWord, table, taskLink, time } from './parts.js';

const STATUSES = ['PENDING', 'RUNNING', 'HELD', 'FAILED', 'COMPLETED', 'CANCELLED'];
const BULK = { PENDING: ['reschedule', 'cancel'], RUNNING: ['cancel'], HELD: ['release', 'fail', 'cancel'], FAILED: ['retry', 'cancel'] };
const WORDS = { release: 'Release all…', fail: 'Fail all…', retry: 'Retry all…', cancel: 'Cancel all…', reschedule: 'Reschedule all…' };

let groups = null;
let groupsRead = 0;

export const title = () => 'Tasks';

export async function load(params) {
  const stale = Date.now() - groupsRead > 9000;
  const filter = { status: params.status, queue: params.queue, type: params.type, key: params.key, before: params.before };
  const id = /^-?\d+$/.test(params.id || '') ? params.id : null;
  const [found, counted] = await Promise.all([id ? one(id) : list('tasks', filter), stale ? get('groups') : groups]);
  if (stale) groupsRead = Date.now();
  groups = counted;
  return { ...found, groups: counted.groups, counted: counted.examined };
}

async function one(id) {
  try {
    return { tasks: [(await get('task', { id })).task], examined: 1, next: null };
  } catch (refused) {
    if (refused.status === 404) return { tasks: [], examined: 0, next: null };
    throw refused;
  }
}

export function render(data, params, { reload, go }) {
  const filter = { queue: params.queue, type: params.type };
  return [tabs(data, params), form(data, params, go), bulkBar(params, filter, reload, () => { groupsRead = 0; }), rows(data, params, go)];
}

/** The counts follow queue and type. */
function tabs(data, params) {
  const count = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  for (const group of data.groups) {
    if (params.queue && group.queue !== params.queue) continue;
    if (params.type && group.type !== params.type) continue;
    count[group.status] += Number(group.tasks);
  }
  const total = Object.fromEntries(STATUSES.map((status) => [status, data.groups.filter((group) => group.status === status).reduce((sum, group) => sum + Number(group.tasks), 0)]));
  const cut = (status) => total[status] >= data.counted;
  const to = (status) => `#/tasks${search({ ...params, status, before: null, id: null })}`;
  const tab = (status, text) => h('a', { href: to(status), 'aria-current': (params.status || '') === status ? 'true' : null, 'data-key': `tab-${status}` }, text,
    status && [' ', h('b', { title: cut(status) ? `at least this many; the newest ${number(data.counted)} are counted` : number(count[status]) }, compact(count[status]), cut(status) ? '+' : '')]);
  return h('nav', { class: 'tabs', 'aria-label': 'Status' }, tab('', 'all'), STATUSES.map((status) => tab(status, statusWord(status))));
}

function search(params) {
  const text = new URLSearchParams(Object.entries(params).filter(([, value]) => value)).toString();
  return text ? `?${text}` : '';
}

function form(data, params, go) {
  const names = (what) => [...new Set(data.groups.map((group) => group[what]))].sort();
  const suggest = (id, what) => h('datalist', { id }, names(what).slice(0, 200).map((name) => h('option', { value: name })));
  const input = (name, listed) => h('input', { name, value: params[name] || '', list: listed, autocomplete: 'off', 'data-key': `filter-${name}`, size: name === 'id' ? 12 : 18 });
  const queue = input('queue', 'queues');
  const type = input('type', 'types');
  const key = input('key');
  const id = input('id');
  const apply = (event) => {
    event.preventDefault();
    document.activeElement.blur();
    go({ status: id.value ? '' : params.status, queue: queue.value.trim(), type: type.value.trim(), key: key.value.trim(), id: id.value.trim() });
  };
  const any = params.queue || params.type || params.key || params.id;
  return h('form', { class: 'bar', role: 'search', onsubmit: apply },
    field('Queue', queue), suggest('queues', 'queue'), field('Type', type), suggest('types', 'type'),
    field('Unique key (with queue)', key), field('Task id', id),
    h('button', { type: 'submit', 'data-key': 'apply' }, 'Filter'),
    any && h('a', { class: 'button', href: `#/tasks${search({ status: params.status })}`, 'data-key': 'clear' }, 'Clear'));
}

function bulkBar(params, filter, reload, forget) {
  const actions = canWrite() ? BULK[params.status] : null;
  if (!actions || params.id || params.key) return null;
  const what = [statusWord(params.status), 'tasks', params.type && `of type ${params.type}`, params.queue && `in queue ${params.queue}`].filter(Boolean).join(' ');
  return h('div', { class: 'bar' }, h('span', { class: 'quiet' }, `Everything that matches (${what}):`),
    h('div', { class: 'buttons' }, actions.map((action) => h('button', {
      type: 'button', 'data-key': `all-${action}`, onclick: () => bulk(action, { ...filter, status: params.status }, what).then((done) => { if (done) { forget(); reload(); } }),
    }, WORDS[action]))));
}

function rows(data, params, go) {
  if (!data.tasks.length) return h('section', { class: 'card' }, nothing(data, params), more(data.next, (next) => go({ ...params, before: next })));
  return h('section', { class: 'card' },
    table('Tasks', [
      { title: 'Task', cell: (task) => taskLink(task.id) },
      { title: 'Type', class: 'long', cell: (task) => task.type },
      { title: 'State', cell: (task) => state(task.status) },
      { title: 'Queue', class: 'long', cell: (task) => task.queue },
      { title: 'Attempts', class: 'num', cell: (task) => `${number(task.attempts)}${task.maxAttempts ? ` / ${number(task.maxAttempts)}` : ''}` },
      { title: 'Enqueued', cell: (task) => time(task.createdAt) },
      { title: 'Due or ended', cell: (task) => time(task.finishedAt || task.runAt) },
      { title: 'Unique key', class: 'long', cell: (task) => (task.uniqueKey ? h('code', {}, task.uniqueKey) : '') },
      { title: 'Last error', class: 'long', cell: (task) => task.lastErrorClass && h('code', { title: task.lastErrorClass }, simpleName(task.lastErrorClass)) },
    ], data.tasks),
    more(data.next, (next) => go({ ...params, before: next })));
}

function nothing(data, params) {
  if (params.id) return empty('There is no such task', 'It was never enqueued, its transaction rolled back, or it was pruned after the retention time.');
  if (data.next) return empty(`None of the ${number(data.examined)} tasks that were read match`, 'There are older ones: go on with "Older".');
  if (params.queue || params.type || params.key) return empty('No task matches', 'Names must match exactly. The suggestions show what there is.');
  if (params.status === 'FAILED') return empty('No task has failed for good', 'A task comes here when its last attempt fails, and stays for the retention time so that it can be retried.');
  if (params.status) return empty(`No task is ${statusWord(params.status)}`, 'Choose another state above.');
  return empty('No tasks yet', 'Call TaskQueue.enqueue(type, payload) in a transaction of your application. The task appears here when it commits.');
}
