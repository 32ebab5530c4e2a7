// Writes models with random weights as GGUF files, the format of llama.cpp.
import { closeSync, openSync, writeSync } from 'node:fs';

const ALIGNMENT = 32;
const types = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 };   // of values of the header
const elements = { f32: { type: 0, bytes: 4 }, bf16: { type: 30, bytes: 2 } };

const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const string = (value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
};
const f32 = (value) => Buffer.from(Float32Array.of(value).buffer);
const values = { u32, i32: u32, f32, string };

/// An entry of the header; `type` is u32, i32, f32 or string. An array is a list of values of this type.
export function entry(key, type, value) {
  if (!Array.isArray(value))
    return Buffer.concat([string(key), u32(types[type]), values[type](value)]);
  const items = value.map(values[type]);
  return Buffer.concat([string(key), u32(types.array), u32(types[type]), u64(value.length), ...items]);
}

function random(count, amplitude, state) {
  const values = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    values[i] = (state / 0x7fffffff - 0.5) * 2 * amplitude;
  }
  return values;
}

/// The elements of a tensor, uniform in [-amplitude, amplitude); bf16 values are the upper halves of f32 values.
function bytesOf({ sizes, type, amplitude }, seed) {
  const drawn = random(sizes.reduce((a, b) => a * b, 1), amplitude, seed);
  if (type === 'f32') return Buffer.from(drawn.buffer);
  const halves = new Uint16Array(drawn.buffer), upper = new Uint16Array(drawn.length);
  for (let i = 0; i < drawn.length; ++i) upper[i] = halves[2 * i + 1];
  return Buffer.from(upper.buffer);
}

/// `entries` come from entry(). A tensor has a name, sizes (the fastest first), a type (f32 or bf16) and an amplitude.
export function writeGguf(path, entries, tensors) {
  const infos = [], padded = (bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
  let offset = 0;
  for (const { name, sizes, type } of tensors) {
    const { type: number, bytes } = elements[type];
    infos.push(Buffer.concat([string(name), u32(sizes.length), ...sizes.map(u64), u32(number), u64(offset)]));
    offset += padded(bytes * sizes.reduce((a, b) => a * b, 1));
  }
  const all = [entry('general.alignment', 'u32', ALIGNMENT), ...entries];
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(all.length), ...all, ...infos]);
  const file = openSync(path, 'w');
  const write = (bytes) => {
    for (let done = 0; done < bytes.length;)
      done += writeSync(file, bytes, done, Math.min(bytes.length - done, 1 << 30));
    writeSync(file, Buffer.alloc(padded(bytes.length) - bytes.length));
  };
  write(head);
  for (const [number, tensor] of tensors.entries()) write(bytesOf(tensor, number + 1));
  closeSync(file);
}
