//===- CompiledKernel.h - one kernel, compiled in this process, to be timed ------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Emitter.h"
#include <functional>
#include <string>
#include <vector>

namespace attnc::bench {

class CompiledKernel {
public:
  /// `mlir` is one kernel as text. Ends the program with the reason where it does not compile.
  explicit CompiledKernel(const std::string &mlir, std::string_view target = "native");
  CompiledKernel(const std::string &mlir, std::string_view target, const Emitter &emitter);
  ~CompiledKernel();

  /// Runs all phases over these buffers (operands, then results) and dynamic sizes, on the calling thread and
  /// `workers` - 1 others. The closure holds the scratch; buffers stay the caller's.
  std::function<void()> launcher(std::vector<void *> buffers, std::vector<int64_t> sizes, int64_t workers = 1) const;
  const KernelCode &code() const;
  double compileSeconds() const; ///< from text to machine code
  size_t objectBytes() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace attnc::bench
