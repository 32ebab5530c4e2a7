//===- InputRanges.h - bounds of integer inputs that are subscripts -----------------------------------------------===//
//
// Integers that a model uses as subscripts, such as tokens, must be below the sizes of the subscripted dimensions.
// inputRanges() reads these sizes from a module before fusion:
//
//   logits(tokens: i32[batch, seq])  reads  token.table[tokens[b, t], d]      tokens: {"256"}
//
// The limit of an input that is the length of a cache is 1: random inputs are for a call with empty caches. The limit
// of an input that counts appended positions (model.append) is the number of positions of the call: the size of
// dimension 1 of the first input.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace attnc {

/// For each input that has limits, by its name: its upper limits, exclusive. Each limit is a number ("256") or a size
/// as the entry point declares it ("seq", "2*n"). Elements must be below all limits.
using InputRanges = std::map<std::string, std::vector<std::string>>;

/// The ranges of the inputs of the entry point `entry`. `module` is the module after the phase derive or an earlier
/// one. Empty if the entry point does not exist. A size that the entry point computes gives no limit. A subscript
/// gives one only if it is an element of an input itself, not the result of arithmetic on elements.
InputRanges inputRanges(mlir::ModuleOp module, const std::string &entry);
/// The smallest of the limits `sizes` that are numbers; 0 if there is none.
int64_t leastOf(const std::vector<std::string> &sizes);

/// The limit of the tokens that a decoding loop reads whose sampler `isSampler` accepts, by its name; 0 if there is
/// none. `module` is the module after the phase import.
int64_t limitOfTokens(mlir::ModuleOp module, llvm::function_ref<bool(const std::string &name)> isSampler);

} // namespace attnc
