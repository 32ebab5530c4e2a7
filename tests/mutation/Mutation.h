//===- Mutation.h - mutations of generated kernels ----------------------------------------------------------------===//
//
// Mutation testing of the test suite: a mutant is a generated kernel with one operation changed as by a typical
// mistake; the comparison with the oracle must tell it from the original kernel.
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
// Operations that only compute the address of a prefetch are not changed.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/ChangedEmitter.h"
#include <string>
#include <vector>

namespace attnc {

struct Mutation {
  std::string_view kind;
  int site; ///< number of an op to which the kind applies
};

/// The kinds of the list above.
const std::vector<std::string_view> &mutationKinds();

/// Emits the code of `inner` with one mutation; without a mutation it counts the sites.
class MutatingEmitter : public ChangedEmitter {
public:
  MutatingEmitter(const Emitter &inner, std::string_view kind, int site = -1)
      : ChangedEmitter(inner, [this](mlir::ModuleOp code) { mutate(code); }), mutation{kind, site} {}

  /// Return the number of sites of the last emission, and the mutated operation and its users as text.
  int sites() const { return found; }
  const std::string &mutated() const { return text; }

private:
  void mutate(mlir::ModuleOp code);

  Mutation mutation;
  int found = 0;
  std::string text;
};

} // namespace attnc
