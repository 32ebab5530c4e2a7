#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Call/WeightsOption.h"
#include "tools/attnc/Options/Validators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

void DataOptions::addTo(CLI::App &command) {
  aboutData.push_back(
      command
          .add_option("--data", data,
                      "A text file, read as bytes, tokens (.npy), words (.words), or input=FILE for each input: .npy, "
                      "FILE.safetensors:TENSOR, or a line for each row: characters (.txt), words, a label (.labels); "
                      "input.offsets=FILE for rows of different lengths")
          ->type_name("FILE"));
  command
      .add_option(
          "--input", inputs,
          "An input that is the same in all batches: a file as for --data, a number if its rank is 0, `words:TEXT` or "
          "`label:LABEL`")
      ->type_name("NAME=VALUE");
  addVocabularyOption(command, vocabularies);
  aboutData.push_back(command.add_option("--batch", shape.batch, "Number of rows in a batch")
                          ->capture_default_str()
                          ->check(atLeast(1)));
  aboutData.push_back(command.add_option("--seq", shape.sequence, "Number of tokens in a row")
                          ->capture_default_str()
                          ->check(atLeast(1)));
}

void DataOptions::addVocabularySizesTo(CLI::App &command) {
  command
      .add_option("--vocab-size", mostTokens,
                  "Maximum number of tokens of a vocabulary that is made from the words of the data, with <end> and "
                  "<unk>; rarer words are unknown; all words if not given")
      ->type_name("TOKENS")
      ->check(atLeast(Vocabulary::specialTokens));
  command
      .add_option("--own-vocabulary", ownWords,
                  "Inputs of words with a vocabulary of their own; all others share one vocabulary")
      ->type_name("INPUT")
      ->delimiter(',');
}

/// Whether `input=file` gives an input words.
static bool isWordsOf(StringRef place, StringRef input) {
  auto [name, file] = place.split('=');
  return name == input && isWordFile(file);
}

Expected<Vocabularies> DataOptions::readVocabularies() const {
  auto result = Vocabularies::open(vocabularies, folder);
  if (!result)
    return result;
  for (StringRef input : ownWords)
    if (none_of(concat<const std::string>(data, inputs), [&](StringRef place) { return isWordsOf(place, input); }))
      return createStringError(formatv("--own-vocabulary {0} has no effect: there is no --data {0}=FILE.words", input));
  if (makesVocabularies)
    if (Error error = result->build({data, inputs, heldOut, mostTokens, ownWords}))
      return std::move(error);
  return result;
}

Error DataOptions::checkNoData(const attn_entry_info &entry) const {
  for (const CLI::Option *option : aboutData)
    if (option->count() > 0)
      return createStringError(formatv("{0} has no effect: '{1}' has no inputs from data; the model determines the "
                                       "number of its samples",
                                       option->get_name(), entry.name));
  return Error::success();
}

void InferenceOptions::findVocabularies() { folder = folderOfWeights(weights); }

void InferenceOptions::addTo(CLI::App &command) {
  DataOptions::addTo(command);
  addWeightsOption(command, "--weights", weights, "The weights");
  command.add_option("--seed", seed, "Seed of draws and of parameters that are not given")->capture_default_str();
  command.add_option("--threads", threads, "Number of threads; 0: one for each processor")->capture_default_str();
}

} // namespace attnc
