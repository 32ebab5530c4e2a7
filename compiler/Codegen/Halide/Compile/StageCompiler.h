//===- StageCompiler.h - compilation of stages on a background thread ---------------------------------------------===//
//
// Halide and its LLVM compile stages while the calling thread works on other kernels (decision 53). One thread compiles
// the stages in the order of their requests, because Halide numbers its names across compiles: the code depends only on
// this order.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "compiler/Diagnostics/LargeStack.h"
#include <condition_variable>
#include <deque>
#include <mutex>

namespace attnc::halide {

/// The arguments of compileStage().
struct StageRequest {
  Stage stage;
  Schedule schedule;
  Machine machine;
  unsigned arguments;
  std::string symbol;
};

/// Compiles each stage once: a kernel is compiled to predict its time and once more for its code, and several kernels
/// have equal stages. Some operations are opaque calls in Halide's code; importBitcode() inserts them for each kernel.
class StageCompiler {
public:
  StageCompiler() = default;
  StageCompiler(const StageCompiler &) = delete;
  StageCompiler &operator=(const StageCompiler &) = delete;
  ~StageCompiler(); ///< waits for all requests, so that the names of a later compile do not depend on the time

  /// Requests the code of a stage, unless it was requested before under any symbol, and returns at once.
  void request(StageRequest request);
  /// The code of a stage, after waiting for it; requests it if necessary. Bitcode::symbol is that of the first request.
  Bitcode codeOf(StageRequest request);

private:
  struct Entry {
    StageRequest request;
    Bitcode code;
  };
  void start();
  size_t numberOf(StageRequest request);
  void compileAll();
  void compileNext(std::unique_lock<std::mutex> &lock);
  void compileOnThisThread(std::unique_lock<std::mutex> &lock);

  std::mutex mutex;
  std::condition_variable changed; ///< a request was added or compiled, or isEnding was set
  std::deque<Entry> entries;       ///< in the order of their requests; references stay valid
  size_t compiled = 0;             ///< the number of compiled entries, which are the first ones
  bool isEnding = false;
  bool hasThread = false; ///< false before the first request, and if the system starts no thread
  LargeStackThread thread;
};

} // namespace attnc::halide
