// attnc generate: continues a text, or holds a conversation, by entry points that `decode` makes.
#include "compiler/Json/InputBuffer.h"
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
                            const Vocabulary *vocabulary, ArrayRef<int32_t> stop, const WriterModels &models) {
  TextForm form = TextForm::of(options.prompt, vocabulary);
  auto tokens = tokensOf(options.prompt, "the prompt", form, &Vocabulary::promptOf);
  if (!tokens)
    return tokens.takeError();
  auto writer = Writer::open(options, vocabularies, models, stop);
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

static Error generate(const GenerateOptions &options, const WriterModels &models) {
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
  return options.isChat ? chat(options, *vocabularies, *vocabulary, *stop, models)
                        : continuePrompt(options, *vocabularies, *vocabulary, *stop, models);
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

/// Warns if two checkpoints have different tokenizers.
static void warnOfOtherTokenizer(const std::string &model, const std::string &draft) {
  std::string paths[] = {model + "/tokenizer.json", draft + "/tokenizer.json"};
  std::string texts[2];
  for (auto [path, text] : zip_equal(paths, texts)) {
    auto file = readInputFile(path);
    if (!file)
      return consumeError(file.takeError());
    text = (*file)->getBuffer();
  }
  if (texts[0] != texts[1])
    warn(formatv("{0} and {1} differ; drafts of other tokens are rarely accepted", paths[0], paths[1]).str());
}

/// Loads the model of drafts, which is compiled with the target and the precision of the other one.
static std::optional<LoadedModel> loadDraft(GenerateOptions &options, ExitCode &exitCode) {
  CompileOptions &compile = options.draft.compile;
  compile.target = options.source.compile.target;
  compile.precision = options.source.compile.precision;
  compile.writer = WriterRequest{"", "decoding", "draw", options.drafts, true, options.drafts};
  if (options.draftWeights.empty())
    options.draftWeights = options.draft.ownWeights();
  warnOfOtherTokenizer(options.source.input(), options.draft.input());
  return options.draft.load(exitCode);
}

static ExitCode generate(GenerateOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  CompileOptions &compile = options.source.compile;
  bool isResumed = !StringRef(compile.target).starts_with("cuda"); // states are in the host's memory
  bool hasDraft = !options.draft.input().empty();
  if (hasDraft && options.drafts == 0)
    options.drafts = 4;
  if (options.drafts > 0 && (!isResumed || options.source.isObject()))
    return refuse("drafts are for models that this command compiles for a processor: folders of checkpoints and .attn");
  compile.writer =
      WriterRequest{options.entry,  "decoding",        "draw", tokensOfCall(options.count, isResumed), isResumed,
                    options.drafts, options.drafts > 0};
  std::optional<LoadedModel> loaded = options.source.load(exitCode), draft;
  if (!loaded || (hasDraft && !(draft = loadDraft(options, exitCode))))
    return exitCode;
  return report(generate(options, {loaded->model(), draft ? &draft->model() : nullptr}));
}

/// Adds the options for inputs of samplers.
static void addSamplerOptions(CLI::App &command, GenerateOptions &options) {
  auto &choice = options.choice;
  options.said = {
      {"temperature", command
                          .add_option("--temperature", choice["temperature"],
                                      "Temperature of the softmax; 0: always the most likely token")
                          ->capture_default_str()
                          ->check(atLeast(0))},
      {"top_k", command.add_option("--top-k", choice["top_k"], "Number of the most likely tokens to draw from; 0: all")
                    ->check(CLI::Range(0, std::numeric_limits<int32_t>::max()))},
      {"top_p",
       command.add_option("--top-p", choice["top_p"], "Total probability of the most likely tokens to draw from")
           ->capture_default_str()
           ->check(CLI::Range(0.0, 1.0))},
      {"seed", command.add_option("--seed", options.seed, "Seed of the draws")->capture_default_str()}};
}

static void addDraftOptions(CLI::App &command, GenerateOptions &options) {
  CLI::Option *draft = command
                           .add_option("--draft", options.draft.compile.input,
                                       "A smaller model with the same tokens, which drafts tokens that the model "
                                       "verifies together; the text is the same")
                           ->type_name("MODEL");
  addWeightsOption(command, "--draft-weights", options.draftWeights, "The weights of the smaller model")->needs(draft);
  command
      .add_option("--draft-tokens", options.drafts,
                  "Number of drafted tokens (4); without --draft, drafts repeat earlier places of the text")
      ->check(CLI::Range(1, 64));
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
  addSamplerOptions(*command, *options);
  addDraftOptions(*command, *options);
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
