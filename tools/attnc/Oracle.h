//===- Oracle.h - a call's results against the double-precision interpreter -----------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/Reference.h"
#include "tools/attnc/Invocation.h"

namespace attnc {

/// How far one result of a call lies from what the oracle computes.
struct Deviation {
  std::string result;
  bool isReal = true;    ///< integers and truths have to be equal
  double largest = 1;    ///< largest |value| of the oracle's, at least one
  double difference = 0; ///< largest |compiled - oracle|; infinite where one is NaN or infinite and the other is not
  int64_t terms = 0;     ///< of the longest chain of sums behind it
  std::optional<double> constant; ///< the oracle's value where it is the same in all elements, of which there are two

  /// c u sqrt(terms) largest: how far the result may lie from the oracle's (compiler/Reference/Tolerance.h).
  double limit(double c) const;
};

/// The weights as they are now, by their names in checkpoints.
reference::Parameters parametersOf(const Invocation &call);

/// Interprets the entry point of `call`, which has run, on the same inputs and the weights that it found. `options` say
/// which model.
llvm::Expected<std::vector<Deviation>> compareWithOracle(const CompileOptions &options, const Invocation &call,
                                                         const reference::Parameters &before);

} // namespace attnc
