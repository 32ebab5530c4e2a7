//===- Mutation.h - mutations of generated kernels ----------------------------------------------------------------===//
//
// Mutation testing of the test suite: a mutant is a generated kernel with one operation changed as by a typical
// mistake. The comparison with the oracle must distinguish the mutant from the original kernel.
//
//   drop-factor    a * b      -> a            a forgotten rescaling, scale or weight
//   drop-term      a + b      -> a            a forgotten contribution (fma: nothing is accumulated)
//   off-by-one     i <= j     -> i < j        (and similar) a mask or a tail that is wrong at its boundary
//   wrong-bound    min(a, b)  -> a            a block that ends too late, a shifted index, an omitted last iteration
//   wrong-stride   i * n      -> i            (and i / n, i mod n) rows, panels or matrices at wrong addresses
//   wrong-start    sum from 0 -> from 1       a first accumulator that is not cleared
//   swap-operands  a - b      -> b - a        (and a / b) operations of an epilogue in the wrong order
//   other-extreme  a > b      -> a < b        a running maximum that is a minimum
//   ignore-mask    c ? a : b  -> a            masked lanes that take part
//   skip-store     store      ->              a tile that is never written
//
// Prefetches, loops and branches of prefetches, and operations that compute only their operands are not changed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/ChangedEmitter.h"
#include <string>
#include <vector>

namespace attnc {

struct Mutation {
  std::string_view kind; ///< a name of the list above
  int site;              ///< number, from 0, among the ops to which the kind applies; negative: no mutation
};

/// The names of the list above, in order.
const std::vector<std::string_view> &mutationKinds();

/// Emits the code of `inner` with one mutation. A negative `site` only counts the ops to which `kind` applies.
class MutatingEmitter : public ChangedEmitter {
public:
  /// `inner` must outlive this emitter, which must not move.
  MutatingEmitter(const Emitter &inner, std::string_view kind, int site = -1)
      : ChangedEmitter(inner, [this](mlir::ModuleOp code) { mutate(code); }), mutation{kind, site} {}

  int sites() const { return found; }                 ///< number of ops to which `kind` applies, in the last emission
  const std::string &mutated() const { return text; } ///< the mutated op and its users as text; empty without one

private:
  void mutate(mlir::ModuleOp code);

  Mutation mutation;
  int found = 0;
  std::string text;
};

} // namespace attnc
