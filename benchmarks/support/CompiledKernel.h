//===- CompiledKernel.h - a kernel compiled in-process for benchmarks ---------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc::bench {

/// Compiles one kernel for a processor, and owns its machine code.
class CompiledKernel {
public:
  /// `mlir` is the text of a module with one kernel function (attn.kernel). Compiles the kernel for `target`
  /// (Target::resolve) by `emitter` or, without it, by the `cpu` emitter. If the kernel does not compile, ends the
  /// program with the reason. If ATTN_BENCH_OBJECT of the environment is a path, writes the object to this file.
  explicit CompiledKernel(const std::string &mlir, std::string_view target = "native");
  CompiledKernel(const std::string &mlir, std::string_view target, const Emitter &emitter);
  ~CompiledKernel();

  /// Returns a closure that runs all kernel phases of one launch, on the calling thread and up to `workers` - 1 others.
  /// `buffers` are the tensors, operands then results; the caller owns them. `sizes` are the dynamic sizes of these
  /// tensors in order (attn_kernel_args of attn/abi.h). The closure owns the scratch, and is valid while this object
  /// is.
  std::function<void()> launcher(std::vector<void *> buffers, std::vector<int64_t> sizes, int64_t workers = 1) const;
  const KernelCode &code() const; ///< description of the code: phases and sizes of scratch
  double compileSeconds() const;  ///< processor time from text to object code
  size_t objectBytes() const;     ///< size of the object file

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace attnc::bench
