// SPDX-License-Identifier: BSD-3-Clause
// Which part of the plane is on the screen: screen = plane * scale + shift, in CSS pixels.

const CLOSEST = 3000;

export class Camera {
  constructor(width, height) {
    this.plane = { width, height };
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.room = { width: 1, height: 1, top: 0, bottom: 0 };
  }

  copy() { return { scale: this.scale, x: this.x, y: this.y }; }

  // The part of the screen in which nothing else stands: margins at the top and at the bottom.
  setRoom(width, height, top, bottom) { this.room = { width, height, top, bottom }; }

  get whole() {
    const { width, height, top, bottom } = this.room;
    return Math.min(width / this.plane.width, (height - top - bottom) / this.plane.height);
  }

  fit() {
    const { width, height, top, bottom } = this.room;
    this.scale = Math.max(this.whole, 1e-3);
    this.x = (width - this.plane.width * this.scale) / 2;
    this.y = top + (height - top - bottom - this.plane.height * this.scale) / 2;
  }

  // The point of the plane under (x, y) stays there.
  zoom(factor, x, y) {
    const scale = Math.min(Math.max(this.scale * factor, this.whole * 0.5), CLOSEST);
    this.x = x - ((x - this.x) / this.scale) * scale;
    this.y = y - ((y - this.y) / this.scale) * scale;
    this.scale = scale;
  }

  move(dx, dy) {
    this.x += dx;
    this.y += dy;
  }

  // Puts a point of the plane into the middle.
  show(x, y, scale) {
    this.scale = Math.min(Math.max(scale, this.whole), CLOSEST);
    this.x = this.room.width / 2 - x * this.scale;
    this.y = this.room.height / 2 - y * this.scale;
  }

  toScreen(x, y) { return [x * this.scale + this.x, y * this.scale + this.y]; }
  toPlane(x, y) { return [(x - this.x) / this.scale, (y - this.y) / this.scale]; }
}
