//===- ExplainedText.h - an explained model as text tables --------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Prints the costs of `entry`, an entry point of `model`, with one line for each kernel, for `attnc explain --all`.
void printCosts(const ExplainedModel &model, const ExplainedEntry &entry, llvm::raw_ostream &out);

} // namespace attnc
