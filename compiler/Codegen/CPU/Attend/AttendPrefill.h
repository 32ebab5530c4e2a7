//===- AttendPrefill.h - attention for many queries -----------------------------------------------------------===//
//
// One chunk is one block of queries of one batch. Queries are in the lanes, so the row statistics are lane-wise:
//
//   Qt[f][q] = scale * Q[q][f]                                 once, transposed
//   for each block of keys that may keep a pair:
//     St[k][q]  = sum_f K[k][f] * Qt[f][q]                     register tiles, K read as scalars from where it lies
//     St        = score(St, ...), -inf where masked            m' = max(m, St)
//     a         = exp2(m - m'),  Pt = exp2(St - m')            l = a * l + sum_k Pt
//     Ot[v][q]  = a * Ot + sum_k V[k][v] * Pt[k][q]            register tiles, V read as scalars from where it lies
//                                                              (a tile with a NaN once more, over kept pairs alone)
//   O[q][v] = Ot[v][q] / l                                     once, transposed
//
// (Milakov, Gimelshein: Online normalizer calculation for softmax, 2018; Dao: FlashAttention-2, 2023.) The largest
// things held are the tiles, whatever the lengths. Score, mask and weight are evaluated on vectors of queries, one key
// at a time. m starts at the lowest finite float: a row without kept pairs ends with l = 0 and yields zeros.
//
// Under a causal mask, and any other whose end is told by the row's index, the vectors of queries that drop the rest of
// a block take no part in its products: the diagonal is computed in steps of a vector.
//
// A dilated mask parts rows and keys into classes of one residue (ResidueClasses). A chunk is then a block of queries
// of one class, and passes the keys of its class alone: rows and keys are numbered within the class throughout.
//
// That is softmax. What a normaliser makes of scores, and what it carries, is in Normaliser/Normaliser.h. Final weights
// (the `weights` result, or a weight region that is not linear) need the row's sums first: the blocks are passed twice,
// the first time for the sums alone. A normaliser that needs all scores of its rows first has them in the worker's
// scratch, tile_q floats a key: the blocks are passed once for the scores and once, without products, for the values.
//
// **Other results.** Entropy carries t = sum of w log2 w of the weights w before the row's factor, t' = a (t + l log2
// a) + sum w log2 w: two operations a pair. `top` keeps the n largest scores of a row sorted: a comparison a pair, for
// few enter. `key_sums` wants final weights, so it is a second pass over the rows' statistics; its chunks are whole
// parts of a batch's rows, with a sum a key each (AttendKeySums.h).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendKeySums.h"
#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

class AttendPrefill {
public:
  /// Of `part` of the queries; of all where a chunk is a part of a batch's sums over rows.
  AttendPrefill(const AttendProblem &problem, const AttendSchedule &schedule, const AttendPart &part,
                const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);

  /// Emits the phase's function; then the sizes below are known.
  void emit();
  SizeExpr chunks() const;
  SizeExpr workerBytes() const { return scratch.bytes; }

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  enum class Pass {
    Online,     ///< everything in one pass
    Statistics, ///< the rows' largest scores and sums
    Hold,       ///< all scores, where the normaliser wants them, and the largest ones
    Apply       ///< the values, with final weights
  };

  // AttendPrefill.cpp: the chunk, its rows and the loop over blocks of keys
  void emitRows();
  void openChunk();
  void openClass(Value number);
  int64_t modulus() const { return problem.classes ? problem.classes->modulus : 1; }
  /// The index of a row, or of a key, by its number in the class.
  Value indexOf(Value number, Value residue) {
    return problem.classes ? loops.add(loops.mul(number, modulus()), residue) : number;
  }
  Value allKeys() { return problem.classes ? frame.size(problem.keys) : keys; }
  /// How many numbers of the class have an index below `index`.
  Value countBelow(Value index, Value residue);
  void forEachBlockOfRows(llvm::function_ref<void()> body);
  void openRows(Value block);
  void bindRows();
  RegionVectoriser bindRowVector(Value vector);
  void takeTiles();
  int64_t alignedStep();
  void passKeys(Pass pass);
  void computeBlock(Pass pass, Value firstKey, Value count, Value all);
  void weighHeld();
  Value keepsSome(Value unsure, Value firstKey, Value count);
  Value testPairs(Value firstKey, Value count);
  Values liveEnds(Value firstKey, Value count);
  void startRows();
  void startSums();
  void initialise();
  Values computeAllScores(Value firstKey, Value count, Value all);
  void checkScores(Value firstKey, Value count);

