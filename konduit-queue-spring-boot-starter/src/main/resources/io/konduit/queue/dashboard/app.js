// Finds the page for the address, loads it, and keeps it fresh while somebody looks.

import { h, replace } from './dom.js';
import { get, whoAmI } from './api.js';
import { isOpen } from './dialogs.js';
import * as overview from './overview.js';
import * as review from './review.js';
import * as tasks from './tasks.js';
import * as task from './task.js';
import * as queues from './queues.js';
import * as workers from './workers.js';
import * as incidents from './incidents.js';
import * as audit from './audit.js';

const PAGES = { '': overview, review, tasks, task, queues, workers, incidents, audit };
const NAMES = { '': 'overview', task: 'tasks' };
const EVERY = 5000;

const by = (id) => document.getElementById(id);
let shown = null;
let loading = 0;
let paused = false;
let timer = 0;

function address() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, ...rest] = path.split('/');
  return { name, rest: rest.map(decodeURIComponent), params: Object.fromEntries(new URLSearchParams(search || '')) };
}

function problem(text) {
  const box = by('problem');
  box.hidden = !text;
  box.textContent = text || '';
}

function busy() {
  const active = document.activeElement;
  const typing = active && by('page').contains(active) && /^(INPUT|SELECT|TEXTAREA)$/.test(active.tagName) && active.type !== 'checkbox';
  const selected = getSelection() && !getSelection().isCollapsed && by('page').contains(getSelection().anchorNode);
  return isOpen() || typing || selected;
}

/** @param quietly a refresh: it never takes what somebody is doing out of their hands */
async function load(quietly) {
  const at = address();
  const page = PAGES[at.name];
  const turn = ++loading;
  clearTimeout(timer);
  if (!page) {
    by('title').textContent = 'No such page';
    replace(by('page'), h('p', {}, 'There is no page at this address. ', h('a', { href: '#/' }, 'Go to the overview')));
    return;
  }
  try {
    await whoAmI();
    const data = await page.load(at.params, at.rest);
    if (turn !== loading) return;
    problem('');
    if (!quietly || !busy()) show(page, data, at);
    badge(typeof data.held === 'number' ? data.held : await heldCount());
  } catch (refused) {
    if (turn !== loading) return;
    problem(refused.message || String(refused));
    if (!shown) replace(by('page'));
  }
  schedule();
}

function show(page, data, at) {
  const title = page.title(data, at.rest);
  by('title').textContent = title;
  document.title = `${title} · konduit-queue`;
  replace(by('page'), page.render(data, at.params, { reload: () => load(false), go, rest: at.rest }));
  shown = page;
}

let heldRead = 0;
let heldText = null;
async function heldCount() {
  if (Date.now() - heldRead > 15000) {
    heldRead = Date.now();
    const found = await get('inbox');
    heldText = found.more ? `${found.held}+` : found.held;
  }
  return heldText;
}

function badge(count) {
  if (count === null || count === undefined) return;
  by('held').hidden = !count;
  by('held').textContent = String(count);
}

/** Changes the parameters of this page's address. */
function go(params) {
  const search = new URLSearchParams(Object.entries(params).filter(([, value]) => value)).toString();
  const at = address();
  location.hash = `#/${[at.name, ...at.rest].join('/')}${search ? `?${search}` : ''}`;
}

function schedule() {
  clearTimeout(timer);
  if (!paused && document.visibilityState === 'visible') timer = setTimeout(() => load(true), (PAGES[address().name] || {}).every || EVERY);
}

function navigate(event) {
  const at = address();
  const current = NAMES[at.name] ?? at.name;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.page === current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  heldRead = 0;
  load(false).then(() => {
    // for screen readers, after a link has gone with the page it was on
    if (event && document.activeElement === document.body) by('main').focus({ preventScroll: true });
  });
}

by('skip').addEventListener('click', (event) => {
  event.preventDefault();
  by('main').focus();
});
by('refresh').addEventListener('click', () => {
  paused = !paused;
  by('refresh').textContent = paused ? 'Paused' : 'Refreshing';
  by('refresh').setAttribute('aria-pressed', String(!paused));
  if (paused) clearTimeout(timer);
  else load(true);
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') {
    if (!paused) load(true);
  } else clearTimeout(timer);
});
addEventListener('hashchange', navigate);

whoAmI().then((session) => {
  by('user').textContent = session.user;
  by('user').title = session.user;
  by('mode').hidden = session.canWrite;
}).catch(() => {});
navigate();
