//===- ExplainedModel.h - a compiled model as plain data ----------------------------------------------------------===//
//
// The common input of text, JSON and pages. It has numbers for the sizes of --at instead of size expressions, and no
// references to data of the compiler. A launch is a call of a kernel in an entry point, which an enclosing loop
// repeats. An edge leads from the launch that writes a tensor to a launch that reads it:
//
//   tokens ──▶ logits_loops_0 ──▶ logits_rows_0 ──▶ logits_gemm_0 ──▶ ...
//                     wte.table ─────────┘
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "compiler/Predict/Machine.h"
#include "tools/attnc/ExplainedModel/MaskBlocks.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// A fusion that was made, or an edge that was not fused (compiler/Analysis/Decisions.h).
struct ExplainedDecision {
  bool isMade;
  std::string reason; ///< key of the reason, such as "contraction-operand"
  std::string text;   ///< sentence of the reason
  std::string change; ///< the smallest change of the model that would fuse the edge; may be empty
      /// The two ends of the edge: kernels, a weight or source locations; and the entry point, empty for weights.
  std::string what, into, entry;
  std::string bytes;      ///< size expression of the edge's tensor; empty without one
  bool isOfPairs = false; ///< whether the edge's tensor is an all-pairs tensor
};

struct ExplainedKernel {
  using Named = std::vector<std::pair<std::string, std::string>>;
  std::string name, kind, emitter;
  Named schedule;                           ///< keys and values
  std::vector<std::string> modelPaths = {}; ///< module paths of its launches (ModelPaths.h), each once
  std::vector<std::string> fused = {};      ///< words for the work that is fused into it (FusedWork.h)
  std::vector<std::string> places;          ///< source locations of its ops
  Named refusals;                           ///< emitters that do not support it, with reasons
  std::vector<std::pair<std::string, double>> predictions = {}; ///< predicted seconds by emitter
  bool isWantedSum = false; ///< a sum over windows that an emitter supports in this form
  bool isKeptSum = false;   ///< a sum over windows that would be a matrix product if no emitter supported this form

  /// Its module paths, or else its symbol.
  std::string nameInModel() const;
};

/// Cost of one launch, or of several together.
struct ExplainedCost {
  int64_t flops = 0, bytesRead = 0, bytesWritten = 0;
  std::optional<int64_t> keptFlops = 0; ///< flops for unmasked pairs; null if the mask depends on data
  int64_t bytes() const { return bytesRead + bytesWritten; }
  /// Operations per byte; 0 without bytes.
  double intensity() const { return bytes() ? double(flops) / double(bytes()) : 0; }
  /// Operations for unmasked pairs per byte; for all pairs if the mask depends on data.
  double keptIntensity() const { return bytes() ? double(keptFlops.value_or(flops)) / double(bytes()) : 0; }
};

/// Predicted time of one launch, or of several together, in seconds.
struct ExplainedTime {
  double launch = 0;       ///< distribution of phases and chunks, and latency of the first code and operands
  double compute = 0;      ///< instructions, with all operands in the nearest cache
  double memory = 0;       ///< memory traffic alone
  double instructions = 0; ///< number of vector and scalar instructions, over all chunks
  double seconds = 0;      ///< total
  std::string bound;       ///< the largest part: "compute", "launch", or a memory level
};

struct ExplainedLaunch {
  size_t kernel;                               ///< number in ExplainedModel::kernels
  unsigned step;                               ///< number of its op in the entry point, as in live ranges
  int64_t times = 1;                           ///< executions in a call
  ExplainedCost cost;                          ///< of one execution
  std::optional<size_t> loop = {};             ///< number of the innermost enclosing loop in ExplainedEntry::loops
  std::optional<MaskBlocks> mask = {};         ///< the mask of an attention kernel
  std::optional<ExplainedTime> predicted = {}; ///< of one execution; null for devices
  std::string modelPath = {};                  ///< its module path (ModelPaths.h), or its kernel's symbol
};

struct ExplainedLoop {
  std::optional<int64_t> iterations; ///< null if it depends on data
  std::optional<size_t> within;      ///< number of the enclosing loop, which precedes it
};

/// A tensor between launches, or between a launch and the outside.
struct ExplainedEdge {
  std::optional<size_t> from, to; ///< numbers of launches; null for an input or a parameter, and for a result
  std::string name;               ///< name of that input, parameter or result
  int64_t bytes = 0;
  bool isCarried = false;   ///< from one iteration of a loop to the next
  bool isParameter = false; ///< without `from`: a parameter, not an input
};

/// A storage in the arena, for a chart of live ranges.
struct ExplainedStorage {
  std::string name;
  int64_t offset, bytes;
  std::vector<std::pair<unsigned, unsigned>> live; ///< first and last step
};

/// All launches of a kernel in one call of an entry point.
struct ExplainedTotal {
  size_t kernel;
  int64_t launches = 0;
  ExplainedCost cost;
    std::optional<ExplainedTime> predicted; ///< sums over launches; `bound` is that of the longest launches
  struct Measured {
    double seconds;   ///< median over calls of the time in one call
    int64_t launches; ///< in a call; fewer than predicted if a loop ends early
  };
  std::optional<Measured> measured;
};

struct ExplainedEntry {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> sizes; ///< sizes of dimensions, then of `workers`
  std::string problem;                                ///< reason why there are no numbers; the rest is then empty
  std::vector<ExplainedLaunch> launches;              ///< in the order in which they run
  std::vector<ExplainedLoop> loops;                   ///< loops that contain launches
  std::vector<ExplainedEdge> edges;
  std::vector<ExplainedTotal> totals; ///< in the order in which kernels first run
  int64_t arenaBytes = 0;
  std::vector<std::string> steps; ///< text of each op
  std::vector<ExplainedStorage> arena;
  std::optional<double> measuredSeconds; ///< median time of a call
  std::string unmeasured;                ///< reason why a requested measurement failed
};

struct ExplainedModel {
  std::string source, target;     ///< the file without its directory; the processor or the device
  std::optional<Machine> machine; ///< machine of the predicted times
  std::vector<ExplainedKernel> kernels;
  std::vector<ExplainedEntry> entries;
  std::vector<ExplainedDecision> decisions; ///< `entry` is empty for decisions about weights
};

/// Explains a compile that has run up to the phase `plan`; for processors no further, because the prediction of times
/// reads the code before it is lowered. Times are predicted for `machine`, if there is one.
ExplainedModel explain(const Compilation &made, const CompileOptions &options, const Target &target,
                       const std::optional<Machine> &machine);

} // namespace attnc