  // AttendPrefillScores.cpp: products, scores, weights
  void computeProduct(unsigned product, Value firstKey, Value count);
  /// Keys row, row + 1, ... of a block, and the vectors of queries from the first live one on.
  struct KeyTile {
    Value firstKey, count, row;
    int64_t rows, firstVector;
    bool byPowers = false; ///< of a SumOfTanh
  };
  void computeProductTile(unsigned product, const KeyTile &tile);
  Values sumTerms(unsigned product, const KeyTile &tile, Values sums);
  void prefetchKeys(const PairReduction &product, const KeyTile &tile, Value feature);
  void computeAllTiles(unsigned product, Value firstKey, Value count, bool byPowers);
  void computeProductTiles(unsigned product, const KeyTile &tile, int64_t tileRows);
  Values accumulateTerms(unsigned product, llvm::ArrayRef<std::vector<RegionVectoriser>> cells, int64_t firstVector,
                         ValueRange features, ValueRange carried);
  int64_t tileRowsOf(const PairReduction &product);
  RegionVectoriser bindPair(int64_t vector, Value firstKey, Value key);
  Value scoreOf(RegionVectoriser &pair, Value vector, Value key, bool masked);
  bool keepsMaxima() const;
  bool dropsPairs() const;
  bool dropsByMaskAlone() const;
  Values computeScores(Value firstKey, Value count, bool masked);
  Values computeBiasedScores(Value firstKey, Value count, bool masked);
  void hold(Value count, ValueRange newMaxima);
  Normaliser::Weighed weightOf(int64_t vector, Value key, const Normaliser::Carriers &carriers);
  /// The pairs of a block, and whether it is known that all of them are kept.
  struct PairBlock {
    Value firstKey, count, allKept;
  };
  Value keptPairs(const PairBlock &block, Value vector, Value key);
  Value weightOfPair(const PairBlock &block, int64_t vector, Value key, Value normalised);
  Values weigh(Pass pass, const PairBlock &block, ValueRange newMaxima);

  // AttendPrefillTanh.cpp: additive scores
  void takeTanhTiles(unsigned product);
  void packTanhRows(unsigned product);
  void packCoefficients(unsigned product);
  Value packTanhKeys(unsigned product, Value firstKey, Value count);
  Values sumFractions(unsigned product, const KeyTile &tile, Values sums);

  // AttendPrefillStatistics.cpp: entropy, the largest keys, sums of keys
  bool carriesLogs(Pass pass) const;
  bool seesScores(Pass pass) const;
  Value logTerm(Pass pass, int64_t vector, Value key, Value weight, Value largest);
  void storeEntropy();
  Value entropyOf(int64_t vector);
  void startTop();
  void noteTop(Value firstKey, Value count);
  Value keptScore(Value vector, Value key);
  Values topTiles() const;
  Values loadTop(Value vector, Value rank);
  void keepTop(Value vector, Value rank, ValueRange kept);
  /// What was kept at a rank, and where an entry comes before it.
  struct TopRank {
    Values kept;
    Value enters;
  };
  Values displaced(ValueRange entry, const TopRank &here, const TopRank &above);
  TopRank enterAt(ValueRange entry, ValueRange kept);
  Values enterRegisters(ValueRange before, ValueRange entry);
  Values enterTiles(Value vector, ValueRange entry);
  Value splatI32(Value index);
  void storeTop();
  Value weightOfTop(int64_t vector, Value rank, Value &sum);
  Value gatherHeld(int64_t vector, Value places);
  void addKeySums(const PairBlock &block);

  // AttendPrefillValues.cpp: sums of values and the results
  void checkValues(const PairBlock &block);
  void accumulateValues(const PairBlock &block, ValueRange corrections);
  void accumulateValueTile(const PairBlock &block, Value firstValue, int64_t tileRows, ValueRange corrections);
  Values sumValueTile(const PairBlock &block, Value firstValue, int64_t tileRows, bool keptAlone);
  /// A register tile of values, from the first live vector on.
  struct ValueTile {
    Value firstValue;
    int64_t rows, firstVector;
    bool keptAlone;
  };
  Values addKey(const PairBlock &block, const ValueTile &tile, Value key, ValueRange before);
  void bindValueIndices(RegionVectoriser &to, ValueRange indices);
  void prefetchValues(const PairBlock &block, Value key, Value firstValue, int64_t tileRows);
  void findFactors();
  void storeValues(bool normalised);
  void storeScatteredValues(bool normalised);
  void storeLse();
  void storeWeightAt(int64_t vector, Value key, Value weight);
  void clearWeights();
  void storeWeights(Value firstKey, Value count);

