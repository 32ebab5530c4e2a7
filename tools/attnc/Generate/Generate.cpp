// attnc generate: continues a text by entry points that `decode` makes. A call writes at most a number of tokens that
// is known when the model is compiled. The prompt of each call is the end of the text so far that fits in the context.
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Call/InputValues.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

namespace {

struct GenerateOptions {
  SourceOptions source;
  std::string entry, weights, prompt;
  std::vector<std::string> vocabularies; ///< Vocabularies::open()
  std::vector<std::string> inputs;       ///< NAME=VALUE
  std::string stop;                      ///< stopTokens()
  int64_t count = 200, threads = 0;
  uint64_t seed = 0;
  /// Inputs of the sampler, by name; the defaults do not change the distribution.
  std::map<std::string, double> choice = {{"temperature", 1}, {"top_k", 0}, {"top_p", 1}};
  std::map<std::string, const CLI::Option *> said; ///< the options for these inputs and for `seed`
};

/// The form of a text that stands for tokens.
struct TextForm {
  bool areNumbers = false;                ///< "15496,11,995"
  const Vocabulary *vocabulary = nullptr; ///< of words; null for bytes
};

/// Prints tokens as numbers, bytes, words with a space between two of them, or the characters of a tokenizer, each of
/// them as a whole.
class Printer {
public:
  explicit Printer(TextForm form) : form(form) {
    if (tokenizer())
      stream = tokenizer()->stream();
  }
  void print(ArrayRef<int32_t> tokens);
  /// Prints the bytes of a character that is incomplete, as U+FFFD, and a line break.
  void finish();

private:
  void print(int32_t token);
  const TokenizerFile *tokenizer() const {
    return form.areNumbers || !form.vocabulary ? nullptr : form.vocabulary->tokenizerFile();
  }

  TextForm form;
  bool isLineStart = true;
  std::unique_ptr<attn_token_stream, TokenizerFile::Closer> stream; ///< null without a tokenizer
};

/// A text that calls of an entry point extend.
class Writer {
public:
  Writer(const GenerateOptions &options, const Vocabularies &vocabularies, const attn_model &model)
      : options(options), vocabularies(vocabularies), model(model), runner(model) {}
  Error start();
  /// The tokens that follow `tokens`; fewer than a call can write if the model has written the token that ends a row.
  Expected<std::vector<int32_t>> follow(ArrayRef<int32_t> tokens);
  int64_t atMost() const { return attn_size(&written().shape[1], nullptr); }

private:
  Error findEntry();
  bool isOfSampler(const attn_tensor_info &info) const;
  Error checkChoice() const;
  Error readInputs();
  void addLengths();
  const attn_entry_info &entry() const { return model.entries[number]; }
  const attn_tensor_info &written() const { return entry().tensors[entry().input_count]; }
  Expected<HostTensor> inputOf(const attn_tensor_info &info, ArrayRef<int32_t> prompt) const;

  const GenerateOptions &options;
  const Vocabularies &vocabularies;
  const attn_model &model;
  Runner runner;
  int64_t number = -1, calls = 0;
  std::map<std::string, HostTensor> given; ///< by --input: a source, inputs of a sampler without an option
};

} // namespace

static TextForm formOf(StringRef text, const Vocabulary *vocabulary) {
  return {text.find_first_not_of("0123456789,") == StringRef::npos && text.contains(','), vocabulary};
}

/// A function of Vocabulary that encodes a text.
using Encoding = Expected<std::vector<int32_t>> (Vocabulary::*)(StringRef) const;

/// The tokens of a text: numbers, words of the vocabulary, or bytes. `what` names it in messages.
static Expected<std::vector<int32_t>> tokensOf(StringRef text, const Twine &what, TextForm form, Encoding encoding) {
  std::vector<int32_t> tokens;
  if (!form.areNumbers && form.vocabulary) {
    auto encoded = (form.vocabulary->*encoding)(text);
    if (!encoded)
      return createStringError(what + ": " + toString(encoded.takeError()));
    tokens = std::move(*encoded);
  } else if (!form.areNumbers) {
    tokens.assign(text.bytes_begin(), text.bytes_end());
  }
  SmallVector<StringRef> numbers;
  text.split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : form.areNumbers ? ArrayRef(numbers) : ArrayRef<StringRef>()) {
    int32_t token;
    if (number.getAsInteger(10, token))
      return createStringError(what + " has the token " + number + ", which is above 2147483647");
    tokens.push_back(token);
  }
  bool hasOnlyEnd = encoding == &Vocabulary::rowOf && tokens.size() == 1 && !form.areNumbers && form.vocabulary;
  if (tokens.empty() || hasOnlyEnd)
    return createStringError(what + " is empty, expected at least one token");
  return tokens;
}

