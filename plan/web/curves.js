// SPDX-License-Identifier: BSD-3-Clause
// The line that a cable takes. In trees cables leave upwards and arrive from below; elsewhere they
// are arcs, as high as the layout says.

// Control points of a cubic curve from (ax, ay) to (bx, by), bent to the right of whoever goes.
export function controls(tree, ax, ay, bx, by, bend, out) {
  const dx = bx - ax;
  const dy = by - ay;
  if (tree && Math.abs(dy) > 0.5) {
    out[0] = ax + bend;
    out[1] = out[3] = (ay + by) / 2;
    out[2] = bx + bend;
    return out;
  }
  // A cubic rises to three quarters of its controls' height.
  const height = (bend * 4) / 3 / (Math.hypot(dx, dy) || 1);
  out[0] = ax + dx / 4 - dy * height;
  out[1] = ay + dy / 4 + dx * height;
  out[2] = bx - dx / 4 - dy * height;
  out[3] = by - dy / 4 + dx * height;
  return out;
}

const c = new Float64Array(4);

// Adds the curve to the path of a canvas; straight ones as lines, which are drawn faster.
export function addCurve(context, tree, ax, ay, bx, by, bend) {
  context.moveTo(ax, ay);
  if (bend === 0 && !(tree && Math.abs(by - ay) > 0.5)) {
    context.lineTo(bx, by);
    return;
  }
  controls(tree, ax, ay, bx, by, bend, c);
  context.bezierCurveTo(c[0], c[1], c[2], c[3], bx, by);
}

// How near a point is to the curve, roughly.
export function distanceTo(tree, ax, ay, bx, by, bend, px, py) {
  controls(tree, ax, ay, bx, by, bend, c);
  let nearest = Infinity;
  let [x, y] = [ax, ay];
  for (let step = 1; step <= 16; ++step) {
    const t = step / 16;
    const u = 1 - t;
    const nx = u * u * u * ax + 3 * u * u * t * c[0] + 3 * u * t * t * c[2] + t * t * t * bx;
    const ny = u * u * u * ay + 3 * u * u * t * c[1] + 3 * u * t * t * c[3] + t * t * t * by;
    nearest = Math.min(nearest, distanceToSegment(x, y, nx, ny, px, py));
    [x, y] = [nx, ny];
  }
  return nearest;
}

function distanceToSegment(ax, ay, bx, by, px, py) {
  const dx = bx - ax;
  const dy = by - ay;
  const along = ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(Math.max(along, 0), 1);
  return Math.hypot(px - ax - t * dx, py - ay - t * dy);
}
