// The models of the comparison as GGUF files.
import { entry, writeGguf } from './gguf.js';

/// Entries of a tokenizer of `vocab` words; llama.cpp refuses models without one.
function tokenizer(vocab) {
  return [
    entry('tokenizer.ggml.model', 'string', 'gpt2'),
    entry('tokenizer.ggml.pre', 'string', 'gpt-2'),
    entry('tokenizer.ggml.tokens', 'string',
          Array.from({ length: vocab }, (_, i) => (i < 256 ? String.fromCodePoint(256 + i) : `w${i}`))),
    entry('tokenizer.ggml.token_type', 'i32', Array(vocab).fill(1)),
    entry('tokenizer.ggml.merges', 'string', ['w256 w257']),
    entry('tokenizer.ggml.bos_token_id', 'u32', vocab - 1),
    entry('tokenizer.ggml.eos_token_id', 'u32', vocab - 1),
  ];
}

const matrix = (name, from, to, type) => ({ name: `${name}.weight`, sizes: [from, to], type, amplitude: 0.03 });
const vector = (name, size, amplitude = 1) => ({ name, sizes: [size], type: 'f32', amplitude });

export function writeGpt2(path) {
  const vocab = 50257, context = 1024, layers = 12, heads = 12, dim = 768;
  const tensors = [matrix('token_embd', dim, vocab, 'f32'), matrix('position_embd', dim, context, 'f32'),
                   vector('output_norm.weight', dim), vector('output_norm.bias', dim, 0.03)];
  for (let l = 0; l < layers; ++l) {
    for (const [name, from, to] of [['attn_qkv', dim, 3 * dim], ['attn_output', dim, dim], ['ffn_up', dim, 4 * dim],
                                    ['ffn_down', 4 * dim, dim]])
      tensors.push(matrix(`blk.${l}.${name}`, from, to, 'f32'), vector(`blk.${l}.${name}.bias`, to, 0.03));
    for (const name of ['attn_norm', 'ffn_norm'])
      tensors.push(vector(`blk.${l}.${name}.weight`, dim), vector(`blk.${l}.${name}.bias`, dim, 0.03));
  }
  writeGguf(path, [
    entry('general.architecture', 'string', 'gpt2'),
    entry('gpt2.context_length', 'u32', context),
    entry('gpt2.embedding_length', 'u32', dim),
    entry('gpt2.feed_forward_length', 'u32', 4 * dim),
    entry('gpt2.block_count', 'u32', layers),
    entry('gpt2.attention.head_count', 'u32', heads),
    entry('gpt2.attention.layer_norm_epsilon', 'f32', 1e-5),
    ...tokenizer(vocab),
  ], tensors);
}

/// The shape of Llama-3.2-1B; `type` is the type of its matrices. The logits use the token table.
export function writeLlama(path, type) {
  const vocab = 128256, context = 131072, layers = 16, heads = 32, keyHeads = 8, headDim = 64, dim = 2048;
  const hidden = 8192;
  const tensors = [matrix('token_embd', dim, vocab, type), vector('output_norm.weight', dim),
                   vector('rope_freqs.weight', headDim / 2)];
  for (let l = 0; l < layers; ++l) {
    for (const [name, from, to] of [['attn_q', dim, heads * headDim], ['attn_k', dim, keyHeads * headDim],
                                    ['attn_v', dim, keyHeads * headDim], ['attn_output', heads * headDim, dim],
                                    ['ffn_gate', dim, hidden], ['ffn_up', dim, hidden], ['ffn_down', hidden, dim]])
      tensors.push(matrix(`blk.${l}.${name}`, from, to, type));
    for (const name of ['attn_norm', 'ffn_norm']) tensors.push(vector(`blk.${l}.${name}.weight`, dim));
  }
  writeGguf(path, [
    entry('general.architecture', 'string', 'llama'),
    entry('llama.context_length', 'u32', context),
    entry('llama.embedding_length', 'u32', dim),
    entry('llama.feed_forward_length', 'u32', hidden),
    entry('llama.block_count', 'u32', layers),
    entry('llama.attention.head_count', 'u32', heads),
    entry('llama.attention.head_count_kv', 'u32', keyHeads),
    entry('llama.attention.layer_norm_rms_epsilon', 'f32', 1e-5),
    entry('llama.rope.dimension_count', 'u32', headDim),
    entry('llama.rope.freq_base', 'f32', 500000),
    ...tokenizer(vocab),
  ], tensors);
}
