//===- KernelRunner.h - one kernel, emitted, compiled and run in this process ---------------------------------===//
//
//   KernelRunner runner(R"(func.func private @k(%x: tensor<?xf32>) -> tensor<?xf32>
//                            attributes {attn.kernel = "loops"} { ... })", *createCpuEmitter());
//   ASSERT_TRUE(runner) << runner.message();
//   HostArray x = HostArray::random({100}, 1);
//   std::vector<HostArray> y = runner.run({x}, {{100}});          // inputs, shapes of the results
//
// Buffers lie in guarded memory (GuardedBuffer.h), aligned to their elements; results and scratch hold NaN before the
// run, so that reading or writing out of bounds and reading what was never written are found. With
// ATTN_DUMP_KERNEL in the environment the generated MLIR is printed. Kernels of a device run in a DeviceExecutor.
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

/// A dense row-major array on the host; i1 in bytes.
struct HostArray {
  std::vector<int64_t> shape;
  ElementKind kind = ElementKind::F32;
  std::vector<char> bytes;

  HostArray(std::vector<int64_t> shape, ElementKind kind = ElementKind::F32);
  static HostArray of(std::vector<int64_t> shape, const std::vector<float> &values);
  static HostArray of(std::vector<int64_t> shape, const std::vector<int32_t> &values);
  /// Uniform in [low, high), the same for the same seed everywhere.
  static HostArray random(std::vector<int64_t> shape, uint64_t seed, float low = -1, float high = 1);

  /// Numbers of f32 rounded to nearest even, and widened again.
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
  std::vector<int64_t> indexOperands = {};
  int workers = 1;          ///< threads, each with scratch of its own
  bool reversed = false;    ///< chunks in descending order, and threads of a device's blocks too
  Placement placement = Placement::AgainstEnd; ///< of operands, results and scratch
  int inPlaceOperand = -1;  ///< operand that shares its buffer with result 0
  int repeats = 1;          ///< launches, for those who time them
  TensorCoreSums sums = TensorCoreSums::CutOff;
};

/// The emitter that makes code for `target`: of processors, or of devices.
std::unique_ptr<Emitter> emitterFor(std::string_view target);

class KernelRunner {
public:
  /// `mlir` is a func.func, or a module with one. Of "cuda" the first image runs: forms of sm_90a want "cuda:sm_90a".
  /// What only runs, as mutants do, needs no PTX, which takes a quarter of a compile.
  KernelRunner(const std::string &mlir, const Emitter &emitter, std::string_view target = "native",
               bool emitsPtx = true);
  ~KernelRunner();

  explicit operator bool() const { return message_.empty(); }
  const std::string &message() const { return message_; } ///< why there is nothing to run: diagnostics
  const KernelCode &code() const { return code_; }
  bool isOnDevice() const;
  int64_t objectBytes() const { return objectBytes_; }
  int32_t status() const { return status_; } ///< of the last run
  const std::string &ptx() const { return ptx_; }

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
