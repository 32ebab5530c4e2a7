// Tests gradients of scans that carry their own results on a tape, and which carried tensors are tapes.
#include "tests/compiler/Derive/Derived.h"

using namespace attnc;

namespace {

/// A scan whose time steps attend to the rows of a tape; `next` is the tape after a time step with the result h.
std::string tapeProgram(const std::string &next, const std::string &head = "", const std::string &mask = "j < t",
                        const std::string &initial = "x0") {
  return "fn f(x: f32[b, n, d], x0: f32[b, n, d], w: f32[d, d], length: i32[b]) -> f32 {\n"
         "  let (ys, last) = scan t over n " +
         head + " carry (tape = " + initial +
         ") {\n"
         "    let u = x[:, t] @ w\n"
         "    let c = [b] => attend j { score: dot(u[b], tape[b, j]), mask: " +
         mask +
         ", value: tape[b, j] }\n"
         "    let h = tanh(c + u)\n"
         "    tape = " +
         next +
         "\n"
         "  } -> (h[:, t], tape)\n"
         "  sum(sq(ys)) + sum(last * x)\n}";
}

std::vector<Array> inputs(int64_t steps = 5) {
  Array length(Element::I32, {3});
  length.values = {2, 0, 5};
  return {draw({3, steps, 4}), draw({3, steps, 4}, 2), draw({4, 4}, 3), length};
}

/// Returns the number of lists that the forward and the backward loop write.
unsigned lists(const std::string &text) { return Derived(text, inputs()).count<mlir::model::WithElementOp>(); }

constexpr const char *row = "[b, j, d] => if j == t then h[b, d] else tape[b, j, d]";

TEST(Tapes, AreReadFromTheLastTape) {
  for (const char *mask : {"j < t", "j <= t", "true"})
    for (const char *initial : {"x0", "sq(x0)"}) {
      SCOPED_TRACE(std::string(mask) + ", " + initial);
      for (int64_t segment : {0, 2, 3})
        Derived(tapeProgram(row, "", mask, initial), inputs(), segment).expectDifferences();
    }
  Derived(tapeProgram(row), inputs(1)).expectDifferences();
}

TEST(Tapes, OfOtherScansAreReadToo) {
  for (const char *head : {"backward", "until length", "backward until length"}) {
    SCOPED_TRACE(head);
    Derived(tapeProgram(row, head, "j != t"), inputs()).expectDifferences();
    EXPECT_EQ(lists(tapeProgram(row, head)), lists(tapeProgram(row)));
  }
}

TEST(Tapes, HaveOtherSpellings) {
  for (const char *next :
       {"[b, j, d] => if t != j then tape[b, j, d] else h[b, d]",
        "[b, j, d] => if j == t and h[b, d] > 0.0 then h[b, d] else tape[b, j, d]",
        "[b, j, d] => if j == t then 0.5 * tape[b, j, d] + h[b, d] else tape[b, j, d]",
        "[b, j, d] => if d < 2 then (if j == t then h[b, d] else tape[b, j, d]) else tape[b, j, d]"}) {
    SCOPED_TRACE(next);
    EXPECT_EQ(lists(tapeProgram(next)), lists(tapeProgram(row)));
    Derived(tapeProgram(next), inputs()).expectDifferences();
  }
}

/// These time steps change other rows than their own, so each tape is stored.
TEST(Tapes, HaveNoOtherChanges) {
  for (const char *next : {"[b, j, d] => if j == t then h[b, d] else 0.5 * tape[b, j, d]",
                           "[b, j, d] => if j + 1 == t then h[b, d] else tape[b, j, d]",
                           "[b, j, d] => if j <= t then h[b, d] else tape[b, j, d]",
                           "[b, j, d] => if j == t or d == 1 then h[b, d] else tape[b, j, d]",
                           "[b, j, d] => if j == t then tape[b, j, d] else h[b, d]",
                           "[b, j < n, d] => if j == t then h[b, d] else tape[b, n - 1 - j, d]",
                           "[b, j, d] => if j == t then h[b, d] else x[b, j, d]", "tanh(tape)"}) {
    SCOPED_TRACE(next);
    EXPECT_EQ(lists(tapeProgram(next)), lists(tapeProgram(row)) + 1);
    Derived(tapeProgram(next), inputs()).expectDifferences();
  }
}

} // namespace
