//===- AttendWarpGroups.h - attention by wgmma with specialised warp groups (FlashAttention-3) --------------------===//
//
// For sm_90a. A block has 128 queries of one batch and three warp groups. One is the producer: it copies the queries
// and the tiles of keys and values (KeyRings.h). The other two are consumers with 64 queries each, which multiply by
// wgmma:
//
//   S = Q K^T                       both operands in shared memory
//   O += P V of the previous tile   P in registers, V with its depth along the columns; asynchronous, together with S
//   s, m', p, l of this tile        when S is complete, while O is pending (AttendFragments.h)
//   O = a O                         when O is complete
//
// The consumers alternate (OrderedBarrier): while one computes the weights of its scores, the products of the other run
// (Shah and others: FlashAttention-3, 2024). A fully masked tile is neither copied nor computed; a tile without masked
// pairs runs without mask code. Every warp group derives the sequence of tiles by itself.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/GPU/Attend/KeyRings.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"

namespace attnc {

class AttendWarpGroups {
public:
  static constexpr int64_t consumers = 2, threads = (1 + consumers) * warpGroupThreads;
  static constexpr int64_t queries = consumers * warpGroupRows;

  /// Tile sizes of a block, and distribution of registers.
  struct Tiling {
    int64_t keys, stages;                         ///< keys of a tile, stages of each ring buffer
    int64_t registersToFetch, registersToCompute; ///< per thread of the producer and of the consumers
    std::optional<AttendMaps> maps;               ///< null if threads copy instead of TMA
    Verdict hasMaps;                              ///< yes, or the reason against TMA copies
  };
  /// Sets `tiling` to the largest tiles that fit registers and shared memory; if there are none, the reason completes
  /// "no warp groups: ". `matrices` have 16-bit elements.
  static Verdict chooseTiling(const AttendProblem &problem, const AttendMatrices &matrices,
                              std::optional<Tiling> &tiling);

  /// Creates the function `symbol` in `code`.
  AttendWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices, const Tiling &tiling,
                   const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the code of the kernel phase, which computes all results. If there are maps, the caller emits their phase
  /// (TensorMaps::emit), which runs before.
  KernelPhase emit();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using States = AttendFragments::States;

  /// Loop-carried values of a consumer thread.
  struct Carried {
    KeyTile next;                ///< the tile after the one of `weights`
    TileRing::Position position; ///< of the tile of `weights`
    States states;
    Values weights; ///< fragments of A, i32: [16 keys][register]

    Values packed() const;
    Carried with(ValueRange packed) const;
  };

  SizeExpr rowBlocks() const { return problem.rows.ceilDiv(queries); }
  void openBlock();
  void computeAll();
  States passTiles(const KeyTile &first, const States &start);
  Carried begin(const KeyTile &first, const States &start);
  Carried continueWith(const Carried &before);
  Values multiplyKeys(const TileRing::Position &position);
  Values addValues(const Carried &of);
  Values weigh(const KeyTile &tile, ValueRange sums, States &states, Values &corrections);
  void release(const TileRing &ring, const TileRing::Position &position);
  Value isLeft(const KeyTile &tile);

  const AttendProblem &problem;
  const AttendMatrices matrices;
  const Tiling tiling;
  DeviceFrame frame;
  TileBuilder tiles;
  LoopBuilder loops; ///< for indices only
  AttendRows rows;
  AttendFragments fragments;
  AttendSources sources;
  BlockMemory memory;
  KeyRings rings;
  Value firstRow;                  ///< index: of the block
  Value thread, group, laneNumber; ///< i32; `group` is the number of this thread's consumer group
  std::optional<OrderedBarrier> order;
};

} // namespace attnc
