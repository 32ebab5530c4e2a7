// A decoding step of GPT-2 124M (fp32) with 512 cached tokens: llama.cpp from node-llama-cpp, alternating with attnc.
//   node decode.js DECODE-BENCHMARK GPT2.gguf THREADS
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { writeGpt2 } from './gguf.js';

const CACHED = 512, TOKENS = 24, ROUNDS = 5;
const [benchmark, path, threadCount] = process.argv.slice(2);
const threads = Number(threadCount);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

if (!existsSync(path)) writeGpt2(path);
const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: threads });
const model = await llama.loadModel({ modelPath: path, useMmap: false });

async function timeLlama(flashAttention) {
  const context = await model.createContext({ contextSize: 1024, threads, flashAttention });
  const sequence = context.getSequence();
  await sequence.evaluateWithoutGeneratingNewTokens(Array.from({ length: CACHED }, (_, i) => (i * 7919) % 50257));
  const times = [];
  for (let i = 0; i < TOKENS; ++i) {
    const from = process.hrtime.bigint();
    // Evaluation of a token without sampling the next one still computes the logits.
    const wanted = { generateNext: { probabilities: false, confidence: true } };
    await sequence.controlledEvaluate([[(i * 31) % 50257, wanted]]);
    times.push(Number(process.hrtime.bigint() - from) / 1e6);
  }
  await context.dispose();
  return median(times.slice(4));
}

function timeOurs() {
  const text = execFileSync(benchmark, [String(CACHED)], { encoding: 'utf8' });
  return Number(text.split('\n').find((line) => line.startsWith(`${threads} threads`)).match(/([\d.]+) ms/)[1]);
}

const ours = [], theirs = [];
for (let round = 0; round < ROUNDS; ++round) {
  ours.push(timeOurs());
  theirs.push(Math.min(await timeLlama(false), await timeLlama(true)));
}
const [attnc, peer] = [median(ours), median(theirs)];
console.log(`gpt2-decode    attnc ${attnc.toFixed(2)} ms   llama.cpp ${peer.toFixed(2)} ms   ` +
  `${(peer / attnc).toFixed(2)} x   (fp32, ${CACHED} tokens cached, ${threads} threads)`);
process.exit(0);
