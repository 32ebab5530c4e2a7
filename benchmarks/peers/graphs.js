// ONNX models of the measured shapes, one for each operator of ONNX Runtime that computes the shape.
import { model, node } from './onnx.js';

// One random stream for all tensors: tensors of equal content could be stored once, so that a run reads less memory.
let state = 12345;

export function random(count, amplitude = 1) {
  const values = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    values[i] = (state / 0x7fffffff - 0.5) * 2 * amplitude;
  }
  return values;
}

const count = (shape) => shape.reduce((a, b) => a * b, 1);
const feed = (shape) => ({ type: 'float32', shape, data: random(count(shape)) });

// Scaled dot-product attention, every operator of ONNX Runtime that computes it. Each: name, model bytes, feeds.
export function attention({ qHeads, kvHeads, queries, keys, dim, causal }) {
  const ways = [];
  const q = [1, qHeads, queries, dim], kv = [1, kvHeads, keys, dim];
  const rows = (n, heads) => [1, n, heads * dim];
  if (qHeads === kvHeads)
    ways.push({
      name: 'MultiHeadAttention',
      bytes: model({
        nodes: [node('MultiHeadAttention', ['q', 'k', 'v'], ['o'],
                     { num_heads: qHeads, unidirectional: +causal }, 'com.microsoft')],
        inputs: [['q', rows(queries, qHeads)], ['k', rows(keys, kvHeads)], ['v', rows(keys, kvHeads)]],
        outputs: [['o', rows(queries, qHeads)]],
      }),
      feeds: { q: feed(rows(queries, qHeads)), k: feed(rows(keys, kvHeads)), v: feed(rows(keys, kvHeads)) },
    });
  ways.push({
    name: 'Attention-23',
    bytes: model({
      nodes: [node('Attention', ['q', 'k', 'v'], ['o'], { is_causal: +causal })],
      inputs: [['q', q], ['k', kv], ['v', kv]],
      outputs: [['o', q]],
      opset: 23,
    }),
    feeds: { q: feed(q), k: feed(kv), v: feed(kv) },
  });
  if (causal || queries === 1) ways.push(groupQuery({ qHeads, kvHeads, queries, keys, dim, rows }));
  if (!causal) ways.push(unfused({ qHeads, kvHeads, queries, keys, dim }));
  return ways;
}

function groupQuery({ qHeads, kvHeads, queries, keys, dim, rows }) {
  const past = [1, kvHeads, keys - queries, dim], present = [1, kvHeads, keys, dim];
  return {
    name: 'GroupQueryAttention',
    bytes: model({
      nodes: [node('GroupQueryAttention', ['q', 'k', 'v', 'pk', 'pv', 'sl', 'ts'], ['o', 'ok', 'ov'],
                   { num_heads: qHeads, kv_num_heads: kvHeads }, 'com.microsoft')],
      inputs: [['q', rows(queries, qHeads)], ['k', rows(queries, kvHeads)], ['v', rows(queries, kvHeads)],
               ['pk', past], ['pv', past], ['sl', [1], 'int32'], ['ts', [1], 'int32']],
      outputs: [['o', rows(queries, qHeads)], ['ok', present], ['ov', present]],
    }),
    feeds: {
      q: feed(rows(queries, qHeads)), k: feed(rows(queries, kvHeads)), v: feed(rows(queries, kvHeads)),
      pk: feed(past), pv: feed(past),
      sl: { type: 'int32', shape: [1], data: Int32Array.of(keys - 1) },
      ts: { type: 'int32', shape: [1], data: Int32Array.of(keys) },
    },
  };
}

// MatMul, softmax, MatMul; the queries of one key head together.
function unfused({ qHeads, kvHeads, queries, keys, dim }) {
  const q = [1, kvHeads, (qHeads / kvHeads) * queries, dim], kv = [1, kvHeads, keys, dim];
  return {
    name: 'MatMul-Softmax-MatMul',
    bytes: model({
      nodes: [
        node('Transpose', ['k'], ['kt'], { perm: [0, 1, 3, 2] }),
        node('MatMul', ['q', 'kt'], ['s']),
        node('Mul', ['s', 'scale'], ['scaled']),
        node('Softmax', ['scaled'], ['p'], { axis: -1 }),
        node('MatMul', ['p', 'v'], ['o']),
      ],
      inputs: [['q', q], ['k', kv], ['v', kv]],
      outputs: [['o', q]],
      initializers: [['scale', [], Float32Array.of(dim ** -0.5)]],
    }),
    feeds: { q: feed(q), k: feed(kv), v: feed(kv) },
  };
}

