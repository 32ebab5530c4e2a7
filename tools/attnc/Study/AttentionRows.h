//===- AttentionRows.h - assignment of rows of attention weights to heads -----------------------------------------===//
//
// A row is one query with its keys. A head is a set of rows that a model has independently of its data, such as those
// of one head in one layer. A tensor of attention weights has the shape [loops..., outer..., keys...]. Loops and outer
// dimensions of fixed size count heads, except the last outer dimension, which counts queries. `--heads` selects other
// outer dimensions by the names of their indices. Heads are named as in the model: `blocks.3.mix h=1`.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "dialects/Attn/AttentionName.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include <string>
#include <vector>

namespace attnc {

/// Properties of an `attend` in the model.
struct StudiedAttention {
  int64_t keyRank = 1;                           ///< number of dimensions of keys
  std::optional<mlir::attn::AttentionName> name; ///< null if the model has no name for it
  std::vector<bool> loopsAreLists; ///< for each enclosing loop, outermost first: true for a list of modules, not a scan
};

/// The heads of one tensor of attention weights.
class HeadsOfWeights {
public:
  /// `info` describes the tensor; `number` counts the earlier `attend`s of the same module. `named` are the names of
  /// the outer indices that count heads; if it is empty, the dimensions of fixed size count heads.
  HeadsOfWeights(const attn_tensor_info &info, StudiedAttention attention, int64_t number,
                 llvm::ArrayRef<std::string> named);
  /// An index of `named` that has a dynamic size in this `attend`, which is an error; empty if there is none.
  const std::string &unbounded() const { return openIndex; }

  int64_t count() const; ///< number of heads
  /// "blocks.3.mix h=1"; without a name in the model "weights[3, 1]", or "weights" if there is only one head.
  std::string nameOf(int64_t head) const;
  /// The head of a row in a tensor of this shape.
  int64_t headOf(int64_t row, llvm::ArrayRef<int64_t> shape) const;
  /// The number of keys of a row.
  int64_t keysOf(llvm::ArrayRef<int64_t> shape) const;

private:
  std::string spelled(llvm::ArrayRef<int64_t> indices) const;

  std::string name; ///< name of the tensor
  StudiedAttention attention;
  int64_t rank = 0, number = 0;
  std::vector<int64_t> heads; ///< for each dimension before the keys: its size, or 0 if it does not count heads
  std::string openIndex;
};

} // namespace attnc
