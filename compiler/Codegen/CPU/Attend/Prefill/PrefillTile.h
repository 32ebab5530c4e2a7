//===- PrefillTile.h - FlashAttention-2, forward, for one block of queries ------------------------------------===//
//
// Queries are in the lanes, so row statistics are lane-wise (Dao: FlashAttention-2, 2023):
//
//   Qt[f][q] = scale * Q[q][f]                                 PackedQueries, once
//   for each block of keys that may keep a pair:               AttendMask
//     St[k][q]  = sum_f K[k][f] * Qt[f][q]                     ScoreProduct
//     St        = score(St, ...), -inf where masked            PairScores
//     m', a, Pt, l                                             OnlineNormaliser
//     Ot[v][q]  = a * Ot + sum_k V[k][v] * Pt[k][q]            ValueSums
//   O[q][v] = Ot[v][q] / l                                     QueryResults, transposed
//
// The largest tensors in scratch are the tiles (PrefillTiles), whatever the lengths. Score, mask and weight are
// evaluated on vectors of queries, one key at a time.
//
// Final weights (the `weights` result, or a weight region that is not linear) need the row's sums first: the blocks are
// visited twice, the first time for the sums alone. For a normaliser that reads whole rows, their scores are
// materialised in scratch, tile_q floats a key: the blocks are visited once for the scores and once, without products,
// for the values.
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
  /// Allocates its tiles in `scratch`. The rows of `queries` are bound, and the mask is prepared for them.
  PrefillTile(const PrefillContext &context, PrefillBatch &batch, QueryTile &queries, AttendMask &mask,
              const KeySumPart &keySums, AttendScratch &scratch);
  void emit();

private:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  /// Begin and end of the keys, and keys of a block.
  struct KeyLoop {
    Value begin, end, step;
  };
  KeyLoop chooseBlocks();
  int64_t alignedStep();
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
