//===- AttendDecode.h - attention for few queries -------------------------------------------------------------===//
//
// With a handful of queries the keys and values are read once and everything else should hide behind that. The rows are
// the queries of one batch together with the heads that share its keys (AttendProblem::group), and the keys are cut
// into splits of a fixed number, one a chunk:
//
//   phase 1, chunk (batch, split), in blocks of 256 keys:
//     S[r][k]  = sum_f Q[r][f] * K[k][f]          lanes are features, L sums at once, then a tree of pairwise sums
//     S        = score, mask; p = exp2(S - m)     lanes are keys
//     O[r][v] += sum_k p[r][k] * V[k][v]          lanes are values (a NaN: once more, over kept pairs alone)
//   phase 2, chunk (batch): with M = max m_s over the splits in order and e_s = exp2(m_s - M)
//     O[r] = sum_s e_s O_s / sum_s e_s l_s
//
// So each split's part does not depend on who computed it, and the sums are taken in one order: the same bits at any
// number of threads. Lines are read in the order they lie in, as processors expect it, and asked for 6 KB ahead in step
// with the multiplications, from keys on to values and to the next block's keys.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

/// The rows and chunks of the decode schedule.
struct AttendDecodeShape {
  AttendDecodeShape(const AttendProblem &problem, const AttendSchedule &schedule);

  int64_t rows;      ///< of one chunk
  SizeExpr batches;  ///< that share no keys
  SizeExpr splits;   ///< of the keys
  SizeExpr partSize; ///< floats of one row's part: m, l, O, padded to lines
  int64_t partHead;  ///< floats in front of O

  SizeExpr sharedBytes() const { return batches * splits * SizeExpr(4 * rows) * partSize; }
};

class AttendDecode {
public:
  AttendDecode(const AttendProblem &problem, const AttendSchedule &schedule, const AttendDecodeShape &shape,
               const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);

  void emitParts(); ///< phase 1
  void emitMerge(); ///< phase 2
  SizeExpr workerBytes() const { return scratch.bytes; }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// Rows that share registers.
  struct RowTile {
    int64_t first, count;
  };

  // AttendDecode.cpp
  void openChunk(bool withSplits);
  RegionVectoriser bindRow(Value row);
  void computeBlock(Value firstKey, Value count, Value all);
  Values partAt(Value batchNumber, Value split, int64_t row);
  void storeParts();
  Value firstLane(Value vector);
  Normaliser::Carriers startOfRow(int64_t row);
  void mergeRow(int64_t row);
  void mergeValues(int64_t row, Value inverse);

  // AttendDecodeBlock.cpp
  void computeProduct(unsigned product, Value firstKey, Value count);
  /// Some rows and the keys from `key` on of a block of `count`.
  struct ProductTile {
    unsigned number;
    RowTile rows;
    Value firstKey, key, count;
  };
  using Cells = std::vector<RegionVectoriser>; ///< of a row, by key
  void computeProductTile(const ProductTile &tile);
  Value sumShortProducts(const ProductTile &tile, int64_t tileKeys);
  Value sumLongProducts(const ProductTile &tile, int64_t tileKeys);
  llvm::SmallVector<Cells> bindTile(const ProductTile &tile, int64_t tileKeys);
  Value addFeatures(const PairReduction &product, RegionVectoriser pair, Value feature, Value left, Value sum);
  Value neutralOf(mlir::attn::ReduceOp op);
  Value sumLanes(mlir::attn::Combine combine, Values vectors);
  void computeWeights(int64_t row, Value firstKey, Value count, bool masked);
  Value scoreOf(RegionVectoriser &pair, int64_t row, Value key, bool masked);
  void checkKept(RegionVectoriser pair, mlir::Region &formula, Value kept);
  int64_t valueVectors() const;
  void accumulateValues(Value firstKey, Value count);
  /// Keys begin .. end-1 of a block of `blockCount`, and values from the first one.
  struct ValueTile {
    RowTile rows;
    Value firstKey, blockCount, begin, end, firstValue;
    int64_t vectors;
  };
  void accumulateValueTile(const ValueTile &tile);
  Value valuePlace(const ValueTile &tile, int64_t row, int64_t vector);
  Values sumValueTile(const ValueTile &tile, bool keptAlone);

  // AttendDecodePrefetch.cpp
  /// Where the floats of consecutive keys lie: place + key * stride + float.
  struct Run {
    Value flat, place, stride;
  };
  using Lines = llvm::SmallVector<Run, 2>;
  Value keysAhead(const SizeExpr &floatsOfKey);
  Lines linesAheadOfProduct(const ProductTile &tile);
  Lines linesAheadOfValues(const ValueTile &tile, Value key);
  Lines linesOfProduct(unsigned number, Value key);
  Lines linesOfValue(Value key);
  Run runOf(mlir::tensor::ExtractOp extract, llvm::function_ref<RegionVectoriser(Value key)> bind, Value key);
  void redirect(Lines &lines, const Lines &others, Value condition);
  void prefetch(const Lines &lines, int64_t key, Value place);

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() { return {loops, target}; }
  /// Keys that are scored before their values are summed.
  static constexpr int64_t blockKeys() { return 256; }

  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const AttendDecodeShape &shape;
  const Target &target;
  KernelFrame frame;
  LoopBuilder loops;
  AttendScratch scratch;
  AttendMask mask;
  RegionVectoriser batch;
  std::vector<RegionVectoriser> rowPoints;
  Values outerSizes, keySizes, valueSizes; ///< index
  Value keys, values;
  Value batchNumber, firstOfGroup, firstSplitKey, endSplitKey;
  Value endOfKeys; ///< of those that the chunk looks at
  llvm::SmallVector<RowTile> rowTiles;
  llvm::SmallVector<Value> scoreTiles; ///< [product]: rows x block, the first one becomes the weights
  Value partTile;                      ///< sums of some keys' products, as many vectors as lanes
  Value keptTile;                      ///< rows x block: flags of the pairs
  Value sumTile, maxima, sums;         ///< rows x values, rows x 1 vector each
};

/// Whether the decode schedule can compute it. A reason says why its keys are not split.
Verdict canDecode(const AttendProblem &problem);

} // namespace attnc
