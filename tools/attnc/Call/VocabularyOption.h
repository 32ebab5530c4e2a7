//===- VocabularyOption.h - the option --vocabulary ---------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabularies.h"
#include <CLI/CLI.hpp>

namespace attnc {

/// Adds --vocabulary to a command. The parse appends the values, which Vocabularies::open() accepts, to `files`.
CLI::Option *addVocabularyOption(CLI::App &command, std::vector<std::string> &files);
/// The vocabularies for inference: those of the values `files` of the option; for inputs and results without one, those
/// in the folder of the file `weights`, which a training wrote beside it.
llvm::Expected<Vocabularies> openVocabularies(llvm::ArrayRef<std::string> files, llvm::StringRef weights);
/// The folder of the file `weights`, "." for a name without a folder; empty if `weights` is empty.
std::string folderOfWeights(llvm::StringRef weights);

} // namespace attnc
