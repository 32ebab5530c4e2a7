//===- CompiledKernel.h - a kernel compiled in-process for benchmarks ------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc::bench {

/// Owns the machine code of one kernel.
class CompiledKernel {
public:
  /// `mlir` is the text of one kernel. If it does not compile, ends the program with the reason. Without `emitter`, the
  /// `cpu` emitter compiles it.
  explicit CompiledKernel(const std::string &mlir, std::string_view target = "native");
  CompiledKernel(const std::string &mlir, std::string_view target, const Emitter &emitter);
  ~CompiledKernel();

  /// Returns a closure that runs all kernel phases on these buffers (operands, then results) and dynamic sizes, on the
  /// calling thread and `workers` - 1 others. The closure owns the scratch, the caller owns the buffers.
  std::function<void()> launcher(std::vector<void *> buffers, std::vector<int64_t> sizes, int64_t workers = 1) const;
  const KernelCode &code() const;
  double compileSeconds() const; ///< time from text to machine code
  size_t objectBytes() const;    ///< size of the object file

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace attnc::bench
