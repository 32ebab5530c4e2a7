//===- VocabularyOption.h - the option --vocabulary ---------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabularies.h"
#include <CLI/CLI.hpp>

namespace attnc {

/// Adds --vocabulary, whose values Vocabularies::open() accepts.
CLI::Option *addVocabularyOption(CLI::App &command, std::vector<std::string> &files);
/// The vocabularies for inference: those of the option; otherwise of the training that wrote `weights`.
llvm::Expected<Vocabularies> openVocabularies(llvm::ArrayRef<std::string> files, llvm::StringRef weights);
/// The folder of a file of weights; empty without weights.
std::string folderOfWeights(llvm::StringRef weights);

} // namespace attnc
