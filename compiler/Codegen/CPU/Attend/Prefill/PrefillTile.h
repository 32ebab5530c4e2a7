//===- PrefillTile.h - FlashAttention-2, forward, for one block of queries ------------------------------------===//
//
// Queries are in the lanes, so row statistics are lane-wise (Dao: FlashAttention-2, 2023):
//
//   Qt[f][q] = scale * Q[q][f]                                 PackedQueries, once for the block of queries
//   for each block of keys that may keep a pair:               AttendMask
//     St[k][q]  = sum_f K[k][f] * Qt[f][q]                     ScoreProduct
//     St        = score(St, ...), -inf where masked            PairScores
//     m', a, Pt, l                                             OnlineNormaliser
//     Ot[v][q]  = a * Ot + sum_k V[k][v] * Pt[k][q]            ValueSums
//   O[q][v] = Ot[v][q] / l                                     QueryResults, transposed
//
// q is a query, k a key, f a feature, v a value; m and l are row maximum and row sum, and a corrects earlier sums
// (softmax; Normaliser.h has other normalisers). Scratch has tiles of tile_q queries by tile_kv keys, features or
// values (PrefillTiles), so its size does not depend on the number of keys, except where scores are materialised
// (below). Score, mask and weight are evaluated on vectors of queries, one key at a time.
//
// The blocks are visited once or twice (PassPlan.h). If attention weights or their sums are results, or the
// weight region is not linear, each weight must be final when it is used: a first pass computes the row maxima and row
// sums. For a normaliser that
// reads whole rows, their scores are materialised in scratch, tile_q floats a key: the first pass computes scores, the
// second one, without products, sums of values.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/FinalWeights.h"
#include "compiler/Codegen/CPU/Attend/Prefill/LargestKeys.h"
#include "compiler/Codegen/CPU/Attend/Prefill/OnlineNormaliser.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PairScores.h"
#include "compiler/Codegen/CPU/Attend/Prefill/ScoreProduct.h"
#include "compiler/Codegen/CPU/Attend/Prefill/ValueSums.h"

namespace attnc {

class PrefillTile : PrefillContext {
public:
  /// Allocates its tiles in `scratch`. The caller has opened `batch` and called queries.bind(mask).
  PrefillTile(const PrefillContext &context, PrefillBatch &batch, QueryTile &queries, AttendMask &mask,
              const KeySumPart &keySums, AttendScratch &scratch);
  /// Emits the code of the block of queries: it stores all their results. For the result `key_sums`, it adds their
  /// weights to `keySums`, and a later phase stores the result (AttendKeySums.h).
  void emit();

private:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  /// Begin and end of the keys to visit, and the number of keys of a block.
  struct KeyLoop {
    Value begin, end, step;
  };
  KeyLoop chooseBlocks();
  int64_t alignedStep();
  /// Emits a pass. Returns the number of keys whose scores were materialised; null if there are none.
  Value passKeys(KeyPass pass);
  void computeBlock(KeyPass pass, KeyBlock block);
  Values computeScores(const KeyBlock &block);
  void passAll();

  PrefillBatch &batch;
  QueryTile &queries;
  AttendMask &mask;
  PrefillTiles tiles;
  PairOperands pairs;
  SelectedPairs selected;
  std::vector<ScoreProduct> products;
  PairScores scores;
  OnlineNormaliser normaliser;
  ValueSums values;
  LargestKeys largest;
  FinalWeights weights;
  QueryResults results;
};

} // namespace attnc
