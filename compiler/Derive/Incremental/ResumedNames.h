//===- ResumedNames.h - names in the entry points of a resumed decoding loop --------------------------------------===//
//
// A command that streams text or holds a conversation calls a resumed loop, whose states survive a call. For a sampler
// named `write`, whose decoding loop Decode.h describes, the entry points are
//
//   write.begin(other arguments) -> given...                            next_begin; optional
//   write.prefill(steps.tokens: i32[batch, seq], steps.length, steps.read, other arguments..., states...)
//   write.steps(steps.tokens: i32[batch, 1], steps.length, other arguments..., arguments of the sampler, seed,
//               steps.first, steps.count, steps.ends, states...) -> (tokens: i32[batch, at_most], length: i32[batch])
//   write.verify(steps.tokens: i32[batch, seq], steps.length, steps.read, other arguments..., arguments of the sampler,
//                seed, steps.first, steps.ends, states...) -> (tokens: i32[batch, seq])                       optional
//
// write.prefill is next_prefill without logits; steps.read (i32[batch]) is its argument `count`, if it has one.
// write.steps is the decoding loop from the token and the position of its arguments on. It ends after `steps.count`
// decoding steps (i32), at least 1 and at most at_most, or when a state is full. A row ends at the `stop` of the
// sampler and at the tokens `steps.ends` (i32[8]; -1: none). In random draws, the number of the first decoding step is
// `steps.first` (i32), so several calls draw what one call draws. After a call, the states of a row have one more
// position for each decoding step.
//
// write.verify reads tokens as write.prefill does, and chooses the next token after each of them, as write.steps does
// after it has read them: the token after position i of the call has the number steps.first + i in random draws. A
// token that ends a row is -1. One call thereby verifies drafted tokens, of which rows can lose the wrong ones
// afterwards (allowTruncation of Decode.h).
//
// Names of entry points are those below after the name of the sampler. No argument of a program has a name with a dot.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace attnc {

struct ResumedNames {
  static constexpr llvm::StringLiteral begin = ".begin", prefill = ".prefill", steps = ".steps",
                                       verify = ".verify"; ///< entry points
  static constexpr llvm::StringLiteral tokens = "steps.tokens", length = "steps.length", read = "steps.read",
                                       first = "steps.first", count = "steps.count", ends = "steps.ends"; ///< arguments
  static constexpr int64_t maxEnds = 8; ///< elements of steps.ends

  /// Whether an entry point is one of a resumed loop. It has no C function of its own.
  static bool isEntry(llvm::StringRef name) {
    return llvm::any_of(llvm::ArrayRef<llvm::StringRef>{begin, prefill, steps, verify},
                        [&](llvm::StringRef suffix) { return name.ends_with(suffix); });
  }
};

} // namespace attnc
