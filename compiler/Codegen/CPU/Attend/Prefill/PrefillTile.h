//===- PrefillTile.h - FlashAttention-2, forward, for one tile of queries -----------------------------------------===//
//
// The prefill algorithm of attention (AttendPrefill.h) computes a tile of tileQ() queries of one batch at a time (Dao:
// FlashAttention-2, 2023). Queries are in the lanes, so row statistics are lane-wise:
//
//   Qt[f][q] = scale * Q[q][f]                                 PackedQueries, once for the tile of queries
//   for each block of keys that may keep a pair:               AttendMask
//     St[k][q]  = sum_f K[k][f] * Qt[f][q]                     ScoreProduct
//     St        = score(St, ...), -inf where masked            PairScores
//     m', a, Pt, l                                             OnlineNormaliser
//     Ot[v][q]  = a * Ot + sum_k V[k][v] * Pt[k][q]            ValueSums
//   O[q][v] = Ot[v][q] / l                                     QueryResults, transposed
//
// q is a query, k a key, f a feature and v an element of a value vector. Q, K and V are the queries, keys and values,
// St the scores, Pt the weights before the row's factor, and Ot their sums of values. m and l are row maximum and row
// sum, m' is the new maximum, and a corrects earlier sums. The formulas are those of softmax; Normaliser.h has other
// normalisers. The worker's scratch has tiles of tile_q queries by tile_kv keys, features or values (PrefillTiles), so
// its size does not depend on the number of keys, except where scores are materialised (below). Score, mask and weight
// formulas are evaluated on vectors of queries, one key at a time.
//
// The blocks of keys are visited once or twice (PassPlan.h). If attention weights or their sums are results, or the
// weight region is not linear, each weight must be final when it is used: a first pass computes the row maxima and row
// sums. For a normaliser that reads whole rows, the scores are materialised in scratch, tile_q floats for each key: the
// first pass computes scores, and the second pass sums of values, without products.
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
  /// Allocates its tiles in `scratch`. Requires that the caller has called batch.open() and queries.bind(mask), and
  /// that the tile has a row at run time (QueryTile::rowCount > 0). The object refers to all arguments.
  PrefillTile(const PrefillContext &context, PrefillBatch &batch, QueryTile &queries, AttendMask &mask,
              const KeySumPart &keySums, AttendScratch &scratch);
  /// Emits the code of the tile of queries, which stores all their results. For the result `key_sums`, the code adds
  /// their weights to `keySums`, and a later phase stores the result (AttendKeySums.h). Called once.
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
  Values computeScores(KeyPass pass, const KeyBlock &block);
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
  StridedRows stored; ///< ValueSums::rowsOfResult()
};

} // namespace attnc
