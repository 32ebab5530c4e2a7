//===- InputRanges.h - bounds of integer inputs that are subscripts -----------------------------------------------===//
//
// An input of integers that a model uses as subscripts, such as tokens, must stay below the sizes of what it reads. The
// derived module says which sizes those are:
//
//   logits(tokens: i32[batch, seq])  reads  token.table[tokens[b, t], d]      tokens: {"256"}
//
// The lengths of caches are 0, for the caches are empty.
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

/// For each input of an entry point that is a subscript: the sizes below which it must stay, as numbers or as names of
/// dimensions.
using InputRanges = std::map<std::string, std::vector<std::string>>;

InputRanges inputRanges(mlir::ModuleOp module, const std::string &entry);
/// The least of the sizes that are numbers; 0 where there is none.
int64_t leastOf(const std::vector<std::string> &sizes);

} // namespace attnc
