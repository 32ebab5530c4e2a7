//===- CompiledModel.h - model compiled by the pipeline and loaded into this process ------------------------------===//
//
// The object is the output of `attnc compile`; kernels of a device run in a DeviceExecutor. Inputs, results,
// parameters, the arena (of exactly the promised size) and the scratch of each worker are in guarded memory
// (GuardedBuffer.h); results, arena and scratch contain NaN before a run.
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
  int64_t workers = 1;      ///< on a device, 1, 2, 3 are orders of its threads
  Placement placement = Placement::AgainstEnd; ///< of inputs, results, arena and scratch
  char *arena = nullptr; ///< if not null, an arena of sufficient size with any contents
  /// If not null, receives the largest number of chunks of a launch of each kernel, by the kernel's name.
  std::map<std::string, int64_t> *chunks = nullptr;
};

/// Results of a call, then its states, as bytes; and the parameters, one after the other, if the call updates them.
struct CallResults {
  int32_t status = 0;
  std::vector<std::vector<char>> bytes;
  std::vector<std::vector<char>> parameters = {};
};

class CompiledModel {
public:
  CompiledModel(const std::string &path, const std::vector<std::pair<std::string, std::string>> &settings,
                const std::string &target = "native", const std::string &emitter = "auto",
                const std::vector<std::string> &entries = {});
  /// Compiles with any options.
  explicit CompiledModel(CompileOptions options);
  ~CompiledModel();

  explicit operator bool() const { return message_.empty(); }
  const std::string &message() const { return message_; }
  /// True if there is no model because of a user error.
  bool isRefused() const { return outcome == Outcome::UserError; }
  const attn_model &table() const { return *model; }
  const attn_entry_info *entry(const std::string &name) const;

  /// The program after import, which code is generated from; and after fuse with every fusion refused, for the oracle.
  mlir::ModuleOp imported() const { return *import->module; }
  mlir::ModuleOp fused() const;
  mlir::ModuleOp unfused() const;
  /// Values of all parameters: near their initialisers, but never all zero or all one.
  const reference::Parameters &parameters() const { return values; }
  /// Checkpoint names in the order of CallResults::parameters, with their element types.
  const std::vector<std::pair<std::string, int32_t>> &parameterNames() const { return names; }

  /// For a device: the executor of the first image, and the parameters for attn/cuda.h.
  DeviceExecutor &executor() const { return *device; }
  attn_weights *weightsOfModel() const { return weights; }

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

/// Returns the model of a file below tests/e2e/models, or of the source tree with a leading "/". Each model is compiled
/// once for all tests, with all of its entry points unless some are named.
const CompiledModel &compiledModel(const std::string &file,
                                   const std::vector<std::pair<std::string, std::string>> &settings = {},
                                   const std::string &target = "native", const std::string &emitter = "auto",
                                   const std::vector<std::string> &entries = {});

/// Returns an element of a tensor as a number, converted from an attn_dtype.
double elementAt(const std::vector<char> &bytes, int32_t dtype, size_t place);

/// Returns the description of CallResults::bytes[number].
const attn_tensor_info &resultInfo(const attn_entry_info &entry, size_t number);

/// Returns the sizes of a tensor for values of the entry's dimensions.
std::vector<int64_t> shapeOf(const attn_tensor_info &tensor, const std::vector<int64_t> &dimensions);

} // namespace attnc::e2e
