//===- Reach.h - receptive field of a position: a lattice of backward dependences ---------------------------------===//
//
// A Reach is a set of positions of one value, along one dimension, on which position i of another value depends. The
// lattice is a chain:
//
//   nothing < pointwise = window(0) < window(1) < window(2) < ... < causal < mixing
//
//   nothing      no position: the value is the same for all positions
//   pointwise    position i alone
//   window(w)    positions i - w .. i
//   causal       positions 0 .. i
//   mixing       later positions too
//
// The join is the larger one. Composition adds: if c reads b by window(x), and b reads a by window(y), then c reads a
// by window(x + y).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace attnc {

class Reach {
public:
  static Reach nothing() { return Reach(-1); }
  static Reach pointwise() { return Reach(0); }
  /// The current position and the `before` positions before it; before >= 0.
  static Reach window(int64_t before) { return Reach(before); }
  static Reach causal() { return Reach(unbounded); }
  static Reach mixing() { return Reach(unbounded + 1); }

  bool isNothing() const { return before < 0; }
  bool isMixing() const { return before > unbounded; }
  bool isWindow() const { return before >= 0 && before < unbounded; } ///< pointwise included
  /// The number of positions before the current one; requires isWindow().
  int64_t width() const { return before; }

  Reach join(Reach other) const { return before < other.before ? other : *this; }
  /// Composition: the reach of reading, by this reach, a value that itself has the reach `inner`. Nothing if either is.
  Reach after(Reach inner) const;
  /// "nothing", "pointwise", "window(4)", "causal", "mixing".
  std::string text() const;
  bool operator==(const Reach &other) const = default;

private:
  explicit Reach(int64_t before) : before(before) {}
  static constexpr int64_t unbounded = INT64_MAX - 1;
  int64_t before; ///< number of positions before the current one; -1 for nothing
};

} // namespace attnc
