//===- DeviceProducts.h - matrix products that a warp group has begun ---------------------------------------------===//
//
// wgmma computes while its threads go on. Here it computes as late as it can: when a thread waits for it and no other
// thread of the block can go on, and only then does it read its operands in shared memory; or, where threads run in
// descending order, as early as it can, when all of the warp group have begun it. Until a thread has waited for it a
// sum is a NaN that names the product and the register; products that go on with it take what it stands for, the wait
// puts the number in its place, and whatever else reads it has NaN.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/TensorCoreSums.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace attnc {

/// What the instruction's name says.
struct ProductKind {
  enum class Element { F16, BF16, TF32 };
  size_t columns;
  Element element;
  bool hasFragmentA, turnsA, turnsB;

  size_t sums() const { return columns / 2; } ///< of a thread
  size_t depth() const { return element == Element::TF32 ? 8 : 16; }
  bool operator==(const ProductKind &) const = default;
};

class WarpGroupProducts {
public:
  static constexpr size_t threads = 128;

  explicit WarpGroupProducts(TensorCoreSums how) : how(how) {}

  /// What a thread brings to a product.
  struct Part {
    ProductKind kind;
    std::vector<float> sums;
    std::array<uint32_t, 4> fragment; ///< of A
    uint64_t a, b;                    ///< descriptors
    bool keepsSums;
  };
  /// Each returns what is wrong, or nothing.
  std::string fence(size_t thread);
  std::string begin(size_t thread, Part part, float *sums);
  void close(size_t thread);

  /// `kept`: the words of A of all products that end, which nobody may write before. Answers what is wrong, or nothing.
  std::string await(size_t thread, size_t open, const std::vector<uint32_t> &kept);
  bool isWaiting(size_t thread) const { return waits[thread].has_value(); }
  /// Computes what waiting threads need, or all that has begun, as far as all threads have begun it. `read` has the
  /// memory of the block: 16 bytes whose shared address is this, in bits 4 to 17. Answers what is wrong, or nothing.
  std::string computeAwaited(const std::function<const char *(uint64_t unit)> &read);
  std::string computeBegun(const std::function<const char *(uint64_t unit)> &read);
  /// Whether the thread has what it waits for; it waits no longer then.
  bool endWait(size_t thread);
  /// Numbers in place of sums that have been computed.
  void resolve(size_t thread, const float *from, float *to, size_t count) const;

private:
  struct Progress {
    std::vector<Part> parts;   ///< of all products that it began
    std::deque<size_t> groups; ///< how many products had begun where each open group ends
    size_t awaited = 0;        ///< products
    bool isFenced = false;
  };
  std::string computeUpTo(size_t wanted, const std::function<const char *(uint64_t)> &read);
  std::string computeNext(const std::function<const char *(uint64_t)> &read);
  float resolved(size_t thread, float value) const;

  TensorCoreSums how;
  std::array<Progress, threads> progress;
  std::array<std::optional<size_t>, threads> waits; ///< for so many products
  std::vector<std::vector<float>> results;          ///< of products: thread by thread
};

} // namespace attnc
