// Talks to the server, and only to the server that the page came from.

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

let session = null;
let skew = 0;

/** The server's time: the browser's clock may be wrong. */
export function now() {
  return Date.now() + skew;
}

/** Who is signed in and what they may do; read again after the token has changed. */
export async function whoAmI(again) {
  if (!session || again) session = await get('session');
  return session;
}

export function canWrite() {
  return Boolean(session && session.canWrite);
}

export async function get(name, parameters) {
  return send(`api/${name}${query(parameters)}`, { method: 'GET' });
}

export const list = (of, parameters) => get('list', { ...parameters, of });

/**
 * Changes something. The token may have changed with a new sign-in: then it is fetched and the call repeated once. With HTTP Basic, a
 * wrong token ends as 401.
 */
export async function post(name, parameters) {
  try {
    return await form(name, parameters);
  } catch (problem) {
    if (![401, 403].includes(problem.status) || !session || !session.token) throw problem;
    const before = session.token.value;
    await whoAmI(true);
    if (!session.canWrite || !session.token || session.token.value === before) throw problem;
    return form(name, parameters);
  }
}

function form(name, parameters) {
  const body = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters || {})) if (given(value)) body.set(key, String(value));
  if (session && session.token) body.set(session.token.field, session.token.value);
  return send(`api/${name}`, { method: 'POST', body, headers: { 'X-Konduit-Dashboard': '1' } });
}

const given = (value) => value !== null && value !== undefined && value !== '';

export function query(parameters) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters || {})) if (given(value)) search.set(key, String(value));
  const text = search.toString();
  return text ? `?${text}` : '';
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, {
      ...options,
      headers: { ...options.headers, Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
      credentials: 'same-origin',
      redirect: 'manual',
      cache: 'no-store',
    });
  } catch {
    throw new Refused('The application does not answer. It may be restarting: this page tries again by itself.', 0);
  }
  const date = Date.parse(response.headers.get('Date') || '');
  if (!Number.isNaN(date)) {
    const found = date + 500 - Date.now();
    skew = Math.abs(found) < 1500 ? 0 : found;
  }
  const isJson = (response.headers.get('Content-Type') || '').includes('json');
  if (response.ok && isJson) return response.json();
  if (response.type === 'opaqueredirect' || response.status === 401 || (response.ok && !isJson)) {
    throw new Refused('You are signed out. Reload the page to sign in again.', 401);
  }
  let detail = '';
  if (isJson) detail = (await response.json()).detail || '';
  throw new Refused(detail || explain(response.status), response.status);
}

function explain(status) {
  if (status === 403) return 'The application refused this: your role does not allow it, or your session has changed. Reload the page and try again.';
  if (status >= 500) return `The application answered with error ${status}. Its log says why.`;
  return `The application answered with status ${status}.`;
}
