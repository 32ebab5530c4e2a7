//===- AttendWarpGroups.h - attention by wgmma with specialised warp groups (FlashAttention-3) --------------------===//
//
// The prefill algorithm of attention for sm_90a, on 16-bit elements. A block has 128 queries of one batch and three
// warp groups. One is the producer: it copies the queries and the tiles of keys and values (KeyRings.h). The other two
// are consumers with 64 queries each, which multiply by wgmma. P are attention weights; AttendFragments.h explains s,
// m', p, l and a:
//
//   S = Q K^T                       both operands in shared memory
//   O += P V of the previous tile   P in registers, V in shared memory with a key in each row; asynchronous, together
//                                   with S
//   s, m', p, l of this tile        when S is complete, while O is pending
//   O = a O                         when O is complete
//
// The consumers alternate (OrderedBarrier): while one computes the weights of its scores, the products of the other run
// (Shah and others: FlashAttention-3, 2024). A fully masked tile is neither copied nor computed; a tile without masked
// pairs runs without mask code. Every warp group computes the sequence of tiles by itself, from the mask.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendFragments.h"
#include "compiler/Codegen/GPU/Attend/KeyRings.h"
#include "compiler/Codegen/GPU/Tile/WarpGroupProduct.h"

namespace attnc {

/// The code of the one kernel phase, for images of warp groups (DeviceVariant::WarpGroups).
class AttendWarpGroups {
public:
  /// Consumer warp groups, threads and queries of a block.
  static constexpr int64_t consumers = 2, threads = (1 + consumers) * warpGroupThreads;
  static constexpr int64_t queries = consumers * warpGroupRows;

  /// Tile sizes of a block, and distribution of registers.
  struct Tiling {
    int64_t keys, stages;                         ///< keys of a tile, stages of each ring buffer
    int64_t registersToFetch, registersToCompute; ///< per thread of the producer and of the consumers (setmaxnreg)
    std::optional<AttendMaps> maps;               ///< null if threads copy instead of TMA
    Verdict hasMaps;                              ///< yes, or the reason against TMA copies
  };
  /// Sets `tiling` to the tiles with most keys, from 16 to 128, that fit registers and shared memory; a thread that
  /// copies, if there are no maps, also needs registers for addresses. If there are none, returns the reason, a phrase
  /// about the attention, and leaves `tiling` unchanged. `matrices` have 16-bit elements.
  static Verdict chooseTiling(const AttendProblem &problem, const AttendMatrices &matrices,
                              std::optional<Tiling> &tiling);

  /// Creates the function `symbol` in the device's module `code`. `matrices` are those of `problem`
  /// (AttendMatrices::match), `tiling` is of chooseTiling(). `problem` and `target` outlive the object.
  AttendWarpGroups(const AttendProblem &problem, const AttendMatrices &matrices, const Tiling &tiling,
                   const Target &target, llvm::StringRef symbol, mlir::ModuleOp code);
  /// Emits the code of the function, once, and returns the phase, which computes all results. If `tiling.maps` is not
  /// null, the caller also emits the phase that writes the maps (TensorMaps::emit), which runs before.
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
