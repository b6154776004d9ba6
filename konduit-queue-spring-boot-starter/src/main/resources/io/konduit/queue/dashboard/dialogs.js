// Asks before anything changes, and says what happened.

import { h, say } from './dom.js';
import { post } from './api.js';
import { number, plural } from './format.js';
import { field, statusWord } from './parts.js';

let back = null;

export function isOpen() {
  return Boolean(document.querySelector('dialog[open]'));
}

/** Opens a dialog; resolves when it is closed. `build(dialog, close)` returns its content. */
function open(title, build) {
  return new Promise((resolve) => {
    back = document.activeElement;
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title' });
    let result;
    const close = (value) => {
      result = value;
      dialog.close();
    };
    dialog.append(h('h2', { id: 'dialog-title' }, title));
    for (const part of [build(close)].flat(Infinity)) if (part) dialog.append(part);
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (back && back.isConnected) back.focus();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

const VERBS = {
  release: ['Release', 'It runs again, and may have its effect a second time.', false],
  fail: ['Fail', 'It will not run again unless somebody retries it.', true],
  retry: ['Retry', 'It gets more attempts and starts as soon as a slot is free.', false],
  cancel: ['Cancel', 'It never runs again. A running handler is told with its next checkpoint or heartbeat.', true],
  reschedule: ['Reschedule', 'It starts after the delay.', false],
  pause: ['Pause', 'Workers claim no tasks of this queue until it is resumed. Running tasks continue.', true],
  resume: ['Resume', 'Tasks are claimed again.', false],
  drain: ['Drain', 'The worker claims nothing more and finishes what it runs.', true],
};

function inputs(action) {
  const note = h('textarea', { maxlength: 1000, name: 'note' });
  const attempts = h('input', { type: 'number', min: 1, max: 100, value: '1', name: 'attempts' });
  const delay = h('input', { type: 'text', value: '0s', name: 'delay', placeholder: '10m', size: 8 });
  return {
    parts: [
      action === 'retry' && field('More attempts', attempts),
      action === 'reschedule' && field('Start after (90s, 15m, 2h)', delay),
      field('Note for the audit (optional)', note),
    ],
    values: () => ({
      note: note.value.trim(),
      attempts: action === 'retry' ? attempts.value : null,
      delay: action === 'reschedule' ? delay.value : null,
    }),
  };
}

/** One action on one thing. Resolves to true when it was done. */
export function act(list, id, action, what) {
  const [verb, effect, harm] = action === 'resume' && list === 'workers' ? ['Resume', 'The worker claims tasks again.', false] : VERBS[action];
  return open(`${verb} ${what}?`, (close) => {
    const form = inputs(action);
    const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    const go = h('button', { type: 'button', class: harm ? 'harm' : 'main', 'data-go': action }, verb);
    go.addEventListener('click', async () => {
      go.disabled = true;
      try {
        await post('act', { list, id, action, ...form.values() });
        say(`${verb}: done.`);
        close(true);
      } catch (refused) {
        problem.textContent = refused.message;
        problem.hidden = false;
        go.disabled = false;
      }
    });
    return [h('p', {}, effect), form.parts, problem,
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(false) }, 'Leave it'), go)];
  });
}

/** One action on several chosen tasks, one after the other. */
export function actOnEach(ids, action) {
  const [verb, effect, harm] = VERBS[action];
  return open(`${verb} ${plural(ids.length, 'task')}?`, (close) => {
    const form = inputs(action);
    const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    const go = h('button', { type: 'button', class: harm ? 'harm' : 'main', 'data-go': action }, verb);
    go.addEventListener('click', async () => {
      go.disabled = true;
      const refusals = [];
      for (const id of ids) {
        try {
          await post('act', { list: 'tasks', id, action, ...form.values() });
        } catch (refused) {
          refusals.push(refused.message);
        }
      }
      say(`${verb}: ${plural(ids.length - refusals.length, 'task')} done.`);
      if (!refusals.length) return close(true);
      problem.textContent = `${plural(ids.length - refusals.length, 'task')} done, ${number(refusals.length)} not. ${refusals[0]}`;
      problem.hidden = false;
      return undefined;
    });
    return [h('p', {}, effect), form.parts, problem,
      h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: () => close(true) }, 'Close'), go)];
  });
}

/** An action on everything that matches: first a dry run, then the confirmation with its result. */
export function bulk(action, filter, description) {
  const [verb, , harm] = VERBS[action];
  return open(`${verb} all ${description}?`, (close) => {
    const form = inputs(action);
    const count = h('p', { role: 'status' }, 'Counting what matches…');
    const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
    const go = h('button', { type: 'button', class: harm ? 'harm' : 'main', disabled: true, 'data-go': action }, verb);
    const leave = h('button', { type: 'button', onclick: () => close(Boolean(leave.dataset.done)) }, 'Leave it');
    const wanted = () => ({ action, ...filter, ...form.values() });
    const refuse = (refused) => {
      problem.textContent = refused.message;
      problem.hidden = false;
    };
    post('bulk', { ...wanted(), dryRun: true }).then((found) => {
      const states = Object.entries(found.byStatus).map(([status, tasks]) => `${number(tasks)} ${statusWord(status)}`);
      count.textContent = Number(found.matched)
        ? `Dry run: ${plural(found.matched, 'task')} match${Number(found.matched) === 1 ? 'es' : ''}${states.length ? ` (${states.join(', ')})` : ''}. Nothing has changed yet.`
        : 'Dry run: no task matches. There is nothing to do.';
      go.textContent = Number(found.matched) ? `${verb} ${number(found.matched)}` : verb;
      go.disabled = !Number(found.matched);
    }).catch((refused) => {
      count.textContent = 'The dry run did not work.';
      refuse(refused);
    });
    go.addEventListener('click', async () => {
      go.disabled = true;
      problem.hidden = true;
      count.textContent = 'Working, in batches of 500…';
      try {
        const done = await post('bulk', { ...wanted(), dryRun: false });
        const skipped = Number(done.skipped) ? ` ${number(done.skipped)} were skipped: they were locked, had changed, or their key was taken.` : '';
        count.textContent = `Done: ${plural(done.changed, 'task')} changed.${skipped}${done.more ? ' There are more: do it again for the rest.' : ''}`;
        leave.textContent = 'Close';
        leave.dataset.done = 'yes';
        leave.focus();
        go.disabled = !done.more;
      } catch (refused) {
        count.textContent = 'It stopped before the end. What was done stays done; the audit has the number.';
        refuse(refused);
        leave.dataset.done = 'yes';
        go.disabled = false;
      }
    });
    return [count, form.parts, problem, h('div', { class: 'buttons' }, leave, go)];
  });
}
