//===- DeviceProducts.h - asynchronous matrix products of a warp group (wgmma) ------------------------------------===//
//
// Part of the simulator of thread blocks (DeviceBlock.h). wgmma is asynchronous: D = A B (+ D) is complete only after a
// wait. The simulator computes a product as late as possible, when a thread waits for the product and no other thread
// of the block can run, and reads the product's operands in shared memory only then. In descending order of threads the
// simulator computes a product as early as possible, when all threads of the warp group have begun it. Until a thread
// has waited for a product, the thread's sums are NaNs that identify product and register. Products that accumulate on
// such pending sums use their eventual values, the wait replaces the NaNs by numbers, and any other use reads NaN.
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
  size_t columns;  ///< of B and D: a multiple of 8, at most 256
  Element element; ///< of A and B; sums are f32
  /// `hasFragmentA`: A is in registers, otherwise in shared memory. `turnsA` and `turnsB`: a row of the tile of A or B
  /// in shared memory has the elements of one depth index k; otherwise those of one row of A, or of one column of B.
  bool hasFragmentA, turnsA, turnsB;

  size_t sums() const { return columns / 2; }                        ///< number of elements of D that a thread holds
  size_t depth() const { return element == Element::TF32 ? 8 : 16; } ///< columns of A, and rows of B
  bool operator==(const ProductKind &) const = default;
};

/// The products of one warp group. `thread` is a number in the group, 0 to 127.
class WarpGroupProducts {
public:
  static constexpr size_t threads = 128;

  explicit WarpGroupProducts(TensorCoreSums how) : how(how) {} ///< `how`: the rounding of sums

  /// The operands of one thread of a product.
  struct Part {
    ProductKind kind;
    std::vector<float> sums;          ///< the thread's registers of D before the product
    std::array<uint32_t, 4> fragment; ///< registers of A
    uint64_t a, b;                    ///< descriptors of the matrices in shared memory
    bool keepsSums;                   ///< adds to D; otherwise D is overwritten
  };
  // Instructions of one thread. Functions that return a text return a description of the fault, empty if there is none.

  std::string fence(size_t thread); ///< wgmma.fence
  /// wgmma.mma_async: begins a product, and writes pending NaNs to `sums`, the thread's registers of D.
  std::string begin(size_t thread, Part part, float *sums);
  void close(size_t thread); ///< wgmma.commit_group: makes the products since the last call a group

  /// wgmma.wait_group: makes the thread wait until at most `open` of its groups are unfinished. `kept` are the present
  /// words of A in registers, of all products that the wait ends in order; a fault if they have changed since the
  /// products began.
  std::string await(size_t thread, size_t open, const std::vector<uint32_t> &kept);
  bool isWaiting(size_t thread) const { return waits[thread].has_value(); }

  // The scheduler's part. `read` returns the 16 bytes of shared memory at the address whose bits 4 to 17 are those of
  // `unit`. A fault is returned as a description, as above.

  /// Computes the products that waiting threads wait for.
  std::string computeAwaited(const std::function<const char *(uint64_t unit)> &read);
  /// Computes the products that all threads of the group have begun.
  std::string computeBegun(const std::function<const char *(uint64_t unit)> &read);
  /// If the products that the thread waits for are computed, ends its wait and returns true; otherwise returns false.
  bool endWait(size_t thread);
  /// Copies `count` sums of a thread; NaNs that stand for computed products are replaced by their numbers.
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
