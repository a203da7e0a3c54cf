// SPDX-License-Identifier: BSD-3-Clause
// Mouse, fingers and keys on a picture, the same wherever one is shown.

// One finger or the mouse moves, two fingers zoom, a short touch selects. hover(event) and
// click(event) are told where; leave() that the pointer is elsewhere, or moves the picture.
export function listenToPointers(map, picture, { hover, click, leave }) {
  const down = new Map();
  let travelled = 0;
  map.addEventListener("pointerdown", (event) => {
    if (down.size === 0) travelled = 0;
    down.set(event.pointerId, [event.offsetX, event.offsetY]);
    map.setPointerCapture(event.pointerId);
  });
  map.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return hover(event);
    const now = [event.offsetX, event.offsetY];
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (travelled < 4) return;
    map.classList.add("dragging");
    leave();
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (point) => Math.max(8, Math.hypot(point[0] - other[0], point[1] - other[1]));
      picture.zoom(apart(now) / apart(before), other[0], other[1]);
    } else {
      picture.move(now[0] - before[0], now[1] - before[1]);
    }
    down.set(event.pointerId, now);
  });
  const up = (event) => {
    if (down.delete(event.pointerId) && travelled < 4 && event.type === "pointerup") click(event);
    map.classList.remove("dragging");
  };
  map.addEventListener("pointerup", up);
  map.addEventListener("pointercancel", up);
  map.addEventListener("pointerleave", () => {
    leave();
    picture.setHovered(null);
  });
  map.addEventListener("dblclick", (event) => picture.zoom(2, event.offsetX, event.offsetY));
  map.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    picture.zoom(Math.exp(-Math.max(-240, Math.min(240, lines)) / 300), event.offsetX, event.offsetY);
  }, { passive: false });
}

// Keys while the picture has the focus. select(thing) is told what is in the middle, or null.
export function listenToMapKeys(map, picture, select) {
  const pace = 60;
  const moves = { ArrowLeft: [pace, 0], ArrowRight: [-pace, 0], ArrowUp: [0, pace], ArrowDown: [0, -pace] };
  map.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moves[event.key]) picture.move(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") picture.zoom(1.35);
    else if (event.key === "-") picture.zoom(1 / 1.35);
    else if (event.key === "0") picture.fit();
    else if (event.key === "Enter") select(picture.middle());
    else if (event.key === "Escape") select(null);
    else return;
    event.preventDefault();
  });
}

// Keys of the whole page, but for who is writing.
export function listenToPageKeys(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

// Shows a tip beside the pointer, on the stage.
export function placeTip(tip, stage, event) {
  tip.style.left = `${Math.min(event.offsetX + 14, stage.clientWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.offsetY + 16, stage.clientHeight - tip.offsetHeight - 8)}px`;
}
