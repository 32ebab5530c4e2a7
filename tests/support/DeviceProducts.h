//===- DeviceProducts.h - asynchronous matrix products of a warp group (wgmma) ------------------------------------===//
//
// wgmma is asynchronous. The simulator computes a product as late as possible, when a thread waits for it and no other
// thread of the block can run, and reads its operands in shared memory only then. In descending order of threads it
// computes a product as early as possible, when all threads of the warp group have begun it. Until a thread has waited
// for a product, its sums are NaNs that identify product and register. Products that accumulate on pending sums use
// their eventual values, the wait replaces the NaNs by numbers, and any other use reads NaN.
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

/// Parameters in the instruction's name. D = A B (+ D) has 64 rows and `columns` columns.
struct ProductKind {
  enum class Element { F16, BF16, TF32 };
  size_t columns;
  Element element;
  /// Whether A is in registers, otherwise in shared memory; whether the depth of A, and that of B, runs along the
  /// columns of its tile, otherwise along the rows.
  bool hasFragmentA, turnsA, turnsB;

  size_t sums() const { return columns / 2; } ///< number of sums of a thread
  size_t depth() const { return element == Element::TF32 ? 8 : 16; }
  bool operator==(const ProductKind &) const = default;
};

/// The products of one warp group. `thread` is a number in the group, 0 to 127.
class WarpGroupProducts {
public:
  static constexpr size_t threads = 128;

  explicit WarpGroupProducts(TensorCoreSums how) : how(how) {}

  /// The operands of one thread of a product.
  struct Part {
    ProductKind kind;
    std::vector<float> sums;          ///< the thread's registers of D before the product
    std::array<uint32_t, 4> fragment; ///< registers of A
    uint64_t a, b;                    ///< descriptors of the matrices in shared memory
    bool keepsSums;                   ///< adds to D; otherwise D is overwritten
  };
  /// wgmma.fence, wgmma.mma_async and wgmma.commit_group by one thread. begin() writes pending NaNs to `sums`, the
  /// registers of D. Faults are returned as a description; empty if there is none.
  std::string fence(size_t thread);
  std::string begin(size_t thread, Part part, float *sums);
  void close(size_t thread);

  /// Makes the thread wait until at most `open` of its groups are unfinished (wgmma.wait_group). `kept` are the
  /// present words of A of all products that end; a fault if they differ from those at the beginning of the products.
  /// Returns a
  /// description of the fault; empty if there is none.
  std::string await(size_t thread, size_t open, const std::vector<uint32_t> &kept);
  bool isWaiting(size_t thread) const { return waits[thread].has_value(); }
  /// Compute the products that waiting threads require, or all products that all threads have begun. `read` returns the
  /// 16 bytes of shared memory at an address given by its bits 4 to 17. Return a description of the fault; empty if
  /// there is none.
  std::string computeAwaited(const std::function<const char *(uint64_t unit)> &read);
  std::string computeBegun(const std::function<const char *(uint64_t unit)> &read);
  /// Ends the thread's wait and returns true, if the products that it waits for are computed.
  bool endWait(size_t thread);
  /// Copies `count` sums; NaNs that stand for computed products are replaced by their numbers.
  void resolve(size_t thread, const float *from, float *to, size_t count) const;

private:
  struct Progress {
    std::vector<Part> parts;   ///< of all products that it has begun
    std::deque<size_t> groups; ///< number of products begun at the end of each open group
    size_t awaited = 0;        ///< number of products that it has waited for
    bool isFenced = false;
  };
  std::string computeUpTo(size_t wanted, const std::function<const char *(uint64_t)> &read);
  std::string computeNext(const std::function<const char *(uint64_t)> &read);
  float resolved(size_t thread, float value) const;

  TensorCoreSums how;
  std::array<Progress, threads> progress;
  std::array<std::optional<size_t>, threads> waits; ///< number of products that a thread waits for
  std::vector<std::vector<float>> results;          ///< sums of each product, thread by thread
};

} // namespace attnc
