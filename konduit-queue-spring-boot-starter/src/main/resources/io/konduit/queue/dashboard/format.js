// Numbers, durations and times for people.

const numbers = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function number(value) {
  return value === null || value === undefined ? '–' : numbers.format(Number(value));
}

/** For large figures where the exact number is at hand. */
export function compact(value) {
  return Number(value) < 100000 ? number(value) : short.format(Number(value));
}

export function plural(count, noun) {
  return `${number(count)} ${noun}${Number(count) === 1 ? '' : 's'}`;
}

/** In the two largest units: 340 ms, 12 s, 5 min 3 s, 2 h 10 min, 4 d 6 h. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const s = Math.max(0, Number(seconds));
  if (s < 0.0005) return '0 s';
  if (s < 1) return `${Math.max(1, Math.round(s * 1000))} ms`;
  if (s < 10) return `${Number(s.toFixed(1))} s`;
  const whole = Math.round(s);
  if (whole < 60) return `${whole} s`;
  const [big, small, unit, smaller] = whole < 3600 ? [60, 1, 'min', 's'] : whole < 86400 ? [3600, 60, 'h', 'min'] : [86400, 3600, 'd', 'h'];
  const rest = Math.floor((whole % big) / small);
  return `${Math.floor(whole / big)} ${unit}${rest ? ` ${rest} ${smaller}` : ''}`;
}

export function exact(time) {
  const t = new Date(time);
  if (Number.isNaN(t.getTime())) return String(time);
  const two = (n) => String(n).padStart(2, '0');
  const zone = -t.getTimezoneOffset();
  const offset = `${zone < 0 ? '-' : '+'}${two(Math.floor(Math.abs(zone) / 60))}:${two(Math.abs(zone) % 60)}`;
  return `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())} ${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())} ${offset}`;
}

export function ago(time, now) {
  const seconds = (now - new Date(time).getTime()) / 1000;
  if (Math.abs(seconds) < 2) return 'just now';
  const whole = Math.round(Math.abs(seconds));
  const text = whole < 60 ? `${whole} s` : whole < 3600 ? `${Math.floor(whole / 60)} min` : duration(whole);
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

export function words(constant) {
  return constant ? String(constant).toLowerCase().replaceAll('_', ' ') : '';
}

/** The last part of a class name. */
export function simpleName(type) {
  return type ? String(type).slice(String(type).lastIndexOf('.') + 1) : '';
}
