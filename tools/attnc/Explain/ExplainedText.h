//===- ExplainedText.h - an explained model as tables for people ------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// What the kernels of an entry point cost, a line each.
void printCosts(const ExplainedModel &model, const ExplainedEntry &entry, llvm::raw_ostream &out);

} // namespace attnc
