// SPDX-License-Identifier: BSD-3-Clause
// Numbers as they travel in the page, and as people read them.

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

export const u8 = bytesOf;
export const u16 = (text) => new Uint16Array(bytesOf(text).buffer);
export const u32 = (text) => new Uint32Array(bytesOf(text).buffer);
export const u64 = (text) => new BigUint64Array(bytesOf(text).buffer);
export const f32 = (text) => new Float32Array(bytesOf(text).buffer);

// 1234567 -> "1,234,567".
export function grouped(number) {
  return Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

// Three or four digits that matter.
export function brief(number) {
  if (number === null || number === undefined) return "–";
  if (Number.isInteger(number)) return grouped(number);
  if (Math.abs(number) >= 1000) return grouped(number);
  return Number(number.toPrecision(3)).toString();
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.0995) return `${brief(seconds * 1000)} ms`;
  return `${brief(seconds)} s`;
}

// "1 host", "2 hosts".
export function counted(number, one, many) {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}
