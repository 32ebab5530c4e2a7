//===- CompiledModel.h - model compiled by the pipeline and loaded into this process ------------------------------===//
//
// The object is the output of `attnc compile`; kernels of a device run in a DeviceExecutor, which simulates the device.
// Inputs, results, parameters, the arena (of exactly the size that the entry point states) and the scratch of each
// worker are in guarded memory (GuardedBuffer.h); results, arena and scratch contain NaN before a call.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/attn.h"
#include "compiler/Pipeline/Compile.h"
#include "compiler/Reference/Reference.h"
#include "tests/support/DeviceExecutor.h"
#include "tests/support/GuardedBuffer.h"
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace llvm::orc {
class LLJIT;
}

namespace attnc::e2e {

struct CallOptions {
  int64_t workers = 1; ///< number of threads; on a device, 1, 2 and 3 stand for the elements of Order
  Placement placement = Placement::AgainstEnd; ///< of inputs, results, arena and scratch
  char *arena = nullptr;                       ///< if not null, an arena of sufficient size with any contents
  /// If not null, receives the largest number of chunks of a launch of each kernel, by the kernel's name.
  std::map<std::string, int64_t> *chunks = nullptr;
};

/// The effects of a call.
struct CallResults {
  int32_t status = 0;                             ///< an attn_code; results are meaningful if it is ATTN_OK
  std::vector<std::vector<char>> bytes;           ///< elements of each result, then of each state among the inputs
  std::vector<std::vector<char>> parameters = {}; ///< elements of each parameter, if the entry point updates them
};

/// A compiled and loaded model, unless message() has an error.
class CompiledModel {
public:
  /// Compiles the model file `path` with these hyperparameters (--set), target and emitter, and with the named entry
  /// points; without names, with all.
  CompiledModel(const std::string &path, const std::vector<std::pair<std::string, std::string>> &settings,
                const std::string &target = "native", const std::string &emitter = "auto",
                const std::vector<std::string> &entries = {});
  /// Compiles with any options.
  explicit CompiledModel(CompileOptions options);
  ~CompiledModel();

  explicit operator bool() const { return message_.empty(); }
  /// The messages of a failed compile, or the fault of the last call on a device; empty if there is none.
  const std::string &message() const { return message_; }
  /// True if there is no model because of a user error.
  bool isRefused() const { return outcome == Outcome::UserError; }
  const attn_model &table() const { return *model; }
  /// The entry point with this name; null if there is none.
  const attn_entry_info *entry(const std::string &name) const;

  // Modules of the same program, for the oracle and for tests of passes. This object owns them.
  mlir::ModuleOp imported() const { return *import->module; } ///< after import
  mlir::ModuleOp fused() const;                               ///< with kernels, as code is generated from it
  mlir::ModuleOp unfused() const;                             ///< after fuse, with every fusion refused
  /// Values of all parameters: near their initialisers, but never all zero or all one.
  const reference::Parameters &parameters() const { return values; }
  /// Checkpoint names in the order of CallResults::parameters, with their element types (attn_dtype).
  const std::vector<std::pair<std::string, int32_t>> &parameterNames() const { return names; }

  DeviceExecutor &executor() const { return *device; }     ///< runs the first device image; requires a device
  attn_weights *weightsOfModel() const { return weights; } ///< the parameters, for the runtime's functions

  /// Calls an entry point of table() in guarded memory. `inputs` are all inputs, states included; `dimensions` are the
  /// sizes of the entry point's dimensions in order. Restores the initial parameters after an update. Sets message() to
  /// the fault of a device.
  CallResults call(const attn_entry_info &entry, const std::vector<reference::Array> &inputs,
                   const std::vector<int64_t> &dimensions, const CallOptions &options) const;

private:
  bool compileTo(std::optional<Phase> phase, std::unique_ptr<Compilation> &made,
                 std::vector<Override> overrides = {}) const;
  bool load(const std::string &prefix);
  bool loadDevice();
  void drawParameters();
  void writeParameters() const;

  CompileOptions options;
  mutable std::string message_;
  mutable Outcome outcome = Outcome::Done;
  std::unique_ptr<Compilation> import, whole;
  mutable mlir::OwningOpRef<mlir::ModuleOp> fusion; ///< in the context of `whole`; created on request
  mutable std::unique_ptr<Compilation> refusal;     ///< created on request
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::unique_ptr<DeviceExecutor> device; ///< if the target is a device
  const attn_model *model = nullptr;
  reference::Parameters values;
  std::vector<std::pair<std::string, int32_t>> names;
  std::vector<GuardedBuffer> storage; ///< initial values of the parameters, for each call
  attn_weights *weights = nullptr;
};

/// Returns the model of the file at the path `file` below tests/e2e/models; with a leading "/", below the root of the
/// source tree. The other arguments are those of the constructor. Each model is compiled once for all tests of the
/// process, and exists until the process ends.
const CompiledModel &compiledModel(const std::string &file,
                                   const std::vector<std::pair<std::string, std::string>> &settings = {},
                                   const std::string &target = "native", const std::string &emitter = "auto",
                                   const std::vector<std::string> &entries = {});

/// Returns the element with the row-major number `place` of a tensor with elements of the attn_dtype `dtype`.
double elementAt(const std::vector<char> &bytes, int32_t dtype, size_t place);

/// Returns the description, in the table of `entry`, of the tensor CallResults::bytes[number].
const attn_tensor_info &resultInfo(const attn_entry_info &entry, size_t number);

/// Returns the shape of a tensor. `dimensions` are the sizes of the entry point's dimensions in order.
std::vector<int64_t> shapeOf(const attn_tensor_info &tensor, const std::vector<int64_t> &dimensions);

} // namespace attnc::e2e
