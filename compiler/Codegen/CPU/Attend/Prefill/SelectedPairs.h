//===- SelectedPairs.h - bit flags of the query-key pairs that take part in prefill attention ---------------------===//
//
// A pair is dropped if the mask is false or its score is -inf; otherwise it is selected. The flags of one key and a
// vector of queries are one integer with a bit for each lane, element [key][vector] of a tile. PairScores stores the
// flags, except, with PrefillTraits::keepsMaxima, in a block in which the mask keeps all pairs
// (KeyBlock::maskKeepsAll). Later parts of the algorithm load the flags, to omit dropped pairs. In the functions below,
// flags are a vector of i1, `key` (index) counts from the first key of the block, and `query` (index) is the first
// query of the vector, counted from the first query of the tile of queries. They require PrefillTraits::dropsPairs.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

class SelectedPairs : PrefillContext {
public:
  using Value = mlir::Value;
  /// `tile` is PrefillTiles::selected.
  SelectedPairs(const PrefillContext &context, Value tile) : PrefillContext(context), tile(tile) {}

  void store(Value flags, const KeyBlock &block, Value query, Value key) const {
    loops.storeFlags(flags, tile, {offset(block, query, key)});
  }
  /// The stored flags; undefined in a block without stored flags.
  Value load(const KeyBlock &block, Value query, Value key) const {
    return loops.loadFlags(tile, {offset(block, query, key)});
  }
  /// All true if block.allSelected, which must not be null, holds at run time, also if no flags are stored; otherwise
  /// the stored flags.
  Value loadOrAll(const KeyBlock &block, Value query, Value key) const {
    return loops.either(loops.splat(block.allSelected), load(block, query, key));
  }

  const Value tile; ///< [key][vector], integers; without elements if the kernel stores no flags

private:
  Value offset(const KeyBlock &block, Value query, Value key) const {
    return loops.add(loops.mul(loops.add(block.firstMaterialised, key), schedule.vectors),
                     loops.div(query, loops.constant(schedule.lanes)));
  }
};

} // namespace attnc
