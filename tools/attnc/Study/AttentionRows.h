//===- AttentionRows.h - the weights of attention, row by row -----------------------------------------------------===//
//
// A row is one query with its keys. Rows belong to heads: what a model has a fixed number of (layers, heads), however
// much data it reads. Of a tensor of weights [loops..., outer..., keys...] the dimensions in front of the keys whose
// size is a number tell heads apart, but for the last of them, which is of queries.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "tools/attnc/TensorFile.h"
#include <string>
#include <vector>

namespace attnc {

/// How the rows of one tensor of weights belong to heads.
class HeadsOfWeights {
public:
  /// `info` is that of the tensor, `keyRank` says how many of its last dimensions are of keys.
  HeadsOfWeights(const attn_tensor_info &info, int64_t keyRank);

  int64_t count() const; ///< of heads
  /// "weights[3, 0]"; "weights" where there is one head.
  std::string nameOf(int64_t head) const;
  /// The head that a row of a tensor of this shape belongs to.
  int64_t headOf(int64_t row, llvm::ArrayRef<int64_t> shape) const;
  /// Keys of a row.
  int64_t keysOf(llvm::ArrayRef<int64_t> shape) const;

private:
  std::string name;
  int64_t rank = 0, keyRank = 1;
  std::vector<int64_t> heads; ///< for each dimension in front of the keys its size, or 0 where it is of rows
};

/// How concentrated rows are. Attention is saturated where one key has nearly all the weight: no gradient passes there.
/// Rows in which fewer than two keys have weight, as with a causal mask the first, are in no mean: they are counted.
struct Concentration {
  static constexpr double saturatedAbove = 0.95;

  void add(llvm::ArrayRef<float> row);

  int64_t rows = 0;          ///< that are in the means
  int64_t withoutChoice = 0; ///< and that are not
  double entropy = 0;        ///< sum of -sum w log w, with w the shares of the row's sum, in nats
  double largest = 0;        ///< sum of the largest shares
  double saturated = 0;      ///< rows whose largest share is above 0.95

  double shareWithoutChoice() const {
    int64_t all = rows + withoutChoice;
    return all ? double(withoutChoice) / double(all) : 0;
  }
  double meanEntropy() const { return rows ? entropy / double(rows) : 0; }
  double meanLargest() const { return rows ? largest / double(rows) : 0; }
  double saturatedShare() const { return rows ? saturated / double(rows) : 0; }
};

} // namespace attnc