// GPT-2, 124M: tokens[1, seq] after `cached` positions to the logits of the last position. `way` is the attention
// operator of com.microsoft: `Attention` with its projections, `MultiHeadAttention` or `GroupQueryAttention`.
export function gpt2({ vocab = 50257, layers = 12, heads = 12, dim = 768, seq = 1024, cached = 0, way }) {
  const nodes = [], initializers = [], inputs = [['tokens', [1, seq], 'int32']], outputs = [['logits', [1, 1, vocab]]];
  const feeds = {
    tokens: { type: 'int32', shape: [1, seq], data: Int32Array.from({ length: seq }, (_, i) => (i * 7919) % vocab) },
  };
  const take = (name, shape, type, data) => {
    inputs.push([name, shape, type]);
    feeds[name] = { type, shape, data };
    return name;
  };
  const weight = (name, shape, amplitude = 0.03) => {
    initializers.push([name, shape, random(count(shape), amplitude)]);
    return name;
  };
  const norm = (x, name) => {
    nodes.push(node('LayerNormalization', [x, weight(`${name}.g`, [dim], 1), weight(`${name}.b`, [dim])], [name],
                    { axis: -1, epsilon: { float: 1e-5 } }));
    return name;
  };
  const linear = (x, name, from, to) => {
    nodes.push(node('MatMul', [x, weight(`${name}.w`, [from, to])], [`${name}.m`]));
    nodes.push(node('Add', [`${name}.m`, weight(`${name}.b`, [to])], [name]));
    return name;
  };
  const add = (a, b, name) => (nodes.push(node('Add', [a, b], [name])), name);
  const past = (name) => {
    const shape = [1, heads, cached, dim / heads];
    outputs.push([`${name}.now`, [1, heads, cached + seq, dim / heads]]);
    return take(name, shape, 'float32', random(count(shape)));
  };
  const mix = (n, h) => {
    if (way === 'Attention') {
      const qkv = [weight(`${h}.qkv.w`, [dim, 3 * dim]), weight(`${h}.qkv.b`, [3 * dim])];
      nodes.push(node('Attention', [n, ...qkv], [`${h}.y`], { num_heads: heads, unidirectional: 1 }, 'com.microsoft'));
      return `${h}.y`;
    }
    const parts = [`${h}.q`, `${h}.k`, `${h}.v`], kept = [`${h}.pk.now`, `${h}.pv.now`];
    nodes.push(node('Split', [linear(n, `${h}.qkv`, dim, 3 * dim), 'cut'], parts, { axis: -1 }));
    if (way === 'GroupQueryAttention')
      nodes.push(node(way, [...parts, past(`${h}.pk`), past(`${h}.pv`), 'before', 'whole'], [`${h}.y`, ...kept],
                      { num_heads: heads, kv_num_heads: heads }, 'com.microsoft'));
    else if (cached > 0)
      nodes.push(node(way, [...parts, '', '', '', past(`${h}.pk`), past(`${h}.pv`)], [`${h}.y`, ...kept],
                      { num_heads: heads, unidirectional: 1 }, 'com.microsoft'));
    else
      nodes.push(node(way, parts, [`${h}.y`], { num_heads: heads, unidirectional: 1 }, 'com.microsoft'));
    return `${h}.y`;
  };
  if (way === 'GroupQueryAttention') {
    take('before', [1], 'int32', Int32Array.of(cached + seq - 1));
    take('whole', [1], 'int32', Int32Array.of(cached + seq));
  }
  initializers.push(['cut', [3], BigInt64Array.of(BigInt(dim), BigInt(dim), BigInt(dim))]);
  initializers.push(['last', [1], BigInt64Array.of(BigInt(seq - 1))]);
  nodes.push(node('Gather', [weight('wte', [vocab, dim]), 'tokens'], ['emb']));
  let x = add('emb', weight('wpe', [1, seq, dim]), 'x');
  for (let l = 0; l < layers; ++l) {
    const h = `h${l}`;
    x = add(x, linear(mix(norm(x, `${h}.n1`), h), `${h}.proj`, dim, dim), `${h}.r1`);
    const up = linear(norm(x, `${h}.n2`), `${h}.up`, dim, 4 * dim);
    nodes.push(node('FastGelu', [up], [`${h}.act`], {}, 'com.microsoft'));
    x = add(x, linear(`${h}.act`, `${h}.down`, 4 * dim, dim), `${h}.r2`);
  }
  nodes.push(node('Gather', [norm(x, 'final'), 'last'], ['row'], { axis: 1 }));
  nodes.push(node('Transpose', ['wte'], ['wte.t'], { perm: [1, 0] }));
  nodes.push(node('MatMul', ['row', 'wte.t'], ['logits']));
  return { name: way, bytes: model({ nodes, initializers, inputs, outputs }), feeds, fetches: ['logits'] };
}