  // AttendPrefillTransfer.cpp: tiles in and out
  void forEachVector(llvm::function_ref<void(Value)> body);
  std::vector<RegionVectoriser> bindLanes(Value vector);
  Value scaleOf(const PairReduction &product);
  void transposeLines(Value memref, Value count, llvm::function_ref<llvm::SmallVector<Values>(Value)> placesAt,
                      llvm::function_ref<void(Value, ValueRange)> take);
  void packRows(unsigned product);
  void prefetchRows(unsigned product, const KeyTile &tile);
  void packTransposed(const PairReduction &product, mlir::tensor::ExtractOp extract, Value tile, Value scale);
  void packElements(const PairReduction &product, mlir::tensor::ExtractOp extract, Value tile, Value scale);
  void loadPairTiles(Value firstKey, Value count);
  void prefetchPairs(const KeyTile &tile, Value line, int64_t lines);
  void bindPairTiles(RegionVectoriser &pair, Value vector, Value key);
  void bindBiases(llvm::ArrayRef<RegionVectoriser> lines, Value key, llvm::MutableArrayRef<RegionVectoriser> pairs);
  bool hasBias() const { return llvm::any_of(problem.pairExtracts, std::mem_fn(&PairExtract::isBias)); }
  void storeTransposed(Value tile, Value count, Value scales, Value result,
                       llvm::function_ref<Values(RegionVectoriser &, Value)> placeOf);

  RegionVectoriser bindRow(Value row);
  RegionVectoriser bindKey(const RegionVectoriser &to, Value key);
  Value at(int64_t vector) { return loops.constant(vector * schedule.lanes); }
  /// The place of row `row + extra`, vector `vector` in a tile.
  Value tileAt(Value row, int64_t extra, int64_t vector) {
    return loops.add(loops.mul(row, schedule.tileQ()), extra * schedule.tileQ() + vector * schedule.lanes);
  }
  Value keptAt(Value key, Value vector) {
    return loops.add(loops.mul(loops.add(firstHeld, key), schedule.vectors),
                     loops.div(vector, loops.constant(schedule.lanes)));
  }
  NormaliserCode code() { return {loops, target}; }
  bool holdsScores() const { return problem.normaliser->order() == Normaliser::Order::AllScores; }
  Value loadTile(Value tile, int64_t vector) { return loops.load(tile, {at(vector)}); }
  Value loadTile(Value tile, int64_t vector, Value row, int64_t extra = 0) {
    return loops.load(tile, {tileAt(row, extra, vector)});
  }
  void storeTile(Value value, Value tile, int64_t vector) { loops.store(value, tile, {at(vector)}); }
  void storeTile(Value value, Value tile, int64_t vector, Value row, int64_t extra = 0) {
    loops.store(value, tile, {tileAt(row, extra, vector)});
  }

  static constexpr int64_t lineFloats = 16; ///< of a line of the caches
  static constexpr int64_t keysAtOnce = 4;  ///< whose values one turn of the innermost loop adds
  static constexpr int64_t fewKeys = 4;     ///< of a register tile where there are too few for a whole one

  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const AttendPart part;
  const Target &target;
  KernelFrame frame;
  LoopBuilder loops;
  AttendScratch scratch;
  AttendMask mask;
  RegionVectoriser batch;                   ///< the batch indices are bound
  std::vector<RegionVectoriser> rowVectors; ///< and the row indices, one a vector of queries
  Values outerSizes, keySizes, valueSizes;  ///< index
  Value rows, keys, values;                 ///< their products; of the class
  Value rowResidue, keyResidue;             ///< of the class; null where there is one alone
  Values vectorKeyEnds; ///< [vector]: keys from there on are dropped for it and those before; empty where unknown
  Value blocks;         ///< of rows, of the part
  Value firstRow, rowCount;
  llvm::SmallVector<llvm::SmallVector<Value>> rowTiles; ///< [product][extract]: Qt
  /// What a SumOfTanh has in the scratch; nothing for other products.
  struct TanhTiles {
    Value rowPowers, keyPowers, coefficients; ///< [feature][query], [key][feature], [feature]
    Value featuresOfKey;                      ///< the distance of two keys
    Value sumOfCoefficients;                  ///< a vector
    Value inRange;                            ///< whether the rows and coefficients are
  };
  llvm::SmallVector<TanhTiles> tanhTiles; ///< [product]
  llvm::SmallVector<Value> productScales; ///< [product], vectors
  llvm::SmallVector<Value> scoreTiles;    ///< [product]: St; the first one becomes the scores and weights
  Value keptTile;                         ///< flags of the pairs, where some may be dropped
  llvm::SmallVector<Value> pairTiles;     ///< [pair extract], lanes are queries; null for a bias
  Value isLastBlock;                      ///< of keys
  Value nextPairRow, nextPairKey;         ///< where the block begins that is computed next
  Value sumTile, maxima, sums, factors;   ///< Ot, m, l, 1 / l
  Value blockMaxima;                      ///< m of the block so far
  Value logSums;                          ///< t
  Value topScores, topKeys, topPlaces;    ///< [rank]: of the largest; -inf and -1; their places where scores are held
  Value keySums, firstKeySum;             ///< the chunk's part: in shared scratch, from there on
  Value heldTile;                         ///< scores of all keys that blocks have visited, where they are held
  Value firstHeld;                        ///< of the block's keys, among those that are held
  Value heldCount;                        ///< of them, once all are
};

} // namespace attnc
