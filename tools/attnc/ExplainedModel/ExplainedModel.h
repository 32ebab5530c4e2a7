//===- ExplainedModel.h - a compiled model as plain data ----------------------------------------------------------===//
//
// One description of a compiled model for everything that shows it: text, JSON, pages. It has numbers for the sizes of
// --at, no expressions, and refers to nothing of the compiler. A launch is a call of a kernel in an entry point; a loop
// around it runs it several times in a call. Edges say which launch reads what which other one wrote:
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

/// Something that was fused, or that was not.
struct ExplainedDecision {
  bool made;
  std::string reason; ///< its word, such as "contraction-operand"
  std::string text;   ///< its sentence
  std::string change; ///< of what was not: the least that would change it; empty where nothing would
  std::string what, into, entry;
  std::string bytes;      ///< of the tensor between the two, as a size; empty where there is none
  bool isOfPairs = false; ///< whether it has an element for each pair of a query and a key
};

struct ExplainedKernel {
  using Named = std::vector<std::pair<std::string, std::string>>;
  std::string name, kind, emitter;
  Named schedule;                  ///< keys and what they are
  std::vector<std::string> modelPaths = {}; ///< places in the model (ModelPaths.h), those of its launches, each once
  std::vector<std::string> fused = {};      ///< words for what is fused into it (FusedWork.h)
  std::vector<std::string> places;          ///< of what is in it, in the source
  Named refusals;                  ///< emitters that were asked before, and why they did not take it
  std::vector<std::pair<std::string, double>> predictions = {}; ///< emitters of which one was chosen, seconds
  bool isWantedSum = false; ///< a sum over windows that some emitter wants as it stands
  bool isKeptSum = false;   ///< and that a compile without that emitter makes a product of matrices

  /// Its places in the model, or else its symbol.
  std::string nameInModel() const;
};

/// Of one launch, or of several together.
struct ExplainedCost {
  int64_t flops = 0, bytesRead = 0, bytesWritten = 0;
  std::optional<int64_t> keptFlops = 0; ///< of the pairs that a mask keeps; absent where only data tells which
  int64_t bytes() const { return bytesRead + bytesWritten; }
  /// Operations a byte; 0 where there are no bytes.
  double intensity() const { return bytes() ? double(flops) / double(bytes()) : 0; }
  /// The same of the pairs that a mask keeps.
  double keptIntensity() const { return bytes() ? double(keptFlops.value_or(flops)) / double(bytes()) : 0; }
};

/// Of one launch, or of several together, in seconds.
struct ExplainedTime {
  double launch = 0;  ///< of handing out phases and chunks
  double compute = 0; ///< of instructions, if all operands lay in the nearest cache
  double memory = 0;  ///< of moving operands and results, if nothing were computed
  double instructions = 0; ///< a number: of vectors and of scalars, in all chunks
  double seconds = 0; ///< in all
  std::string bound;  ///< what takes longest: "compute", "launch", or a level of memory
};

struct ExplainedLaunch {
  size_t kernel;                               ///< number in ExplainedModel::kernels
  unsigned step;                               ///< number of the entry point's op, by which live ranges tell time
  int64_t times = 1;                           ///< in a call
  ExplainedCost cost;                          ///< of one time
  std::optional<size_t> loop = {};             ///< number in ExplainedEntry::loops of the innermost one around it
  std::optional<MaskBlocks> mask = {};         ///< of an attention that has one
  std::optional<ExplainedTime> predicted = {}; ///< of one time; nothing for devices
  std::string modelPath = {};                  ///< its place in the model (ModelPaths.h), or its kernel's symbol
};

struct ExplainedLoop {
  std::optional<int64_t> turns; ///< absent where only data tells
  std::optional<size_t> within; ///< number of the loop around it, a smaller one
};

/// A tensor on its way.
struct ExplainedEdge {
  std::optional<size_t> from, to; ///< numbers of launches; absent for what the caller or a file gives, or is given
  std::string name;               ///< then: of the input, the parameter or the result
  int64_t bytes = 0;
  bool isCarried = false;   ///< from one turn of a loop to the next
  bool isParameter = false; ///< where no launch writes it: of the model, not of the caller
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
  std::optional<ExplainedTime> predicted; ///< the bound is that of the launches that take longest together
  struct Measured {
    double seconds;   ///< of one call, the median of several
    int64_t launches; ///< in it: fewer where a loop ended early
  };
  std::optional<Measured> measured;
};

struct ExplainedEntry {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> sizes; ///< of dimensions, and `workers`
  std::string problem;                                ///< why there are no numbers; all below is empty then
  std::vector<ExplainedLaunch> launches;              ///< in the order in which they run
  std::vector<ExplainedLoop> loops;                   ///< those that launches are in
  std::vector<ExplainedEdge> edges;
  std::vector<ExplainedTotal> totals; ///< in the order in which kernels first run
  int64_t arenaBytes = 0;
  std::vector<std::string> steps; ///< what runs in each
  std::vector<ExplainedStorage> arena;
  std::optional<double> measuredSeconds; ///< of a call
  std::string unmeasured;                ///< why it was not, where that was asked for
};

struct ExplainedModel {
  std::string source, target; ///< the file without its directory; the processor or the device
  std::optional<Machine> machine; ///< that times are predicted for
  std::vector<ExplainedKernel> kernels;
  std::vector<ExplainedEntry> entries;
  std::vector<ExplainedDecision> decisions; ///< those about weights have no entry
};

/// Of what was compiled up to `plan`, and for processors no further, for code is lowered there. Times are predicted for
/// `machine`, where there is one.
ExplainedModel explain(const Compilation &made, const CompileOptions &options, const Target &target,
                       const std::optional<Machine> &machine);

} // namespace attnc
