// Writes the ids of each line of FILE by the Rust library, or with --decode the text of the ids. With --time, it prints
// its speed instead, as encode-lines does.
//   node encode.js TOKENIZER FILE [--time | --decode]
import {readFileSync, writeSync} from 'node:fs';
import tokenizers from 'tokenizers';

const [file, path, option] = process.argv.slice(2);
const tokenizer = tokenizers.Tokenizer.fromString(readFileSync(file, 'utf8'));
const bytes = readFileSync(path);

function pieces(bytes, least) {
  const result = [];
  for (let start = 0; start < bytes.length;) {
    let end = bytes.indexOf(10, start + least);
    end = end < 0 ? bytes.length : end;
    result.push(bytes.subarray(start, least ? end + 1 : end).toString('utf8'));
    start = end + 1;
  }
  return result;
}

if (option === '--time') {
  const blocks = pieces(bytes, 10000), seconds = [];
  for (let run = 0; run < 3; ++run) {
    const start = process.cpuUsage();
    for (const block of blocks) await tokenizer.encode(block, null, {addSpecialTokens: true});
    const {user, system} = process.cpuUsage(start);
    seconds.push((user + system) / 1e6);
  }
  console.log((bytes.length / 1e6 / seconds.sort((a, b) => a - b)[1]).toFixed(1));
} else {
  let out = '';
  for (const line of pieces(bytes, 0)) {
    const ids = (await tokenizer.encode(line, null, {addSpecialTokens: true})).getIds();
    out += (option === '--decode' ? await tokenizer.decode(ids, true) : ids.join(' ')) + '\n';
    if (out.length > 1 << 20) {
      writeSync(1, out);
      out = '';
    }
  }
  writeSync(1, out);
}
