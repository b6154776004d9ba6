// Builds elements. Text only ever becomes a text node, so no value of a task can be markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Puts new content in place and leaves the keyboard where it was. */
export function replace(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const open = new Map([...element.querySelectorAll('details[data-key]')].map((one) => [one.dataset.key, one.open]));
  const scrolled = new Map([...element.querySelectorAll('.scroll[data-key]')].map((one) => [one.dataset.key, one.scrollLeft]));
  element.replaceChildren();
  append(element, children);
  for (const one of element.querySelectorAll('details[data-key]')) if (open.has(one.dataset.key)) one.open = open.get(one.dataset.key);
  for (const one of element.querySelectorAll('.scroll[data-key]')) one.scrollLeft = scrolled.get(one.dataset.key) || 0;
  if (focused) {
    const again = [...element.querySelectorAll('[data-key]')].find((one) => one.dataset.key === focused);
    if (again) again.focus({ preventScroll: true });
  }
}

/** For screen readers: what has just happened. */
export function say(text) {
  document.getElementById('said').textContent = text;
}
