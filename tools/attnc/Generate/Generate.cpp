// attnc generate: continues a text, or holds a conversation, by entry points that `decode` makes.
#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Call/WeightsOption.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Generate/Chat.h"
#include "tools/attnc/Generate/Stream.h"
#include "tools/attnc/Options/Validators.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

static Error continuePrompt(const GenerateOptions &options, const Vocabularies &vocabularies,
                            const Vocabulary *vocabulary, ArrayRef<int32_t> stop, const attn_model &model) {
  TextForm form = TextForm::of(options.prompt, vocabulary);
  auto tokens = tokensOf(options.prompt, "the prompt", form, &Vocabulary::promptOf);
  if (!tokens)
    return tokens.takeError();
  auto writer = Writer::open(options, vocabularies, model, stop);
  if (!writer)
    return writer.takeError();
  Printer printer(form);
  printer.print(*tokens);
  (*writer)->begin(*tokens, options.count);
  auto written = printTokens(**writer, printer, options.count);
  if (!written)
    return written.takeError();
  printRates((*writer)->times);
  return Error::success();
}

/// Warns if the tokenizer has tokens that the model's table lacks.
static void warnOfMissingTokens(const GenerateOptions &options, const Vocabulary *vocabulary) {
  if (!vocabulary || !vocabulary->tokenizerFile())
    return;
  if (int64_t room = options.source.tokensOfWriter(); room > 0 && vocabulary->size() > room)
    warn(formatv("the tokenizer has {0} tokens, but the model has room for {1}; a text with one of the others is an "
                 "error",
                 vocabulary->size(), room)
             .str());
}

static Error generate(const GenerateOptions &options, const attn_model &model) {
  auto vocabularies = openVocabularies(options.vocabularies, options.weights);
  if (!vocabularies)
    return vocabularies.takeError();
  auto vocabulary = vocabularies->forText("prompt");
  if (!vocabulary)
    return vocabulary.takeError();
  warnOfMissingTokens(options, *vocabulary);
  auto stop = stopTokens(options.stop, *vocabulary);
  if (!stop)
    return stop.takeError();
  return options.isChat ? chat(options, *vocabularies, *vocabulary, *stop, model)
                        : continuePrompt(options, *vocabularies, *vocabulary, *stop, model);
}

/// The number of tokens of a call, if `generate` compiles the decoding loop. Each call of a loop for a device reads the
/// text so far again. So that this cost is in proportion to the written tokens, a long text takes at most 16 calls,
/// which all write about the same number of tokens.
static int64_t tokensOfCall(int64_t count, bool isResumed) {
  if (isResumed)
    return std::min<int64_t>(count, 256);
  int64_t calls = std::clamp<int64_t>((count + 63) / 64, 1, 16);
  return (count + calls - 1) / calls;
}

static ExitCode generate(GenerateOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  bool isResumed = !StringRef(options.source.compile.target).starts_with("cuda"); // states are in the host's memory
  options.source.compile.writer =
      WriterRequest{options.entry, "decoding", "draw", tokensOfCall(options.count, isResumed), isResumed};
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(generate(options, loaded->model())) : exitCode;
}

void addGenerate(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App *command = addCommand(app, "generate", "Continue a prompt with a model");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  CLI::Option *prompt = command->add_option(
      "--prompt", options->prompt,
      "A text, of words or of a tokenizer's tokens if there is a vocabulary, otherwise of bytes; or tokens: "
      "15496,11,995");
  CLI::Option *chat = command
                          ->add_flag("--chat", options->isChat,
                                     "A conversation: each line of standard input is a message, which the model "
                                     "answers; in place of --prompt")
                          ->excludes(prompt);
  command->add_option("--system", options->system, "The message of the system, which a conversation begins with")
      ->needs(chat);
  command->add_option("--entry", options->entry,
                      "An entry point made by `decode`, or in a model by `incremental`; optional if there is only one");
  command
      ->add_option("--input", options->inputs,
                   "Values of a further input, such as an encoder's source: a file, a number, or for tokens a text or "
                   "tokens as in --prompt; given once for each such input")
      ->type_name("NAME=VALUE");
  addWeightsOption(*command, "--weights", options->weights, "The weights");
  options->source.takeWeights(*command, options->weights);
  addVocabularyOption(*command, options->vocabularies);
  command->add_option("--count", options->count, "Maximum number of tokens, or of those of an answer")
      ->capture_default_str()
      ->check(atLeast(1));
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
  command->callback([options, prompt, &exitCode] {
    if (!options->isChat && prompt->count() == 0)
      throw CLI::RequiredError("--prompt");
    exitCode = generate(*options);
  });
}

} // namespace attnc
