//===- DeviceExecutor.h - code for a device, run on the host ----------------------------------------------------===//
//
//   DeviceExecutor device(ir);                            // LLVM IR as the NVPTX back end is given it, or its text
//   ASSERT_TRUE(device) << device.message();
//   std::string fault = device.run({"rows_0", blocks, 256, {x, y, n, shared, status}}, Order::Descending);
//
// A function is compiled for the host when it is first launched, with its NVVM intrinsics as calls of a model of the
// device, and run as it would be there: each thread of a block is a fibre that goes on until it has to wait for others,
// at a barrier or an exchange of a warp. Blocks run one after the other. What the model finds:
//
//   a missing barrier     wrong numbers: memory that a block shares holds NaN when the block begins, and threads take
//                         their turns in several orders, in which no one has yet written what another one reads
//   a missing wait        NaN: what a block copies into memory that it shares arrives when it is waited for
//                         (DeviceBlock.h), and products of warp groups come when nobody can go on without them
//                         (DeviceProducts.h)
//   a barrier or exchange that not all threads come to, or at which they come to different ones
//   a copy or a load of a matrix that is not in shared memory, or not aligned
//   a tensor map that is not whole, or was not released and acquired (DeviceTensorMap.h)
//   an access outside a tensor or a block's memory, or one that is less aligned than the code says, as a fault of the
//                         host
//
// It knows the intrinsics that emitters use, and refuses others by name. It does not model time, nor races between
// blocks.
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

/// The order in which the threads of a block take turns, and blocks are run. In descending order a warp goes on until
/// it waits for the block, before the next begins; otherwise all warps go on in step.
enum class Order { Ascending, Descending, Shuffled };

class DeviceExecutor {
public:
  explicit DeviceExecutor(const std::string &ir);
  DeviceExecutor(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> ir);
  ~DeviceExecutor();

  explicit operator bool() const { return message_.empty(); }
  const std::string &message() const { return message_; } ///< why nothing can be run

  struct Launch {
    std::string function;
    int64_t blocks, threads;
    std::vector<uint64_t> parameters; ///< pointers and 64-bit numbers
    int64_t blockBytes = 0;           ///< shared memory of a block, besides what the function has itself
    TensorCoreSums sums = TensorCoreSums::CutOff;
  };
  /// What was wrong with the run, or nothing.
  std::string run(const Launch &launch, Order order);

private:
  struct Loaded;
  void load(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> ir);
  std::unique_ptr<Loaded> loaded;
  std::string message_;
};

} // namespace attnc
