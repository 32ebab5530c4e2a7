// Writes the corpus: lines of the Bible in English, catalogues in 40 languages, C++ headers, emoji, random characters,
// and text with damaged bytes.
//   node corpus.js FOLDER
import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

const most = {
  maxBuffer: 1 << 28
};
const folder = process.argv[2];

// A linear congruential generator: the corpus is the same in each run.
let seed = 1n;
function random(below) {
  seed = (seed * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((seed >> 33n) % BigInt(below));
}

function bible() {
  return execFileSync('bible', ['-f', 'gen1:1-rev22:21'], {...most, input: ''}).toString().trimEnd().split('\n');
}

function catalogues() {
  const locale = '/usr/share/locale', lines = [];
  const languages =
      ('ar be bg bn ca cs cy da de el eo es et eu fa fi fr ga gl he hi hu id is it ja ka kk ko lt mn nl pl ' +
       'pt_BR ru sr sv ta th tr uk vi zh_CN zh_TW')
          .split(' ');
  for (const language of languages) {
    const own = [];
    for (const domain of ['iso_3166-1', 'iso_639-2', 'iso_4217', 'iso_15924', 'iso_639-3', 'iso_3166-2']) {
      const file = join(locale, language, 'LC_MESSAGES', `${domain}.mo`);
      if (!existsSync(file)) continue;
      const text = execFileSync('msgunfmt', ['--no-wrap', file], most).toString();
      for (const match of text.matchAll(/^msgstr(?:\[\d\])? "(.+)"$/gm)) own.push(match[1]);
    }
    lines.push(...own.slice(0, 1500));
  }
  return lines;
}

function headers() {
  const lines = [], root = '/usr/include';
  const files = readdirSync(root, {recursive: true}).filter(name => /^c\+\+\/\d+\/[a-z_]+$/.test(name)).sort();
  for (const file of files) {
    try {
      lines.push(...readFileSync(join(root, file), 'utf8').split('\n'));
    } catch { /* a folder */
    }
    if (lines.length > 30000) break;
  }
  return lines;
}

function emoji() {
  const ranges = [[0x1f300, 0x1f64f], [0x1f680, 0x1f6c5], [0x1f900, 0x1f9ff], [0x2600, 0x27bf], [0x1f1e6, 0x1f1ff]];
  const joiners = ['', '', '', '\u200d', '\ufe0f', '\u{1f3fd}', ' ', '  ', ' ok', '!', '\t'];
  return Array.from(
      {length: 3000},
      () => Array
                .from(
                    {length: 1 + random(12)},
                    () => {
                      const [first, last] = ranges[random(ranges.length)];
                      return String.fromCodePoint(first + random(last - first + 1)) + joiners[random(joiners.length)];
                    })
                .join(''));
}

// Characters of the Basic Multilingual Plane that Unicode 3.2 has, with spaces and special tokens.
function characters() {
  const blocks = [
    [0x20, 0x7e],     [0xa0, 0x24f],    [0x300, 0x33f],   [0x391, 0x3a1],   [0x400, 0x481],   [0x5d0, 0x5ea],
    [0x621, 0x63a],   [0x64b, 0x655],   [0x905, 0x939],   [0x93e, 0x94d],   [0xe01, 0xe3a],   [0x1100, 0x1159],
    [0x1e00, 0x1e9b], [0x2000, 0x206f], [0x2070, 0x2070], [0x2160, 0x2183], [0x2460, 0x24ea], [0x3041, 0x3094],
    [0x30a1, 0x30fe], [0x4e00, 0x9fa5], [0xac00, 0xd7a3], [0xf900, 0xfa2d], [0xfb00, 0xfb06], [0xff01, 0xff5e],
    [0x9, 0xd],       [0x80, 0x9f]
  ];
  const words = [
    '<s>', '</s>', '<|endoftext|>', '[MASK]', '[SEP]', '\'s', '\'LL', '  ', '\t', '\u2581', '\u2581\u2581', '<0x41>',
    '1234567', '\u0130', 'stra\u00dfe', 'e\u0301'
  ];
  return Array.from(
      {length: 8000},
      () => Array
                .from(
                    {length: 1 + random(30)},
                    () => {
                      if (random(6) === 0) return words[random(words.length)];
                      if (random(5) === 0) return ' ';
                      const [first, last] = blocks[random(blocks.length)];
                      const code = first + random(last - first + 1);
                      return code === 0xa ? ' ' : String.fromCodePoint(code);
                    })
                .join(''));
}

function damaged(lines) {
  return Array.from({length: 5000}, () => {
    const bytes = Buffer.from(lines[random(lines.length)].slice(0, 80));
    for (let count = 1 + random(4); count > 0 && bytes.length > 0; --count) {
      const byte = random(4) ? 0x80 + random(128) : random(256);
      bytes[random(bytes.length)] = byte === 10 ? 32 : byte;
    }
    return bytes;
  });
}

const text = [...bible(), ...catalogues(), ...headers(), ...emoji(), ...characters()];
const lines = [...text.map(line => Buffer.from(line)), ...damaged(text)];
const end = Buffer.from('\n');
writeFileSync(join(folder, 'corpus.txt'), Buffer.concat(lines.flatMap(line => [line, end])));
console.log(`${lines.length} lines`);
