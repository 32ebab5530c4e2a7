#include "tools/attnc/Call/InvocationOptions.h"
#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Call/WeightsOption.h"

namespace attnc {

void InvocationOptions::addTo(CLI::App &command) {
  command.add_option("--entry", entry, "The entry point; optional if there is only one");
  command
      .add_option(
          "--input", inputs,
          "A file (FILE.npy, FILE.safetensors:TENSOR, FILE.txt, FILE.words, FILE.labels), a number if the input's rank "
          "is 0, `words:TEXT` (one row), `label:LABEL`, `zeros`, `iota` (0, 1, 2, ...), `random`, or `random:BOUND` "
          "(integers below it)")
      ->type_name("NAME=VALUES");
  command.add_option("--dim", dims, "The size of a dimension that no input file has, such as --dim seq=128")
      ->type_name("NAME=SIZE");
  CLI::Option *file =
      addWeightsOption(command, "--weights", weights, "The weights, which are otherwise random, by --seed");
  addVocabularyOption(command, vocabularies);
  command.add_flag("--allow-extra", allowExtra, "Ignore tensors of the weights file that are not parameters")
      ->needs(file);
  command.add_option("--seed", seed, "Seed of random weights and inputs")->capture_default_str();
  command.add_option("--threads", threads, "Number of threads; 0: one for each processor")->capture_default_str();
}

} // namespace attnc
