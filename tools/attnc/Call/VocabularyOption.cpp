#include "tools/attnc/Call/VocabularyOption.h"
#include "tools/attnc/Call/WeightsOption.h"

using namespace llvm;

namespace attnc {

CLI::Option *addVocabularyOption(CLI::App &command, std::vector<std::string> &files) {
  return command
      .add_option("--vocabulary", files,
                  "A vocabulary for all words, or NAME=FILE for the words or labels of an input or result; a file "
                  "that ends in .json is a tokenizer; if not given, that in the folder of the weights")
      ->type_name("FILE");
}

Expected<Vocabularies> openVocabularies(ArrayRef<std::string> files, ArrayRef<std::string> weights) {
  return Vocabularies::open(files, folderOfWeights(weights));
}

} // namespace attnc