/// Whether `decode` has made an entry point: its arguments begin with prompts and their lengths, and its results are
/// tokens and their number.
static bool writesTokens(const attn_entry_info &entry) {
  if (entry.input_count < 2 || entry.result_count != 2)
    return false;
  auto is = [&](int32_t number, StringRef name, int32_t rank) {
    const attn_tensor_info &info = entry.tensors[number];
    return info.name == name && info.dtype == ATTN_I32 && info.rank == rank;
  };
  const attn_tensor_info &tokens = resultsOf(entry).front();
  return is(0, "prompt", 2) && is(1, "prompt_length", 1) && is(entry.input_count, "tokens", 2) &&
         is(entry.input_count + 1, "length", 1) && constantSize(tokens.shape[1]);
}

Error Writer::findEntry() {
  std::string names, steps;
  WriterRequest wanted;
  wanted.entry = options.entry;
  int64_t count = 0;
  for (int64_t each = 0; each < model.entry_count; ++each) {
    std::string name = model.entries[each].name;
    if (attn_find_entry(&model, (name + "_prefill").c_str()) >= 0)
      steps += (steps.empty() ? "" : ", ") + name;
    if (!writesTokens(model.entries[each]))
      continue;
    names += (names.empty() ? "" : ", ") + name;
    if (!wanted.names(name))
      continue;
    number = each;
    ++count;
  }
  if (count == 1)
    return Error::success();
  if (count > 1)
    return createStringError(formatv("choose an entry point by --entry: {0}", names));
  if (!names.empty())
    return createStringError(formatv("no entry point '{0}' writes tokens; the model has {1}", options.entry, names));
  if (steps.empty())
    return createStringError(
        "the model has no entry point that writes tokens; write `export next = incremental(logits, "
        "along: seq)` and `export write = decode(next, with: draw, at_most: 64)`");
  if (options.source.isModel())
    return createStringError(formatv("choose an entry point to decode with by --entry: {0}", steps));
  return createStringError(formatv("the object has no entry point that writes tokens; write `export write = "
                                   "decode({0}, with: draw, at_most: 64)`, or give the model (.attn)",
                                   StringRef(steps).split(',').first));
}

/// Whether an option has the value of an input: a number of the sampler, or the seed.
bool Writer::isOfSampler(const attn_tensor_info &info) const {
  bool isNumber =
      info.rank <= 1 && (info.dtype == ATTN_I32 || (info.dtype == ATTN_F32 && StringRef(info.name) != "seed"));
  return isNumber && (StringRef(info.name) == "seed" || options.choice.count(info.name));
}

/// Rejects options for inputs that the entry point does not have.
Error Writer::checkChoice() const {
  std::string takes;
  for (int32_t input = 2; input < entry().input_count; ++input)
    takes += (takes.empty() ? "" : ", ") + std::string(entry().tensors[input].name);
  for (const auto &[name, option] : options.said)
    if (option->count() > 0 && (name != "seed" || !options.weights.empty()) &&
        !is_contained(split(takes, ", "), StringRef(name)))
      return createStringError(formatv("{0} has no effect: the model fixes the sampler of '{1}'; with `decoding.draw` "
                                       "each call takes temperature, top_k, top_p and seed",
                                       option->get_name(), entry().name));
  return Error::success();
}

/// The value of an input of tokens for one row, in the form of a prompt. A row of words has its end, as in training.
static Expected<HostTensor> textOfRow(const attn_tensor_info &info, StringRef value, const Vocabularies &vocabularies) {
  auto vocabulary = vocabularies.forText(info.name);
  if (!vocabulary)
    return vocabulary.takeError();
  TextForm form = formOf(value, *vocabulary);
  auto tokens = tokensOf(value, "the input '" + Twine(info.name) + "'", form, &Vocabulary::rowOf);
  if (!tokens)
    return tokens.takeError();
  HostTensor row(ATTN_I32, {1, int64_t(tokens->size())});
  copy(*tokens, row.integers());
  return row;
}

