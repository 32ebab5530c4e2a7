//===- ExplainedJson.h - an explained model as JSON (docs/explain.md) ---------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Writes `model` as one JSON object, the output of `attnc explain --json`: all members but isWantedSum, and of the
/// machine the name, origin, cores, launch overhead, peak and memory levels. Null members are omitted.
void writeJson(const ExplainedModel &model, llvm::raw_ostream &out);

} // namespace attnc
