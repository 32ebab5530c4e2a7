//===- SelectedPairs.h - flags of the query-key pairs that take part ------------------------------------------===//
//
// A pair is dropped if the mask is false or its score is -inf; otherwise it is selected. The flags of a vector of
// queries and one key are one integer with a bit for each lane, element [key][vector] of a tile. `flags` are vectors of
// i1, `key` counts from the block's first one, and `query` is the first query of the vector.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PrefillContext.h"

namespace attnc {

class SelectedPairs : PrefillContext {
public:
  using Value = mlir::Value;
  SelectedPairs(const PrefillContext &context, Value tile) : PrefillContext(context), tile(tile) {}

  void store(Value flags, const KeyBlock &block, Value query, Value key) const {
    loops.storeFlags(flags, tile, {offset(block, query, key)});
  }
  Value load(const KeyBlock &block, Value query, Value key) const {
    return loops.loadFlags(tile, {offset(block, query, key)});
  }
  /// The same flags, or all true if block.allSelected holds at run time.
  Value loadOrAll(const KeyBlock &block, Value query, Value key) const {
    return loops.either(loops.splat(block.allSelected), load(block, query, key));
  }

  const Value tile; ///< [key][vector]; null if no flags are stored

private:
  Value offset(const KeyBlock &block, Value query, Value key) const {
    return loops.add(loops.mul(loops.add(block.firstMaterialised, key), schedule.vectors),
                     loops.div(query, loops.constant(schedule.lanes)));
  }
};

} // namespace attnc