/// The value of an input for one row, if `value` is no file: tokens like a prompt, or the number of the row.
static Expected<std::optional<HostTensor>> valueOfRow(const attn_tensor_info &info, StringRef value,
                                                      const Vocabularies &vocabularies) {
  if (sys::fs::is_regular_file(value) || value.starts_with("words:") || value.starts_with("label:"))
    return std::nullopt;
  if (info.dtype == ATTN_I32 && info.rank == 2) {
    auto row = textOfRow(info, value, vocabularies);
    if (!row)
      return row.takeError();
    return std::move(*row);
  }
  double number;
  int32_t whole;
  if (info.dtype == ATTN_BOOL || info.rank != 1 || value.getAsDouble(number))
    return std::nullopt;
  if (info.dtype == ATTN_I32 && value.getAsInteger(10, whole))
    return createStringError(formatv("--input {0}={1}: expected a whole number", info.name, value));
  HostTensor one(attn_dtype(info.dtype), {1});
  one.set(0, number);
  return one;
}

/// Adds the lengths of texts: an input `source_length`, if no option sets it, is the number of tokens of `source`.
void Writer::addLengths() {
  for (const attn_tensor_info &info : ArrayRef(entry().tensors, entry().input_count)) {
    StringRef text = info.name;
    if (info.dtype != ATTN_I32 || info.rank != 1 || !text.consume_back("_length"))
      continue;
    auto found = given.find(text.str());
    if (found == given.end() || found->second.shape.size() != 2)
      continue;
    HostTensor length(ATTN_I32, {found->second.shape[0]});
    std::fill_n(length.integers(), length.count(), int32_t(found->second.shape[1]));
    given.try_emplace(info.name, std::move(length));
  }
}

/// Reads the inputs that no other option sets.
Error Writer::readInputs() {
  ArrayRef<attn_tensor_info> inputs(entry().tensors, entry().input_count);
  SmallVector<StringRef> names;
  for (const attn_tensor_info &info : inputs.drop_front(2))
    if (!isOfSampler(info))
      names.push_back(info.name);
  std::vector<std::string> files;
  for (const std::string &option : options.inputs) {
    auto named = splitNamed(option, "input", names);
    if (!named)
      return named.takeError();
    StringRef name = names[named->first];
    auto row = valueOfRow(*find_if(inputs, [&](const attn_tensor_info &each) { return each.name == name; }),
                          named->second, vocabularies);
    if (!row)
      return row.takeError();
    if (*row && !given.try_emplace(name.str(), **row).second)
      return createStringError(formatv("--input {0}: input '{1}' has its values already", option, name));
    if (!*row)
      files.push_back(option);
  }
  std::vector<int64_t> dimensions(entry().dimension_count, -1);
  auto values = readInputValues(entry(), entry().input_count, files, vocabularies, dimensions);
  if (!values)
    return values.takeError();
  for (auto [info, value] : zip_equal(inputs, *values))
    if (value && value->isFilling())
      return createStringError(formatv("--input {0}={1}: expected a file or a number", info.name, value->text));
    else if (value)
      given[info.name] = std::move(value->tensor);
  addLengths();
  for (StringRef name : names)
    if (!given.count(name.str()))
      return createStringError(formatv("'{0}' takes `{1}`; give it by --input {1}=FILE", entry().name, name));
  return Error::success();
}

Error Writer::start() {
  if (Error error = findEntry())
    return error;
  if (Error error = checkChoice())
    return error;
  if (Error error = readInputs())
    return error;
  if (Error error = runner.start(options.threads))
    return error;
  return runner.loadWeights(options.weights, 0, options.seed);
}

/// An input of the entry point for one row. Each call has a seed of its own for random draws.
Expected<HostTensor> Writer::inputOf(const attn_tensor_info &info, ArrayRef<int32_t> prompt) const {
  StringRef name = info.name;
  if (auto found = given.find(name.str()); found != given.end())
    return found->second;
  auto made = HostTensor::create(name, static_cast<attn_dtype>(info.dtype), std::vector<int64_t>(info.rank, 1));
  if (!made)
    return made;
  auto chosen = options.choice.find(name.str());
  uint32_t words[4];
  attn_random_words(options.seed, 0, uint64_t(calls), words);
  int32_t whole = name == "seed" ? int32_t(words[0]) : int32_t(prompt.size());
  if (name == "prompt") {
    *made = HostTensor(ATTN_I32, {1, int64_t(prompt.size())});
    copy(prompt, made->integers());
  } else if (chosen != options.choice.end() && made->dtype == ATTN_F32) {
    made->floats()[0] = float(chosen->second);
  } else {
    made->integers()[0] = chosen != options.choice.end() ? int32_t(chosen->second) : whole;
  }
  return made;
}

