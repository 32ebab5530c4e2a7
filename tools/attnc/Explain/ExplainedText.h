//===- ExplainedText.h - an explained model as text tables --------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Prints the costs of `entry`, an entry point of `model`, with one line for each kernel, for `attnc explain --all`.
/// For an entry point without numbers, prints its `problem`, or nothing if its sizes are unknown. Prints nothing if no
/// kernel runs.
void printCosts(const ExplainedModel &model, const ExplainedEntry &entry, llvm::raw_ostream &out);

} // namespace attnc
