//===- VocabularyOption.h - the option --vocabulary ---------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabularies.h"
#include <CLI/CLI.hpp>

namespace attnc {

/// Adds --vocabulary to a command. The parse appends the values, which Vocabularies::open() accepts, to `files`.
CLI::Option *addVocabularyOption(CLI::App &command, std::vector<std::string> &files);
/// The vocabularies for inference: those of the values `files` of the option; for inputs and results without one, those
/// in the folder of `weights`, which a training wrote beside the weights.
llvm::Expected<Vocabularies> openVocabularies(llvm::ArrayRef<std::string> files, llvm::ArrayRef<std::string> weights);

} // namespace attnc