Expected<std::vector<int32_t>> Writer::follow(ArrayRef<int32_t> tokens) {
  for (const attn_dimension_info &dimension : ArrayRef(entry().dimensions, entry().dimension_count))
    if (&dimension - entry().dimensions == attn_size_dimension(&entry().tensors[0].shape[1]) && dimension.max >= 0)
      tokens = tokens.take_back(size_t(dimension.max));
  std::vector<HostTensor> inputs;
  for (const attn_tensor_info &info : ArrayRef(entry().tensors, entry().input_count)) {
    auto input = inputOf(info, tokens);
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  auto results = runner.run(number, inputs);
  if (!results)
    return results.takeError();
  ++calls;
  const int32_t *found = (*results)[0].integers();
  return std::vector<int32_t>(found, found + (*results)[1].integers()[0]);
}

void Printer::print(int32_t token) {
  if (form.areNumbers) {
    printTo(stdout, "{} ", token);
  } else if (!form.vocabulary && token > UINT8_MAX) {
    printTo(stdout, "<{}>", token);
  } else if (!form.vocabulary) {
    std::fputc(token, stdout);
  } else if (token == form.vocabulary->end()) {
    std::fputc('\n', stdout);
    isLineStart = true;
  } else {
    printTo(stdout, "{}{}", isLineStart ? "" : " ", (*form.vocabulary)[token].str());
    isLineStart = false;
  }
}

void Printer::print(ArrayRef<int32_t> tokens) {
  for (int32_t token : tokens) {
    const char *text = nullptr;
    size_t bytes = 0;
    if (!stream)
      print(token);
    else if (attn_token_stream_add(stream.get(), token, &text, &bytes, nullptr) == ATTN_OK)
      std::fwrite(text, 1, bytes, stdout);
  }
  std::fflush(stdout);
}

void Printer::finish() {
  const char *text = nullptr;
  size_t bytes = 0;
  if (stream && attn_token_stream_finish(stream.get(), &text, &bytes, nullptr) == ATTN_OK)
    std::fwrite(text, 1, bytes, stdout);
  std::fputc('\n', stdout);
}

/// The tokens that end the text: `text` is the number of a token, or a text of one word or byte; a tokenizer has
/// further ones. None if `text` is empty.
static Expected<std::vector<int32_t>> stopTokens(StringRef text, const Vocabulary *vocabulary) {
  std::vector<int32_t> ends;
  if (vocabulary && vocabulary->tokenizerFile())
    ends = vocabulary->tokenizerFile()->allEnds().vec();
  int32_t number;
  if (text.empty())
    return ends;
  if (!text.getAsInteger(10, number)) {
    ends.push_back(number);
    return ends;
  }
  if (text.find_first_not_of("0123456789") == StringRef::npos)
    return createStringError("--stop " + text + ": is above 2147483647");
  auto tokens = tokensOf(text, "--stop", {.vocabulary = vocabulary}, &Vocabulary::tokensOf);
  if (!tokens)
    return tokens.takeError();
  if (tokens->size() != 1)
    return createStringError(formatv("--stop {0}: found {1} {2}, expected one, or the number of a token", text,
                                     tokens->size(),
                                     !vocabulary                   ? "bytes"
                                     : vocabulary->tokenizerFile() ? "tokens"
                                                                   : "words"));
  if (vocabulary && !vocabulary->tokenizerFile() && tokens->front() == Vocabulary::unknown &&
      text != (*vocabulary)[Vocabulary::unknown])
    return createStringError(formatv(
        "--stop {0}: the vocabulary does not have this word; give a word that it has, or the number of a token", text));
  ends.push_back(tokens->front());
  return ends;
}

static Error generate(const GenerateOptions &options, const attn_model &model) {
  auto vocabularies = openVocabularies(options.vocabularies, options.weights);
  if (!vocabularies)
    return vocabularies.takeError();
  auto vocabulary = vocabularies->forText("prompt");
  if (!vocabulary)
    return vocabulary.takeError();
  TextForm form = formOf(options.prompt, *vocabulary);
  auto tokens = tokensOf(options.prompt, "the prompt", form, &Vocabulary::promptOf);
  if (!tokens)
    return tokens.takeError();
  auto stop = stopTokens(options.stop, *vocabulary);
  if (!stop)
    return stop.takeError();
  Writer writer(options, *vocabularies, model);
  if (Error error = writer.start())
    return error;
  Printer printer(form);
  printer.print(*tokens);
  size_t end = tokens->size() + size_t(options.count);
  for (bool goesOn = true; goesOn && tokens->size() < end;) {
    auto next = writer.follow(*tokens);
    if (!next)
      return next.takeError();
    goesOn = int64_t(next->size()) == writer.atMost();
    next->resize(std::min(next->size(), end - tokens->size()));
    if (auto last = std::ranges::find_first_of(*next, *stop); last != next->end()) {
      next->erase(last, next->end());
      goesOn = false;
    }
    printer.print(*next);
    tokens->insert(tokens->end(), next->begin(), next->end());
  }
  printer.finish();
  return Error::success();
}

/// The number of tokens of a call, if `generate` compiles the decoding loop. Each call reads the text so far again. So
/// that this cost is in proportion to the written tokens, a long text takes at most 16 calls, which all write about the
/// same number of tokens.
static int64_t tokensOfCall(int64_t count) {
  int64_t calls = std::clamp<int64_t>((count + 63) / 64, 1, 16);
  return (count + calls - 1) / calls;
}

static ExitCode generate(GenerateOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  options.source.compile.writer = WriterRequest{options.entry, "decoding", "draw", tokensOfCall(options.count)};
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(generate(options, loaded->model())) : exitCode;
}

void addGenerate(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App *command = addCommand(app, "generate", "Continue a prompt with a model");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  command
      ->add_option(
          "--prompt", options->prompt,
          "A text, of words or of a tokenizer's tokens if there is a vocabulary, otherwise of bytes; or tokens: "
          "15496,11,995")
      ->required();
  command->add_option("--entry", options->entry,
                      "An entry point made by `decode`, or in a model by `incremental`; optional if there is only one");
  command
      ->add_option("--input", options->inputs,
                   "Values of a further input, such as an encoder's source: a file, a number, or for tokens a text or "
                   "tokens as in --prompt; given once for each such input")
      ->type_name("NAME=VALUE");
  command
      ->add_option("--weights", options->weights,
                   "A .safetensors file, the index of its shards, or a folder with either")
      ->type_name("FILE");
  options->source.takeWeights(*command, options->weights);
  addVocabularyOption(*command, options->vocabularies);
  command->add_option("--count", options->count, "Maximum number of tokens")->capture_default_str()->check(atLeast(1));
  command
      ->add_option("--stop", options->stop,
                   "Token that ends the text: a number, or a word if there is a vocabulary, otherwise a byte")
      ->type_name("TOKEN");
  auto &choice = options->choice;
  options->said = {
      {"temperature", command
                          ->add_option("--temperature", choice["temperature"],
                                       "Temperature of the softmax; 0: always the most likely token")
                          ->capture_default_str()
                          ->check(atLeast(0))},
      {"top_k", command->add_option("--top-k", choice["top_k"], "Number of the most likely tokens to draw from; 0: all")
                    ->check(CLI::Range(0, std::numeric_limits<int32_t>::max()))},
      {"top_p",
       command->add_option("--top-p", choice["top_p"], "Total probability of the most likely tokens to draw from")
           ->capture_default_str()
           ->check(CLI::Range(0.0, 1.0))},
      {"seed", command->add_option("--seed", options->seed, "Seed of the draws")->capture_default_str()}};
  command->add_option("--threads", options->threads, "Number of threads; 0: one for each processor")
      ->capture_default_str();
  command->footer("Example:\n  attnc generate examples/chargpt/chargpt.attn --weights run/weights.safetensors "
                  "--prompt \"In the beginning\" --count 100 --temperature 0.8");
  command->callback([options, &exitCode] { exitCode = generate(*options); });
}

} // namespace attnc
