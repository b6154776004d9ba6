// Small charts as SVG. Each has a text that says the same.

import { h, svg } from './dom.js';

const WIDTH = 600;
const HEIGHT = 80;

function frame(label, children, from, to) {
  return [
    svg('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
      svg('line', { class: 'base', x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }), children),
    h('div', { class: 'axis', 'aria-hidden': 'true' }, h('span', {}, from), h('span', {}, to)),
  ];
}

/** Stacked bars. Each bar is { parts: [number, number], title }. */
export function bars(data, label, from, to) {
  const most = Math.max(1, ...data.map((bar) => bar.parts.reduce((a, b) => a + b, 0)));
  const step = WIDTH / Math.max(1, data.length);
  const wide = Math.min(step * 0.76, 14);
  const shapes = data.map((bar, index) => {
    let y = HEIGHT;
    const rects = bar.parts.map((part, kind) => {
      if (!part) return null;
      const height = Math.max(1.5, (part / most) * (HEIGHT - 2));
      y -= height;
      return svg('rect', { class: kind ? 'other' : 'main', x: (index * step + (step - wide) / 2).toFixed(1), y: Math.max(0, y).toFixed(1), width: wide.toFixed(1), height: height.toFixed(1) });
    });
    return svg('g', {}, svg('title', {}, bar.title), svg('rect', { x: (index * step).toFixed(1), y: 0, width: step.toFixed(1), height: HEIGHT, fill: 'transparent' }), rects);
  });
  return frame(label, shapes, from, to);
}

/** Curves over the same x axis. Each curve is a list of { x: 0..1, y } or null where there is nothing. */
export function curves(lines, label, from, to) {
  const most = Math.max(0.000001, ...lines.flat().filter(Boolean).map((point) => point.y));
  const shapes = lines.map((points, index) => {
    let path = '';
    let pen = 'M';
    let single = null;
    for (const point of points) {
      if (!point) {
        pen = 'M';
        continue;
      }
      path += `${pen}${(point.x * WIDTH).toFixed(1)} ${(HEIGHT - 2 - (point.y / most) * (HEIGHT - 6)).toFixed(1)}`;
      single = pen === 'M' ? point : null;
      pen = 'L';
    }
    if (single) path += 'h4';
    return path && svg('path', { class: index ? 'curve second' : 'curve', d: path });
  });
  return frame(label, shapes, from, to);
}
