//===- InputRanges.h - bounds of integer inputs that are subscripts -----------------------------------------------===//
//
// Integers that a model uses as subscripts, such as tokens, must be below the sizes of the subscripted dimensions.
// These sizes are read from the derived module:
//
//   logits(tokens: i32[batch, seq])  reads  token.table[tokens[b, t], d]      tokens: {"256"}
//
// A length of a cache must be below 1: random inputs belong to a call with empty caches. A count of appended positions
// must be below the number of positions of the call.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace attnc {

/// For each input of an entry point that is used as a subscript: its upper limits, exclusive, as numbers or as names of
/// dimensions.
using InputRanges = std::map<std::string, std::vector<std::string>>;

/// The ranges of the inputs of `entry` in a module after derive; empty if the entry point does not exist.
InputRanges inputRanges(mlir::ModuleOp module, const std::string &entry);
/// The smallest of the sizes that are numbers; 0 if there is none.
int64_t leastOf(const std::vector<std::string> &sizes);

} // namespace attnc
