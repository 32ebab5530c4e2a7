//===- DeviceExecutor.h - executor of device code on the host -----------------------------------------------------===//
//
//   DeviceExecutor device(ir);                            // LLVM IR as the NVPTX back end receives it, or its text
//   ASSERT_TRUE(device) << device.message();
//   std::string fault = device.run({"rows_0", blocks, 256, {x, y, n, shared, status}}, Order::Descending);
//
// At its first launch, a function is compiled for the host, with its NVVM intrinsics replaced by calls of host
// functions (DeviceIntrinsics.h). The simulator executes the function as the device does (DeviceBlock.h): each thread
// of a block is a fibre that runs until it waits for others, at a barrier or in a warp-wide exchange. Blocks run one
// after the other. The executor detects
//
//   a missing barrier     as wrong numbers: shared memory contains NaN when a block begins, and threads run in several
//                         orders, in which a thread reads before another one has written
//   a missing wait        as NaN: a copy into shared memory completes when it is waited for (DeviceBlock.h), and
//                         products of warp groups complete when no thread can run without them
//                         (DeviceProducts.h)
//   a barrier or exchange at which not all of its threads arrive, or at which threads execute different operations
//   a copy or a matrix load whose address is not in shared memory, or not aligned
//   a tensor map that is incomplete, or was not released and acquired (DeviceTensorMap.h)
//   an access outside of a tensor or of shared memory, or with less alignment than declared, as a fault of the
//   host
//
// The executor supports the intrinsics that emitters use, and rejects code with others, which message() names. It
// models neither time nor races between blocks.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/support/TensorCoreSums.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace attnc {

/// The order in which the threads of a block and the blocks run. In descending order a warp runs until it waits for the
/// block before the next warp begins; in other orders all warps run in step.
enum class Order { Ascending, Descending, Shuffled };

class DeviceExecutor {
public:
  /// `ir` is the text of an LLVM IR module for NVPTX. If the code cannot run, message() has the reason.
  explicit DeviceExecutor(const std::string &ir);
  /// The same for a module in memory and its context, which the executor owns from then on.
  DeviceExecutor(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> ir);
  ~DeviceExecutor();

  explicit operator bool() const { return message_.empty(); }
  const std::string &message() const { return message_; } ///< reason why the code cannot run; empty if it can

  /// One launch of a kernel function.
  struct Launch {
    std::string function;                         ///< name in the module
    int64_t blocks, threads;                      ///< number of blocks; threads of a block
    std::vector<uint64_t> parameters;             ///< pointers to host memory, and 64-bit numbers
    int64_t blockBytes = 0;                       ///< dynamic shared memory of a block
    TensorCoreSums sums = TensorCoreSums::CutOff; ///< rounding of tensor-core sums
  };
  /// Runs a launch to its end. Returns a description of the first fault; empty if there is none. Requires that the
  /// code can run.
  std::string run(const Launch &launch, Order order);

private:
  struct Loaded;
  void load(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> ir);
  std::unique_ptr<Loaded> loaded;
  std::string message_;
};

} // namespace attnc
