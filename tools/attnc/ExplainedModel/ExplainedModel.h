//===- ExplainedModel.h - a compiled model as plain data ----------------------------------------------------------===//
//
// The common input of the text, JSON and page of `attnc explain`. An ExplainedModel has numbers for the sizes
// of --at instead of size expressions, and no references to data of the compiler. A launch is a call of a kernel in an
// entry point; loops around the call repeat the launch. An edge leads from the launch that writes a tensor to a launch
// that reads the tensor:
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
  /// `what` and `into` are the two ends of the edge: a kernel, a weight or source locations. `entry` is the entry
  /// point; empty for decisions about weights.
  std::string what, into, entry;
  std::string bytes;      ///< size of the edge's tensor in bytes, an expression in dimensions; empty if unknown
  bool isOfPairs = false; ///< whether the edge's tensor is an all-pairs tensor
};

struct ExplainedKernel {
  using Named = std::vector<std::pair<std::string, std::string>>;
  std::string name, kind, emitter;          ///< symbol, kernel kind, and name of the emitter that compiled it
  Named schedule;                           ///< keys and values of the chosen schedule
  std::vector<std::string> modelPaths = {}; ///< module paths of its launches (ModelPaths.h), each once
  std::vector<std::string> fused = {};      ///< words for the work that is fused into it (FusedWork.h)
  std::vector<std::string> places;          ///< source locations of its ops: "dir/gpt.attn:41:9"
  Named refusals;                           ///< emitters that do not support the kernel, with reasons
  std::vector<std::pair<std::string, double>> predictions = {}; ///< predicted seconds by emitter; empty: not compared
  bool isWantedSum = false; ///< contains a sum over windows that an emitter supports in this form
  bool isKeptSum = false;   ///< this sum would be a matrix product if no emitter supported this form

  /// Its module paths, separated by ", "; its symbol if it has none.
  std::string nameInModel() const;
};

/// Cost of one launch, or of several together.
struct ExplainedCost {
  int64_t flops = 0, bytesRead = 0, bytesWritten = 0;
  std::optional<int64_t> keptFlops = 0; ///< flops for unmasked pairs; null if the mask depends on data
  int64_t bytes() const { return bytesRead + bytesWritten; }
  /// Floating-point operations per byte, for all query–key pairs; 0 without bytes.
  double intensity() const { return bytes() ? double(flops) / double(bytes()) : 0; }
  /// The same for unmasked pairs; for all pairs if the mask depends on data.
  double keptIntensity() const { return bytes() ? double(keptFlops.value_or(flops)) / double(bytes()) : 0; }
};

/// Predicted time of one launch, or of several together, in seconds.
struct ExplainedTime {
  double launch = 0;       ///< distribution of phases and chunks, and latency of the first code and operands
  double compute = 0;      ///< instructions, with all operands in the nearest cache
  double memory = 0;       ///< memory traffic alone
  double instructions = 0; ///< number (not seconds) of vector and scalar instructions, over all chunks
  double seconds = 0;      ///< the total time; parts may overlap, so it is not their sum
  std::string bound;       ///< the largest part: "compute", "launch", or a memory level
};

struct ExplainedLaunch {
  size_t kernel;                               ///< number in ExplainedModel::kernels
  unsigned step;                               ///< number of its op in ExplainedEntry::steps
  int64_t times = 1;                           ///< executions in a call, if no loop ends early
  ExplainedCost cost;                          ///< of one execution
  std::optional<size_t> loop = {};             ///< number of the innermost enclosing loop in ExplainedEntry::loops
  std::optional<MaskBlocks> mask = {};         ///< the mask of an attention kernel
  std::optional<ExplainedTime> predicted = {}; ///< of one execution; null without a machine or a prediction
  std::string modelPath = {};                  ///< its module path (ModelPaths.h), or its kernel's symbol
};

struct ExplainedLoop {
  std::optional<int64_t> iterations; ///< null if the number depends on data
  std::optional<size_t> within;      ///< number of the enclosing loop, which precedes this one; null: none
};

/// A tensor between launches, or between a launch and the outside.
struct ExplainedEdge {
  /// The launches that write and read the tensor, by number in ExplainedEntry::launches. A null `from`: the tensor is
  /// an input or a parameter. A null `to`: the tensor is a result of the entry point.
  std::optional<size_t> from, to;
  std::string name;         ///< name of the input, parameter or result; empty between launches
  int64_t bytes = 0;        ///< size of the tensor that is read; 0 if unknown
  bool isCarried = false;   ///< the edge leads from one iteration of a loop to the next
  bool isParameter = false; ///< without `from`: a parameter, not an input
};

/// A storage in the arena, for a chart of live ranges.
struct ExplainedStorage {
  std::string name;
  int64_t offset, bytes;                           ///< in the arena, in bytes
  std::vector<std::pair<unsigned, unsigned>> live; ///< live ranges: first and last step, inclusive, ascending
};

/// All launches of a kernel in one call of an entry point.
struct ExplainedTotal {
  size_t kernel;        ///< number in ExplainedModel::kernels
  int64_t launches = 0; ///< executions in a call
  ExplainedCost cost;   ///< sum over launches
  /// Sums over the launches with a prediction, null if there are none; `bound` is that of the longest launches.
  std::optional<ExplainedTime> predicted;
  struct Measured {
    double seconds;   ///< median over calls of the time of all launches in one call
    int64_t launches; ///< launches in a call; fewer than predicted if a loop ends early
  };
  std::optional<Measured> measured; ///< null unless measureModel() has set it
};

struct ExplainedEntry {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> sizes; ///< of dimensions, then `workers`; empty if one is unknown
  /// Why there are no numbers: a size is unknown, or a cost exceeds 64 bits. Later members are then empty or 0.
  std::string problem;
  std::vector<ExplainedLaunch> launches; ///< in the order of their ops
  std::vector<ExplainedLoop> loops;      ///< loops that contain launches, an outer loop before inner ones
  std::vector<ExplainedEdge> edges;
  std::vector<ExplainedTotal> totals; ///< one for each kernel, in the order in which kernels first run
  int64_t arenaBytes = 0;
  std::vector<std::string> steps;        ///< text of each op, in order
  std::vector<ExplainedStorage> arena;   ///< storages that have a slot of the arena
  std::optional<double> measuredSeconds; ///< median time of a call; null if not measured
  std::string unmeasured;                ///< reason why a requested measurement failed; else empty
};

struct ExplainedModel {
  std::string source, target;     ///< the file without its directory; the processor or the device
  std::optional<Machine> machine; ///< machine of the predicted times; null: no times are predicted
  std::vector<ExplainedKernel> kernels;
  std::vector<ExplainedEntry> entries;
  std::vector<ExplainedDecision> decisions;
};

/// Explains the compile `made`, by `options` and for `target`, at the sizes `options.at`. The compile must have run up
/// to the phase `plan`; for a processor no further if `machine` is not null, because the prediction of times reads the
/// code before it is lowered. Times are predicted for `machine`; without it, `predicted` is null throughout.
ExplainedModel explain(const Compilation &made, const CompileOptions &options, const Target &target,
                       const std::optional<Machine> &machine);

} // namespace attnc
