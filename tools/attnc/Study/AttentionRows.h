//===- AttentionRows.h - assignment of rows of attention weights to heads -----------------------------------------===//
//
// A row is one query with its keys. A head is a set of rows whose number does not depend on the data, such as the rows
// of one head in one layer. A tensor of attention weights has the shape [loops..., outer..., keys...]: the iterations
// of the loops around an `attend`, its outer indices, its key indices. Loops and outer dimensions of fixed size count
// heads, except the last outer dimension, which counts queries. The option `--heads` selects other outer dimensions by
// the names of their indices. Heads are named as in the model: `blocks.3.mix h=1`.
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
  std::optional<mlir::attn::AttentionName> name; ///< its module and its indices; null if it has none
  std::vector<bool> loopsAreLists; ///< for each enclosing loop, outermost first: true for a list of modules, not a scan
};

/// The heads of one tensor of attention weights.
class HeadsOfWeights {
public:
  /// `info` is the result that holds the weights. `number` is the number of earlier `attend`s in the same module, which
  /// distinguishes their names. `named` are the names of the outer indices that count heads; if `named` is empty, the
  /// dimensions of fixed size count heads, as above. Names that this `attend` does not have are ignored.
  HeadsOfWeights(const attn_tensor_info &info, StudiedAttention attention, int64_t number,
                 llvm::ArrayRef<std::string> named);
  /// An index of `named` that has a dynamic size in this `attend`, which the caller reports as an error; empty if there
  /// is none.
  const std::string &unbounded() const { return openIndex; }

  int64_t count() const; ///< number of heads, at least 1
  /// The name of the head with this number, from 0: "blocks.3.mix h=1"; without a name in the model "weights[3, 1]", or
  /// "weights" if there is only one head.
  std::string nameOf(int64_t head) const;
  /// The number of the head of a row. `shape` is the shape of the tensor in a call; `row` is the row-major number of
  /// the row, over all dimensions before the keys.
  int64_t headOf(int64_t row, llvm::ArrayRef<int64_t> shape) const;
  /// The number of keys of a row in a tensor of this shape: the product of the last keyRank sizes.
  int64_t keysOf(llvm::ArrayRef<int64_t> shape) const;

private:
  std::string spelled(llvm::ArrayRef<int64_t> indices) const; ///< nameOf() by the name in the model

  std::string name; ///< name of the tensor
  StudiedAttention attention;
  int64_t rank = 0, number = 0; ///< rank of the tensor; `number` of the constructor
  std::vector<int64_t> heads;   ///< for each dimension before the keys: its size, or 0 if it does not count heads
  std::string openIndex;        ///< see unbounded()
};

} // namespace attnc
