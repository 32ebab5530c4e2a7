//===- Mutation.h - small wrong changes to generated kernels ----------------------------------------------------===//
//
// A test suite that a wrong kernel passes is broken. A mutant is a generated kernel in which one operation was changed
// in the way a mistake changes it; the comparison with the oracle has to tell it from the kernel.
//
//   drop-factor    a * b      -> a            a forgotten rescaling, scale or weight
//   drop-term      a + b      -> a            a forgotten contribution (fma: nothing is accumulated)
//   off-by-one     i <= j     -> i < j        (and the like) a mask or a tail that is wrong at its border
//   wrong-bound    min(a, b)  -> a            a block that ends too late, an index moved by one, a last step left out
//   wrong-stride   i * n      -> i            (and i / n, i mod n) rows, panels or matrices that lie elsewhere
//   wrong-start    sum from 0 -> from 1       a first accumulator that is not cleared
//   swap-operands  a - b      -> b - a        (and a / b) steps of an epilogue in the wrong order
//   other-extreme  a > b      -> a < b        a running maximum that is a minimum
//   ignore-mask    c ? a : b  -> a            masked lanes that take part
//   skip-store     store      ->              a tile that is never written
//
// What only computes the address of a prefetch is left alone.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/ChangedEmitter.h"
#include <string>
#include <vector>

namespace attnc {

struct Mutation {
  std::string_view kind;
  int site; ///< the site-th place in the kernel where the kind applies
};

/// The kinds of the list above.
const std::vector<std::string_view> &mutationKinds();

/// Emits what `inner` emits, with one mutation; without one it counts the sites.
class MutatingEmitter : public ChangedEmitter {
public:
  MutatingEmitter(const Emitter &inner, std::string_view kind, int site = -1)
      : ChangedEmitter(inner, [this](mlir::ModuleOp code) { mutate(code); }), mutation{kind, site} {}

  /// Of the last emission: the number of sites, and the mutated operation as text, with what uses it.
  int sites() const { return found; }
  const std::string &mutated() const { return text; }

private:
  void mutate(mlir::ModuleOp code);

  Mutation mutation;
  int found = 0;
  std::string text;
};

} // namespace attnc
