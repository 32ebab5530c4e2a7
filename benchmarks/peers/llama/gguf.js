// Writes GPT-2 124M with random fp32 weights as a GGUF file, the format of llama.cpp.
import { closeSync, openSync, writeSync } from 'node:fs';

const U32 = 4, F32 = 6, STRING = 8, ARRAY = 9, I32 = 5, ALIGNMENT = 32;

const u32 = (value) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const string = (value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
};
const pair = (key, type, value) => Buffer.concat([string(key), u32(type), value]);
const list = (key, type, values) =>
  pair(key, ARRAY, Buffer.concat([u32(type), u64(values.length), ...values]));

function random(count, amplitude, state) {
  const values = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    values[i] = (state / 0x7fffffff - 0.5) * 2 * amplitude;
  }
  return values;
}

// [name, sizes with the fastest first]
function tensors({ vocab, context, layers, dim }) {
  const all = [['token_embd.weight', [dim, vocab]], ['position_embd.weight', [dim, context]],
               ['output_norm.weight', [dim]], ['output_norm.bias', [dim]]];
  for (let l = 0; l < layers; ++l)
    for (const [name, from, to] of [['attn_qkv', dim, 3 * dim], ['attn_output', dim, dim], ['ffn_up', dim, 4 * dim],
                                    ['ffn_down', 4 * dim, dim], ['attn_norm', dim], ['ffn_norm', dim]])
      all.push([`blk.${l}.${name}.weight`, to ? [from, to] : [from]], [`blk.${l}.${name}.bias`, [to ?? from]]);
  return all;
}

export function writeGpt2(path, shape = { vocab: 50257, context: 1024, layers: 12, heads: 12, dim: 768 }) {
  const word = (_, i) => string(i < 256 ? String.fromCodePoint(256 + i) : `w${i}`);
  const words = Array.from({ length: shape.vocab }, word);
  const pairs = [
    pair('general.architecture', STRING, string('gpt2')),
    pair('general.alignment', U32, u32(ALIGNMENT)),
    pair('gpt2.context_length', U32, u32(shape.context)),
    pair('gpt2.embedding_length', U32, u32(shape.dim)),
    pair('gpt2.feed_forward_length', U32, u32(4 * shape.dim)),
    pair('gpt2.block_count', U32, u32(shape.layers)),
    pair('gpt2.attention.head_count', U32, u32(shape.heads)),
    pair('gpt2.attention.layer_norm_epsilon', F32, Buffer.from(Float32Array.of(1e-5).buffer)),
    pair('tokenizer.ggml.model', STRING, string('gpt2')),
    pair('tokenizer.ggml.pre', STRING, string('gpt-2')),
    list('tokenizer.ggml.tokens', STRING, words),
    list('tokenizer.ggml.token_type', I32, words.map(() => u32(1))),
    list('tokenizer.ggml.merges', STRING, [string('w256 w257')]),
    pair('tokenizer.ggml.bos_token_id', U32, u32(shape.vocab - 1)),
    pair('tokenizer.ggml.eos_token_id', U32, u32(shape.vocab - 1)),
  ];
  const all = tensors(shape), infos = [], padded = (bytes) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
  let offset = 0;
  for (const [name, sizes] of all) {
    const count = sizes.reduce((a, b) => a * b, 1);
    infos.push(Buffer.concat([string(name), u32(sizes.length), ...sizes.map(u64), u32(0), u64(offset)]));
    offset += padded(4 * count);
  }
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(all.length), u64(pairs.length), ...pairs, ...infos]);
  const file = openSync(path, 'w');
  writeSync(file, Buffer.concat([head, Buffer.alloc(padded(head.length) - head.length)]));
  for (const [number, [name, sizes]] of all.entries()) {
    const isGain = name.endsWith('norm.weight');
    const values = random(sizes.reduce((a, b) => a * b, 1), isGain ? 1 : 0.03, number + 1);
    const bytes = Buffer.alloc(padded(values.byteLength));
    Buffer.from(values.buffer).copy(bytes);
    writeSync(file, bytes);
  }
  closeSync(file);
}
