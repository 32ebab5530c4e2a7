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
// environment the generated MLIR is printed. Kernels of a device run in a DeviceExecutor.
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

/// A dense row-major array on the host; an element of i1 is a byte.
struct HostArray {
  std::vector<int64_t> shape;
  ElementKind kind = ElementKind::F32;
  std::vector<char> bytes;

  /// Zeros.
  HostArray(std::vector<int64_t> shape, ElementKind kind = ElementKind::F32);
  static HostArray of(std::vector<int64_t> shape, const std::vector<float> &values);
  static HostArray of(std::vector<int64_t> shape, const std::vector<int32_t> &values);
  /// Uniform in [low, high), equal for equal seeds on every machine.
  static HostArray random(std::vector<int64_t> shape, uint64_t seed, float low = -1, float high = 1);

  /// Rounds f32 numbers to nearest even, in the type `narrow`; widened() converts back.
  HostArray storedAs(ElementKind narrow) const;
  HostArray widened() const;

  int64_t size() const;
  float *f32() { return reinterpret_cast<float *>(bytes.data()); }
  const float *f32() const { return reinterpret_cast<const float *>(bytes.data()); }
  int32_t *i32() { return reinterpret_cast<int32_t *>(bytes.data()); }
  const int32_t *i32() const { return reinterpret_cast<const int32_t *>(bytes.data()); }
  uint8_t *i1() { return reinterpret_cast<uint8_t *>(bytes.data()); }
  const uint8_t *i1() const { return reinterpret_cast<const uint8_t *>(bytes.data()); }
};

struct RunOptions {
  std::vector<int64_t> indexOperands = {};     ///< values of the kernel's operands of type index, in order
  int workers = 1;                             ///< threads, each with its own scratch
  bool reversed = false;                       ///< chunks, and threads of a device's blocks, in descending order
  Placement placement = Placement::AgainstEnd; ///< of operands, results and scratch
  int inPlaceOperand = -1;                     ///< operand that shares its buffer with result 0
  int repeats = 1;                             ///< launches, for measurements of time
  TensorCoreSums sums = TensorCoreSums::CutOff;
};

/// Returns the emitter for `target`, a processor or a device.
std::unique_ptr<Emitter> emitterFor(std::string_view target);

class KernelRunner {
public:
  /// `mlir` is a func.func, or a module with one. For "cuda" the first image runs; device variants of sm_90a require
  /// "cuda:sm_90a". Kernels that only run, such as mutants, need no PTX, which takes a quarter of a compile.
  KernelRunner(const std::string &mlir, const Emitter &emitter, std::string_view target = "native",
               bool emitsPtx = true);
  ~KernelRunner();

  explicit operator bool() const { return message_.empty(); }
  const std::string &message() const { return message_; } ///< diagnostics, if there is nothing to run
  const KernelCode &code() const { return code_; }
  bool isOnDevice() const;
  int64_t objectBytes() const { return objectBytes_; }
  int32_t status() const { return status_; } ///< of the last run
  const std::string &ptx() const { return ptx_; }

  /// Runs all kernel phases on copies of `inputs`, the tensor operands in order, and returns the results, which have
  /// the shapes `resultShapes`. A fault of a device is added to message(). Requires that the runner is true.
  std::vector<HostArray> run(const std::vector<HostArray> &inputs,
                             const std::vector<std::vector<int64_t>> &resultShapes, const RunOptions &options = {});

private:
  struct Loaded;
  struct Launch;
  void load(const std::string &mlir, const Emitter &emitter, std::string_view target, bool emitsPtx);
  void loadObject(mlir::ModuleOp code, const Target &target);
  void loadDevice(mlir::ModuleOp code, const Target &target, bool emitsPtx);
  void runPhases(Launch &launch, const RunOptions &options);
  void runOnDevice(Launch &launch, const RunOptions &options);

  std::unique_ptr<Loaded> loaded;
  KernelCode code_;
  std::string message_;
  int64_t objectBytes_ = 0;
  int32_t status_ = 0;
  std::string ptx_;
};

} // namespace attnc
