//===- CompiledModel.h - a model, compiled by the pipeline and loaded into this process --------------------------===//
//
// The object is what `attnc compile` would write; a device's kernels run in a DeviceExecutor. Inputs, results,
// parameters, the arena (of exactly the promised size) and the scratch of each worker lie in guarded memory
// (GuardedBuffer.h); results, arena and scratch hold NaN before a run.
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
  int64_t workers = 1;      ///< on a device: 1, 2, 3 stand for orders of its threads
  Placement placement = Placement::AgainstEnd; ///< of inputs, results, arena and scratch
  char *arena = nullptr; ///< if given, one that is large enough and holds anything
  /// If given, gets the largest number of chunks that a launch of each kernel had, by the kernel's name.
  std::map<std::string, int64_t> *chunks = nullptr;
};

/// What a call left in its results, then in the states that it is given, as bytes; and in the parameters, one after the
/// other, where it updates them.
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
  /// Whatever else is asked of the compiler.
  explicit CompiledModel(CompileOptions options);
  ~CompiledModel();

  explicit operator bool() const { return message_.empty(); }
  const std::string &message() const { return message_; }
  /// Whether there is no model because the compiler says that it is the model's fault.
  bool isRefused() const { return outcome == Outcome::UserError; }
  const attn_model &table() const { return *model; }
  const attn_entry_info *entry(const std::string &name) const;

  /// The program after import, as code was generated of it, and as it would be where every fusion is refused, for the
  /// oracle.
  mlir::ModuleOp imported() const { return *import->module; }
  mlir::ModuleOp fused() const;
  mlir::ModuleOp unfused() const;
  /// Values for all parameters: around what their initialisers say, but never all zero or all one.
  const reference::Parameters &parameters() const { return values; }
  /// Their names in the order of CallResults::parameters, and their element types.
  const std::vector<std::pair<std::string, int32_t>> &parameterNames() const { return names; }

  /// Of a target that is a device: what stands for one that has the first image. And its parameters, for attn/cuda.h.
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
  mutable mlir::OwningOpRef<mlir::ModuleOp> fusion; ///< in the context of `whole`; where it was asked for
  mutable std::unique_ptr<Compilation> refusal;     ///< where it was asked for
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::unique_ptr<DeviceExecutor> device; ///< of a target that is one
  const attn_model *model = nullptr;
  reference::Parameters values;
  std::vector<std::pair<std::string, int32_t>> names;
  std::vector<GuardedBuffer> storage; ///< of the parameters, which each call starts with
  attn_weights *weights = nullptr;
};

/// The model of a file below tests/e2e/models, or of the source tree with a leading "/". Each is compiled once, whichever
/// tests ask for it; all of its entry points, unless some are named.
const CompiledModel &compiledModel(const std::string &file,
                                   const std::vector<std::pair<std::string, std::string>> &settings = {},
                                   const std::string &target = "native", const std::string &emitter = "auto",
                                   const std::vector<std::string> &entries = {});

/// An element of a tensor as a number, whatever it is stored in (an attn_dtype).
double elementAt(const std::vector<char> &bytes, int32_t dtype, size_t place);

/// What CallResults::bytes[number] is of.
const attn_tensor_info &resultInfo(const attn_entry_info &entry, size_t number);

/// The sizes of a tensor for given values of the entry's dimensions.
std::vector<int64_t> shapeOf(const attn_tensor_info &tensor, const std::vector<int64_t> &dimensions);

} // namespace attnc::e2e
