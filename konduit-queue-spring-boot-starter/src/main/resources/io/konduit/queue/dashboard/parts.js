// What several pages show.

import { h, svg } from './dom.js';
import { ago, exact, words } from './format.js';
import { now } from './api.js';

const stroke = { fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
const SHAPES = {
  circle: () => svg('circle', { cx: 6, cy: 6, r: 4.5, ...stroke, 'stroke-width': 1.8 }),
  dot: () => svg('circle', { cx: 6, cy: 6, r: 5, fill: 'currentColor' }),
  play: () => svg('path', { d: 'M3 1.5 10.5 6 3 10.5z', fill: 'currentColor' }),
  bars: () => svg('path', { d: 'M3.5 2v8M8.5 2v8', ...stroke, 'stroke-width': 2.4 }),
  cross: () => svg('path', { d: 'M2 2l8 8M10 2l-8 8', ...stroke }),
  check: () => svg('path', { d: 'M1.5 6.5 4.7 10l5.8-8', ...stroke }),
  slash: () => [svg('circle', { cx: 6, cy: 6, r: 4.7, ...stroke, 'stroke-width': 1.6 }), svg('path', { d: 'M3 9 9 3', ...stroke, 'stroke-width': 1.6 })],
  warning: () => [svg('path', { d: 'M6 1 11.3 10.8H.7z', ...stroke, 'stroke-width': 1.5 }), svg('path', { d: 'M6 4.6v2.6M6 9v.1', ...stroke, 'stroke-width': 1.5 })],
  down: () => svg('path', { d: 'M6 1.5v9M2.2 6.8 6 10.5l3.8-3.7', ...stroke }),
  turn: () => svg('path', { d: 'M10.3 6a4.3 4.3 0 1 1-1.3-3.1M10.4.8v2.8H7.6', ...stroke, 'stroke-width': 1.7 }),
};

export function shape(name) {
  return svg('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, SHAPES[name]());
}

const STATES = {
  PENDING: ['note', 'circle', 'waiting'], RUNNING: ['run', 'play', 'running'], HELD: ['act', 'bars', 'held'],
  FAILED: ['bad', 'cross', 'failed'], COMPLETED: ['good', 'check', 'completed'], CANCELLED: ['note', 'slash', 'cancelled'],
  ACTIVE: ['good', 'dot', 'active'], STALE: ['bad', 'warning', 'silent'], DRAINING: ['act', 'down', 'draining'], GONE: ['note', 'slash', 'gone'],
  PAUSED: ['act', 'bars', 'paused'], UNSERVED: ['bad', 'warning', 'no worker'], OPEN: ['good', 'play', 'open'],
};

export const statusWord = (status) => (STATES[status] || [])[2] || words(status);

export function state(status, text) {
  const [tone, form, word] = STATES[status] || ['note', 'circle', words(status)];
  return h('span', { class: `state ${tone}` }, shape(form), text || word);
}

/** A relative time with the exact one at hand. */
export function time(value) {
  if (!value) return h('span', { class: 'quiet' }, '–');
  return h('time', { datetime: value, title: exact(value), class: 'nowrap' }, ago(value, now()));
}

export function taskLink(id, key) {
  return h('a', { href: `#/task/${id}`, class: 'mono', 'data-key': key || `task-${id}` }, String(id));
}

/** Columns are { title, class, cell(row) }. */
export function table(label, columns, rows) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label, 'data-key': `table-${label}` },
    h('table', {},
      h('thead', {}, h('tr', {}, columns.map((column) => h('th', { scope: 'col', class: column.class }, column.title)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, columns.map((column) => h('td', { class: column.class }, column.cell(row))))))));
}

export function empty(title, ...text) {
  return h('div', { class: 'empty' }, h('h2', {}, title), text.map((one) => h('p', {}, one)));
}

export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.filter((pair) => pair && pair[1] !== null && pair[1] !== undefined && pair[1] !== '')
    .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

export function code(text) {
  return h('code', {}, text);
}

export function json(value) {
  return h('pre', { tabindex: '0' }, JSON.stringify(value, null, 2));
}

/** A worker's id is long; its first part tells workers apart. */
export function worker(id) {
  return id ? h('span', { class: 'mono', title: id }, String(id).slice(0, 8)) : h('span', { class: 'quiet' }, '–');
}

export function more(next, go) {
  return next && h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => go(next), 'data-key': 'more' }, 'Older'));
}

export function field(label, control) {
  return h('label', { class: 'field' }, label, control);
}

export function select(options, value, attributes) {
  const control = h('select', attributes, options.map(([key, text]) => h('option', { value: key }, text)));
  control.value = value || '';
  return control;
}
