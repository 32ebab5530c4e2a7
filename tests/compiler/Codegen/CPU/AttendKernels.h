//===- AttendKernels.h - attention kernels as text, and their comparison with the oracle --------------------------===//
//
// An AttendKernel is attention over heads h, queries i and keys j, assembled from the components in which attention
// mechanisms differ. Its operands are f32 tensors:
//
//   q [heads, queries, dim]   k [heads / group, keys, dim]   v [heads / group, keys, valueDim]   and captured tensors
//
// Components are MLIR ops as text. `score` computes %y, the score, from %s, the dot product of %q[h, i] and
// %k[h / group, j]. `mask` computes an i1 %m. `weight` computes %w from %p, the attention weight. `value` computes %u
// from %x, an element of %v. `sink` computes %z, the sink of a row. All components may use %h, %i, the captured tensors
// and, except the sink, %j.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/CpuEmitter.h"
#include "compiler/Reference/Array.h"
#include "compiler/Reference/Tolerance.h"
#include "tests/support/KernelRunner.h"
#include "tests/support/ParsedModule.h"
#include <optional>

namespace attnc {

struct AttendKernel {
  /// Numbers of query heads, queries and keys; features of q and k; features of v; query heads that share a key head.
  int64_t heads = 2, queries = 70, keys = 90, dim = 32, valueDim = 32, group = 1;
  bool isStatic = false;         ///< numbers of queries and keys are constants of the kernel
  bool hasStaticQueries = false; ///< only the number of queries is constant; a small one selects the decode algorithm
  bool hasDynamicHeads = false;  ///< emitters then assume many heads
  std::string normaliser = "softmax";
  std::string captured;  ///< further parameters of the function: ", %bias: tensor<?x?xf32>"
  std::string constants; ///< ops before the attn.attend
  std::string dot;       ///< the term of the reduction of %a (query) and %b (key); empty: their product
  std::string score = "%y = arith.mulf %s, %scale : f32";
  std::string mask, weight, value;  ///< empty: all pairs, %p and %x
  std::string sink;                 ///< "%z = ..."; empty: none
  std::string yields = "\"value\""; ///< results: "value", "weights" or "lse", separated by commas
  std::string schedule;             ///< entries of attn.schedule: "tile_kv = 16 : i64"

  std::string text() const; ///< the kernel function
  /// Components of the text: the parameters of the function, ops before the attn.attend, and its regions.
  std::string parameters() const;
  std::string definitions() const;
  std::string regions() const;
  /// The type of an f32 tensor [ofHeads, queries or keys, columns]; without the last dimension if `columns` is 0.
  std::string tensorType(int64_t ofHeads, bool isOfKeys, int64_t columns) const;
  std::string queryType() const { return tensorType(heads, false, dim); }
  std::string keyType() const { return tensorType(heads / group, true, dim); }
  std::string valueType() const { return tensorType(heads / group, true, valueDim); }
  /// Returns random q, k and v with elements in [-range, range), without captured tensors.
  std::vector<HostArray> operands(float range = 1) const;
  std::vector<std::vector<int64_t>> resultShapes() const; ///< in the order of `yields`
};

/// The tolerance of an element relative to the largest magnitude of its result, for heads of up to 64 features.
inline const double attendTolerance = reference::tolerance(9, 64);

/// An array for the oracle with the same elements.
reference::Array toReference(const HostArray &array);

/// A kernel compiled for a target, and its text for the oracle.
class ComparedKernel {
public:
  /// If `emitter` is null, compiles with the default emitter of the target.
  explicit ComparedKernel(const std::string &text, std::string_view target = "native",
                          const Emitter *emitter = nullptr);

  /// Runs the kernel on the operands, in both orders of chunks, and compares with the oracle: each element within
  /// `tolerance` times the largest magnitude of the result (at least one). Returns the differences; empty if there are
  /// none.
  std::string compare(const std::vector<HostArray> &operands, const std::vector<std::vector<int64_t>> &resultShapes,
                      double tolerance = attendTolerance);

  ParsedModule parsed;
  KernelRunner runner;
};

/// Returns a ComparedKernel from a cache of recently compiled ones. The reference is valid until further calls remove
/// the kernel from the cache.
ComparedKernel &comparedKernel(const std::string &text, std::string_view target = "native",
                               const Emitter *emitter = nullptr);

/// ComparedKernel::compare() for the text of `kernel`, compiled for `target`.
std::string compareWithOracle(const AttendKernel &kernel, const std::vector<HostArray> &operands,
                              double tolerance = attendTolerance, std::string_view target = "native");

} // namespace attnc
