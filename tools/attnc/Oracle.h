//===- Oracle.h - a call's results against the double-precision interpreter -----------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "tools/attnc/Invocation.h"

namespace attnc {

/// How far one result of a call lies from what the oracle computes.
struct Deviation {
  std::string result;
  double largest = 0;    ///< largest |value| of the oracle's
  double difference = 0; ///< largest |compiled - oracle|; infinite where one is NaN or infinite and the other is not
  std::optional<double> constant; ///< the oracle's value where it is the same in all elements, of which there are two
  double relative() const { return difference == 0 ? 0 : difference / largest; }
};

/// Interprets the entry point of `call`, which has run, on the same inputs and weights. `options` say which model.
llvm::Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Invocation &call);

} // namespace attnc
