// Compares mutants of matrix products with the oracle: it catches all that change a result. Every path has a full part
// and a remainder: row tiles of each height and overlapping ones, a ragged panel, a last chunk of K and its steps
// beyond a multiple of four.
#include "compiler/Codegen/Target/Target.h"
#include "compiler/Reference/Tolerance.h"
#include "tests/compiler/Codegen/CPU/GemmCase.h"
#include "tests/mutation/MutationSuite.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

/// (left * right - bias) / divisor: the steps of the epilogue do not commute.
GemmCase product(const std::string &right, bool packed, const std::string &dynamic) {
  GemmCase c{"bmk", right, "bmn"};
  c.packed = packed;
  c.dynamic = dynamic;
  c.extras = {"n", "bmn"};
  c.body = "%t = arith.subf %p, %x0 : f32 %u = arith.mulf %x1, %x1 : f32 %one = arith.constant 1.0 : f32 "
           "%d = arith.addf %u, %one : f32 %y = arith.divf %t, %d : f32";
  return c;
}

struct Sizes {
  int64_t m, n, k;
};

Subject subjectOf(GemmCase c, const std::vector<Sizes> &choices) {
  Target target = llvm::cantFail(Target::resolve(mutationTarget));
  Subject subject{"", {}, reference::tolerance(9, 390)};
  for (auto [m, n, k] : choices) {
    c.sizes = {{'b', 2}, {'m', m}, {'n', n}, {'k', k}};
    subject.kernel = c.text(target);
    Choice &choice = subject.choices.emplace_back(Choice{c.operands(), {{2, m, n}}});
    if (c.packed) {
      choice.given = choice.operands;
      choice.given[1] = c.pack(choice.operands[1], c.panelColumns(target));
    }
  }
  return subject;
}

/// Returns numbers of rows with which each tile height occurs, alone and in blocks of one and of several tiles.
std::vector<Sizes> everyHeight(int64_t n, int64_t k) {
  std::vector<Sizes> choices;
  for (int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 44})
    choices.push_back({m, n, k});
  return choices;
}

Subject packed() { return subjectOf(product("bkn", true, "m"), everyHeight(94, 390)); }
Subject unpacked() { return subjectOf(product("bkn", false, "mkn"), everyHeight(126, 390)); }

constexpr int most = 4; ///< sites per kind

TEST(GemmMutation, TheKernelsThemselvesAgree) {
  for (const Subject &subject : {packed(), unpacked()})
    EXPECT_TRUE(MutationSuite(subject).kernelAgrees()) << subject.kernel;
}

constexpr Harmless tallerTiles{
    "ignore-mask", 3,
    "a single tile is taller than its rows, and repeats the last of them, or more tiles of a block are one row higher"};

TEST(GemmMutation, Packed) {
  MutationSuite(packed()).expectCaught(
      most, {tallerTiles,
             {"off-by-one", 1, "a vector that holds no column of a ragged panel is stored with an empty mask"},
             {"wrong-bound", 1, "the distance of the first row of a tile from itself is left out"}});
}

TEST(GemmMutation, Unpacked) {
  MutationSuite(unpacked())
      .expectCaught(most, {tallerTiles,
                           {"off-by-one", 2,
                            "a full panel is copied as a ragged one is, and a vector that holds no column of a ragged "
                            "panel is stored with an empty mask"},
                           {"wrong-bound", 1, "the size of the view of all panels is another"},
                           {"wrong-stride", 1, "the size of the view of all panels is another"}});
}

} // namespace
} // namespace attnc
