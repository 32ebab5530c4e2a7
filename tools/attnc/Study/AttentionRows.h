//===- AttentionRows.h - the weights of attention, row by row -----------------------------------------------------===//
//
// A row is one query with its keys. Rows belong to heads: what a model has a fixed number of (layers, heads), however
// much data it reads. Of a tensor of weights [loops..., outer..., keys...] the dimensions in front of the keys whose
// size is a number tell heads apart, but for the last of them, which is of queries; or those that a person names.
// Heads are called as the model calls them: `blocks.3.mix h=1`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "dialects/Attn/AttentionName.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include <string>
#include <vector>

namespace attnc {

/// What the model says of an attention.
struct StudiedAttention {
  int64_t keyRank = 1;                           ///< dimensions of keys
  std::optional<mlir::attn::AttentionName> name; ///< nothing where the model does not say
  std::vector<bool> loopsAreLists; ///< of the loops around it, the outer ones first: over a list of modules, or a scan
};

/// How the rows of one tensor of weights belong to heads.
class HeadsOfWeights {
public:
  /// `info` is that of the tensor, `number` counts the attentions in front of it of the same module. `named` are the
  /// outer indices that tell heads apart; where there are none, the dimensions say.
  HeadsOfWeights(const attn_tensor_info &info, StudiedAttention attention, int64_t number,
                 llvm::ArrayRef<std::string> named);
  /// An index of `named` that this attention has, but without a number for its size; empty where there is none.
  const std::string &unbounded() const { return openIndex; }

  int64_t count() const; ///< of heads
  /// "blocks.3.mix h=1"; "weights[3, 1]" where the model does not say; "weights" where there is one head.
  std::string nameOf(int64_t head) const;
  /// The head that a row of a tensor of this shape belongs to.
  int64_t headOf(int64_t row, llvm::ArrayRef<int64_t> shape) const;
  /// Keys of a row.
  int64_t keysOf(llvm::ArrayRef<int64_t> shape) const;

private:
  std::string spelled(llvm::ArrayRef<int64_t> indices) const;

  std::string name; ///< of the tensor
  StudiedAttention attention;
  int64_t rank = 0, number = 0;
  std::vector<int64_t> heads; ///< for each dimension in front of the keys its size, or 0 where it is of rows
  std::string openIndex;
};

} // namespace attnc
