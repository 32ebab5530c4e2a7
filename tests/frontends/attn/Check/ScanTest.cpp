// Tests how the checker types scan, and its errors.

#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

TEST(Scan, ATensorSubscriptedByTheStepIsOneOfTheStep) {
  Checked checked =
      check("fn f(x: f32[batch, seq, d], h0: f32[batch, d]) -> (ys: f32[batch, seq, d], h: f32[batch, d]) {\n"
            "  scan t over seq carry (h = h0) { h = tanh(h + x[:, t]) } -> (h[:, t], h)\n}");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_EQ(checked.typed, R"(entry f(x: f32[batch, seq, d], h0: f32[batch, d]) batch seq d {
  scan t over seq carry (h: f32[batch, d] = h0) {
    let t.1: f32[seq, batch, d] = permute(x, [1, 0, 2])
    let h.1: f32[batch, d] = tanh(add(h, [batch < batch, d < d] => t.1[t, batch, d]))
    h.2[:, t] = h.1
    next h = h.1
  } -> h.2 -> h.3
  return ys: f32[batch, seq, d] = h.2
  return h: f32[batch, d] = h.3
}
)");
}

TEST(Scan, LengthsKeepTheStateOfRowsThatHaveEnded) {
  Checked checked = check("fn f(x: f32[batch, seq], length: i32[batch]) -> (y: f32[seq, batch], last: f32[batch]) {\n"
                          "  scan t over seq backward until length carry (h = [b < batch] => 0.0) {\n"
                          "    h = h + x[:, t]\n  } -> (h[t], h)\n}");
  EXPECT_EQ(checked.diagnostics, "");
  EXPECT_NE(checked.typed.find("select(lt(i32(t), length[batch.1]), h.1[batch.1], h[batch.1])"), std::string::npos)
      << checked.typed;
  EXPECT_NE(checked.typed.find("select(lt(i32(t), length[batch.2]), h.1[batch.2], 0.0)"), std::string::npos)
      << checked.typed;
}

/// Returns the first line of the diagnostics of a function with this body.
std::string messageOfStep(const std::string &body) {
  return check("fn f(x: f32[batch, seq, d], h0: f32[batch, d], length: i32[batch]) -> f32[batch, seq, d] {\n" + body +
               "\n}\n")
      .firstLine();
}

TEST(Scan, WhatIsCarriedKeepsItsShape) {
  EXPECT_EQ(
      messageOfStep("scan t over seq carry (h = h0) {\n  h = concat(h, x[:, t])\n} -> h[:, t]"),
      "a.attn:3:7: error: `h` is f32[batch, d] before a time step and f32[batch, 2*d] after it [loop-changes-type]");
}

TEST(Scan, LengthsAreOfTheFirstDimensions) {
  EXPECT_EQ(messageOfStep("scan t over seq until length carry (h = h0) {\n  h = h + x[:, t]\n  let m = x[0]\n"
                          "} -> (h[:, t], m[t])"),
            "a.attn:5:16: error: `m` is f32[seq, d], and the lengths of the scan are i32[batch]: its first dimensions "
            "must be theirs [dim-mismatch]");
  EXPECT_EQ(messageOfStep("scan t over seq until h0 carry (h = h0) { h = h + x[:, t] } -> h[:, t]"),
            "a.attn:2:23: error: the lengths of a scan are i32, one for each row, but this is f32[batch, d] "
            "[element-mismatch]");
}

TEST(Scan, RunsOverASize) {
  EXPECT_EQ(messageOfStep("scan t over x carry (h = h0) { h = h } -> h[:, t]"),
            "a.attn:2:13: error: a scan runs over a size, but this is f32[batch, seq, d] [not-constant]");
  EXPECT_EQ(messageOfStep("scan t over 0 - 3 carry (h = h0) { h = h } -> h[:, t]"),
            "a.attn:2:13: error: a scan of -3 time steps [bad-size]");
}

TEST(Scan, AStepStaysInRange) {
  EXPECT_EQ(messageOfStep("scan t over seq carry (h = h0) { h = h + x[:, t + 1] } -> h[:, t]"),
            "a.attn:2:47: error: this subscript may reach the end: the dimension's size is seq [out-of-range]");
}

TEST(Scan, ResultsAreOfTheStep) {
  EXPECT_EQ(messageOfStep("scan t over seq carry (h = h0) { let p = h + x[:, t] } -> (p[:, t], p)"),
            "a.attn:2:69: error: `p` belongs to one time step and is not carried [misplaced]");
  EXPECT_EQ(messageOfStep("scan t over seq carry (h = h0) { h = h } -> x[:, t]"),
            "a.attn:2:45: error: `x` is not a variable of the time step [misplaced]");
  EXPECT_EQ(messageOfStep("scan t over seq carry (h = h0) { h = h } -> h[:, 1]"),
            "a.attn:2:45: error: `h` of all time steps is subscripted by `t` in one dimension and by `:` or `..` in "
            "the others "
            "[bad-subscript]");
  EXPECT_EQ(messageOfStep("scan t over seq carry (h = h0) { h = h } -> h[:, :, :, t]"),
            "a.attn:2:45: error: 3 subscripts besides `t` for f32[batch, d] [rank-mismatch]");
  EXPECT_EQ(messageOfStep("scan t over seq carry (h = h0) { h + 1.0 } -> h[:, t]"),
            "a.attn:2:34: error: this value of the time step is not used [misplaced]");
}

TEST(Scan, WhatItDoesNotCarryIsNotAssigned) {
  EXPECT_EQ(messageOfStep("var y = h0\nscan t over seq carry (h = h0) { y = y + h } -> h[:, t]"),
            "a.attn:3:34: error: `y` is not carried by the scan [not-assignable]");
}

TEST(Scan, StandsOutsideOfIndexNotation) {
  EXPECT_EQ(messageOfStep("[b] => scan t over seq carry (h = h0[b]) { h = h + x[b, t] } -> h[t]"),
            "a.attn:2:8: error: `scan` inside index notation is not supported yet [not-supported]");
}

} // namespace
