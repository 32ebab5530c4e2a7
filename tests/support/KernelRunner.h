//===- KernelRunner.h - runner of one kernel: emits, compiles and runs it in this process -------------------------===//
//
//   KernelRunner runner(R"(func.func private @k(%x: tensor<?xf32>) -> tensor<?xf32>
//                            attributes {attn.kernel = "loops"} { ... })", *createCpuEmitter());
//   ASSERT_TRUE(runner) << runner.message();
//   HostArray x = HostArray::random({100}, 1);
//   std::vector<HostArray> y = runner.run({x}, {{100}});          // inputs, shapes of the results
//
// Buffers are in guarded memory (GuardedBuffer.h), aligned to their elements; results and scratch contain NaN before
// the run, so that out-of-bounds accesses and reads of unwritten memory are detected. With ATTN_DUMP_KERNEL in the
// environment, the generated MLIR is printed. Kernels of a device run in a DeviceExecutor, which simulates the device.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include "compiler/Codegen/Target/Target.h"
#include "tests/support/GuardedBuffer.h"
#include "tests/support/TensorCoreSums.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc {

enum class ElementKind { F32, I32, I1, BF16, F16 };

/// A dense row-major array on the host.
struct HostArray {
  std::vector<int64_t> shape;
  ElementKind kind = ElementKind::F32;
  std::vector<char> bytes; ///< the elements; an element of i1 is a byte, 0 or 1

  /// Zeros.
  HostArray(std::vector<int64_t> shape, ElementKind kind = ElementKind::F32);
  /// f32 or i32 elements, in row-major order; `values` has one for each.
  static HostArray of(std::vector<int64_t> shape, const std::vector<float> &values);
  static HostArray of(std::vector<int64_t> shape, const std::vector<int32_t> &values);
  /// f32 elements, uniform in [low, high), equal for equal seeds on every machine.
  static HostArray random(std::vector<int64_t> shape, uint64_t seed, float low = -1, float high = 1);

  /// Rounds an f32 array to nearest, ties to even, in the type `narrow`, BF16 or F16.
  HostArray storedAs(ElementKind narrow) const;
  /// Converts an array of BF16 or F16 to f32.
  HostArray widened() const;

  int64_t size() const; ///< number of elements
  // The elements; each function requires the `kind` of its name.
  float *f32() { return reinterpret_cast<float *>(bytes.data()); }
  const float *f32() const { return reinterpret_cast<const float *>(bytes.data()); }
  int32_t *i32() { return reinterpret_cast<int32_t *>(bytes.data()); }
  const int32_t *i32() const { return reinterpret_cast<const int32_t *>(bytes.data()); }
  uint8_t *i1() { return reinterpret_cast<uint8_t *>(bytes.data()); }
  const uint8_t *i1() const { return reinterpret_cast<const uint8_t *>(bytes.data()); }
};

/// Options of one run.
struct RunOptions {
  std::vector<int64_t> indexOperands = {};      ///< values of the kernel's operands of type index, in order
  int workers = 1;                              ///< threads, each with its own scratch
  bool reversed = false;                        ///< chunks, and threads of a device's blocks, in descending order
  Placement placement = Placement::AgainstEnd;  ///< of operands, results and scratch
  int inPlaceOperand = -1;                      ///< operand that shares its buffer with result 0
  int repeats = 1;                              ///< number of launches, for measurements of time
  TensorCoreSums sums = TensorCoreSums::CutOff; ///< rounding of tensor-core sums, on a device
};

/// Returns the default emitter for `target`, a valid name of a processor or a device.
std::unique_ptr<Emitter> emitterFor(std::string_view target);

/// A compiled kernel, unless message() has an error.
class KernelRunner {
public:
  /// Compiles the first func.func of the text `mlir` by `emitter` for `target`. For "cuda" the first device image runs;
  /// device variants of sm_90a require "cuda:sm_90a".
  KernelRunner(const std::string &mlir, const Emitter &emitter, std::string_view target = "native");
  ~KernelRunner();

  explicit operator bool() const { return message_.empty(); }
  /// Diagnostics, if there is nothing to run; the faults of runs on a device. Empty if there are none.
  const std::string &message() const { return message_; }
  const KernelCode &code() const { return code_; } ///< description of the generated code
  bool isOnDevice() const;
  int64_t objectBytes() const { return objectBytes_; } ///< size of the object file; 0 on a device
  int32_t status() const { return status_; }           ///< attn_code that the last run has set; 0 without an error
  const std::string &ptx() const;                      ///< PTX text, on a device; emitted by the first call

  /// Runs all kernel phases on copies of `inputs`, the tensor operands in order, and returns the results, which have
  /// the shapes `resultShapes`. A fault of a device is added to message(); the runner is false from then on. Requires
  /// that the runner is true.
  std::vector<HostArray> run(const std::vector<HostArray> &inputs,
                             const std::vector<std::vector<int64_t>> &resultShapes, const RunOptions &options = {});

private:
  struct Loaded;
  struct Launch;
  void load(const std::string &mlir, const Emitter &emitter, std::string_view target);
  void loadObject(mlir::ModuleOp code, const Target &target);
  void loadDevice(mlir::OwningOpRef<mlir::ModuleOp> code, const Target &target);
  void runPhases(Launch &launch, const RunOptions &options);
  void runOnDevice(Launch &launch, const RunOptions &options);

  std::unique_ptr<Loaded> loaded;
  KernelCode code_;
  std::string message_;
  int64_t objectBytes_ = 0;
  int32_t status_ = 0;
};

} // namespace attnc
