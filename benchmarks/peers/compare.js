// Times attnc's objects and ONNX Runtime's best operator in alternating runs; prints the ratio of their medians.
//   node compare.js ATTNC GPT2.attn DECODE.attn THREADS [CASE...]
// ONNX Runtime at its best: all graph optimisations, denormals as zero, every operator that computes the case.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ort from 'onnxruntime-node';
import { attention, gpt2 } from './graphs.js';

const ROUNDS = 7;
const here = dirname(fileURLToPath(import.meta.url));
const [attnc, gpt2Model, decodeModel, threadCount, ...wanted] = process.argv.slice(2);
const threads = Number(threadCount);
const folder = mkdtempSync(join(tmpdir(), 'attnc-peers-'));
const attentionModel = join(here, 'attention.attn');

const shape = (heads, kvHeads, n, m, dim, entry) => ({
  model: attentionModel,
  set: [`heads=${heads}`, `kv_heads=${kvHeads}`, `dim=${dim}`],
  entry,
  dims: { unmasked: [`n=${n}`, `m=${m}`], causal: [`n=${n}`], image: [], decode: [`m=${m}`] }[entry],
  peers: () => attention({ qHeads: heads, kvHeads, queries: n, keys: m, dim, causal: entry === 'causal' }),
});
const imageShape = (heads, positions, dim) => {
  const image = shape(heads, heads, positions, positions, dim, 'image');
  return { ...image, set: [...image.set, `positions=${positions}`] };
};

// Writes a .npy file with the length of the cache, and returns its path.
function lengthFile(cached) {
  const header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }".padEnd(117) + '\n';
  const path = join(folder, 'cached.npy');
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]);
  writeFileSync(path, Buffer.concat([start, Buffer.from(header), Buffer.from(Int32Array.of(cached).buffer)]));
  return path;
}

const cases = {
  'full-64': shape(8, 8, 2048, 2048, 64, 'unmasked'),
  'causal-64': shape(8, 8, 2048, 2048, 64, 'causal'),
  'full-128': shape(8, 8, 2048, 2048, 128, 'unmasked'),
  'causal-128': shape(8, 8, 2048, 2048, 128, 'causal'),
  'short-50': imageShape(96, 50, 64),
  'short-128': imageShape(96, 128, 64),
  'short-197': imageShape(96, 197, 64),
  'decode-4096': shape(32, 8, 1, 4096, 128, 'decode'),
  'decode-16384': shape(32, 8, 1, 16384, 128, 'decode'),
  'gpt2-prefill': {
    model: gpt2Model, set: [], entry: 'last', dims: ['batch=1', 'seq=1024'],
    peers: () => [gpt2({ way: 'Attention' }), gpt2({ way: 'MultiHeadAttention' })],
  },
  'gpt2-decode': {
    model: decodeModel, set: [], entry: 'next', dims: ['batch=1', 'capacity=1024'],
    inputs: [`length=${lengthFile(512)}`],
    peers: () => ['MultiHeadAttention', 'GroupQueryAttention'].map((way) => gpt2({ way, seq: 1, cached: 512 })),
  },
};

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

// Runs the entry point in its own process; returns the milliseconds of the median run.
function timeOurs(object, { entry, dims, inputs = [] }) {
  const text = execFileSync(attnc, ['bench', object, '--entry', entry, ...dims.flatMap((dim) => ['--dim', dim]),
    ...inputs.flatMap((input) => ['--input', input]),
    '--threads', String(threads), '--repetitions', '3', '--json'], { encoding: 'utf8' });
  return JSON.parse(text).milliseconds;
}

async function openPeer({ name, bytes, feeds, fetches }) {
  const session = await ort.InferenceSession.create(bytes, {
    intraOpNumThreads: threads, interOpNumThreads: 1, graphOptimizationLevel: 'all', logSeverityLevel: 3,
    extra: { session: { set_denormal_as_zero: '1' } },
  });
  const tensorOf = ([input, { type, shape, data }]) => [input, new ort.Tensor(type, data, shape)];
  const inputs = Object.fromEntries(Object.entries(feeds).map(tensorOf));
  await session.run(inputs, fetches);
  return { name, session, inputs, fetches };
}

async function timePeer({ session, inputs, fetches }) {
  const times = [];
  for (let i = 0; i < 3; ++i) {
    const from = process.hrtime.bigint();
    await session.run(inputs, fetches);
    times.push(Number(process.hrtime.bigint() - from) / 1e6);
  }
  return median(times);
}

async function compare(name, definition, folder) {
  const settings = definition.set.flatMap((value) => ['--set', value]);
  execFileSync(attnc, ['compile', definition.model, '-o', join(folder, name), ...settings]);
  const stem = definition.model.split('/').pop().replace(/\.attn$/, '');
  const object = join(folder, name, `${stem}.o`);
  const ours = [], best = { milliseconds: Infinity };
  for (const way of definition.peers()) {
    const complain = (error) => console.error(`${name}: ${way.name} is not run: ${error.message}`);
    const peer = await openPeer(way).catch(complain);
    if (!peer) continue;
    const theirs = [];
    for (let round = 0; round < ROUNDS; ++round) {
      ours.push(timeOurs(object, definition));
      theirs.push(await timePeer(peer));
    }
    await peer.session.release();
    const milliseconds = median(theirs);
    if (milliseconds < best.milliseconds) Object.assign(best, { milliseconds, name: way.name });
  }
  const milliseconds = median(ours);
  const shown = (value) => `${value.toFixed(2).padStart(9)} ms`;
  console.log(`${name.padEnd(14)} attnc ${shown(milliseconds)}   ONNX Runtime ${shown(best.milliseconds)}` +
    `   ${(best.milliseconds / milliseconds).toFixed(2)} x` +
    `   (${best.name}, ${threads} thread${threads > 1 ? 's' : ''})`);
}

try {
  for (const [name, definition] of Object.entries(cases))
    if (wanted.length === 0 || wanted.includes(name)) await compare(name, definition, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
