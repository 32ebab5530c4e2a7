// llama.cpp (from node-llama-cpp) and attnc in alternation: tokens of a prompt, and the token that follows it.
//   node compare.js BIN FOLDER THREADS [CASE]...     BIN: the folder of attnc's benchmarks; FOLDER: that of model files
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { writeGpt2, writeLlama } from './models.js';

const PROMPT = 512, TOKENS = 24, ROUNDS = 3;
const [bin, folder, threadCount, ...chosen] = process.argv.slice(2);
const threads = Number(threadCount);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/// Milliseconds in the line of `text` that has `what`.
const milliseconds = (text, what) =>
  Number(text.split('\n').find((line) => line.includes(what)).match(/([\d.]+) ms/)[1]);
const outputOf = (program, ...args) => execFileSync(`${bin}/${program}`, args, { encoding: 'utf8' });

const llamaCase = (type) => ({
  write: (path) => writeLlama(path, type),
  vocab: 128256,
  ours: () => {
    const text = outputOf('llama-benchmark', type, String(PROMPT));
    return { prompt: milliseconds(text, 'prompt of'), token: milliseconds(text, 'token after') };
  },
});
const cases = {
  gpt2: {
    write: writeGpt2,
    vocab: 50257,
    ours: () => ({ token: milliseconds(outputOf('decode-benchmark', String(PROMPT)), `${threads} threads`) }),
  },
  'llama-bf16': llamaCase('bf16'),
  'llama-f32': llamaCase('f32'),
};

const elapsed = async (body) => {
  const from = process.hrtime.bigint();
  await body();
  return Number(process.hrtime.bigint() - from) / 1e6;
};

async function timeLlama(model, vocab, flashAttention) {
  const context = await model.createContext({ contextSize: 1024, batchSize: PROMPT, threads, flashAttention });
  const sequence = context.getSequence();
  const prompt = Array.from({ length: PROMPT }, (_, i) => (i * 7919) % vocab), prompts = [], tokens = [];
  for (let i = 0; i < 3; ++i) {
    await sequence.clearHistory();
    prompts.push(await elapsed(() => sequence.evaluateWithoutGeneratingNewTokens(prompt)));
  }
  for (let i = 0; i < TOKENS; ++i) {
    // Evaluation of a token without sampling the next one still computes the logits.
    const wanted = { generateNext: { probabilities: false, confidence: true } };
    tokens.push(await elapsed(() => sequence.controlledEvaluate([[(i * 31) % vocab, wanted]])));
  }
  await context.dispose();
  return { prompt: median(prompts), token: median(tokens.slice(4)) };
}

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: threads });
for (const name of chosen.length ? chosen : Object.keys(cases)) {
  const { write, vocab, ours } = cases[name], path = `${folder}/${name}.gguf`;
  if (!existsSync(path)) write(path);
  const model = await llama.loadModel({ modelPath: path, useMmap: false });
  const found = [], peer = [];
  for (let round = 0; round < ROUNDS; ++round) {
    found.push(ours());
    for (const flashAttention of [false, true]) peer.push(await timeLlama(model, vocab, flashAttention));
  }
  await model.dispose();
  for (const what of Object.keys(found[0])) {
    const attnc = median(found.map((each) => each[what]));
    // The better of the two settings in each round.
    const other = median(found.map((_, i) => Math.min(peer[2 * i][what], peer[2 * i + 1][what])));
    console.log(`${`${name} ${what}`.padEnd(20)} attnc ${attnc.toFixed(2)} ms   llama.cpp ${other.toFixed(2)} ms   ` +
      `${(other / attnc).toFixed(2)} x   (${PROMPT} tokens cached, ${threads} threads)`);
  }
}
process.exit(0);
