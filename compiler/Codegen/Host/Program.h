//===- Program.h - compiled model: parameter table, plans and kernel code -----------------------------------------===//
//
// The data that host code, the model table, the header and the JSON description are generated from: positions of
// parameters in the parameter table, the plan of each entry point, the code of each kernel.
//
// The parameter table (attn_frame::parameters) has the parameters as loaded from a file, in declaration order; the
// elements of a list are consecutive, with the last index fastest. Packed and narrow copies for kernels follow:
//
//   | token.table | blocks.0.norm1.gain | blocks.1.norm1.gain | ... | packed blocks.0.qkv | packed blocks.1.qkv | ...
//   0             1                     2                           loaded                                         end
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Memory/Plan.h"
#include "dialects/Model/Model.h"
#include <string>
#include <vector>

namespace attnc {

/// A parameter or a list of parameters, at positions first .. first + count - 1 of the table.
struct LoadedParameter {
  mlir::model::ParameterOp op;
  int64_t first, count;
  bool isRead = false; ///< an entry point reads it as loaded, or sets it
};

/// A packed copy of a parameter, with its type and the argument attribute `attn.packed` of its kernel; or a narrow copy
/// of the parameter.
struct PackedParameter {
  unsigned parameter;        ///< number in ParameterTable::loaded
  mlir::func::FuncOp reader; ///< the first kernel that reads it
  /// Type of the kernel's argument, possibly a reshape of the parameter; for a narrow copy, the parameter's shape.
  mlir::RankedTensorType type;
  mlir::DictionaryAttr packing; ///< null for a narrow copy, which has the parameter's layout
  int64_t first, count;         ///< positions in the table, one for each element of the list
  int64_t bytes = 0;            ///< of one of these copies; this and `code` are set when the packing code is generated
  KernelCode code;
};

class ParameterTable {
public:
  /// Collects the parameters of a fused module and the packed copies that its kernels read. Fails, with a diagnostic,
  /// if a packed operand is neither a parameter nor the result of a `pack` kernel.
  static mlir::FailureOr<ParameterTable> of(mlir::ModuleOp module);

  std::vector<LoadedParameter> loaded;
  std::vector<PackedParameter> packed;
  int64_t loadedCount = 0, packedCount = 0; ///< positions of the two parts of the table

  /// The first position in the table of operand `operand` of `call`, which is a parameter, perhaps reshaped: that of
  /// the parameter as loaded, or of its packed or narrow copy if the kernel reads one.
  int64_t firstPosition(mlir::func::CallOp call, unsigned operand) const;
  /// The first position of a parameter, by symbol, as loaded.
  int64_t firstPosition(llvm::StringRef parameter) const;

private:
  llvm::StringMap<unsigned> numbers;
  struct Form; ///< identifies the copy of a parameter that a call reads
  std::optional<Form> formOf(mlir::func::CallOp call, unsigned operand) const;
  bool isReadAsLoaded(mlir::Value value) const;
  const PackedParameter *findPacked(const Form &form) const;
};

/// A launch of a kernel in an entry point, with its cost. Sizes are over the dimensions of the entry point and
/// `workers`.
struct KernelLaunch {
  std::string entry;
  std::vector<std::string> symbols; ///< names of the symbols of the sizes: dimensions, then "workers"
  mlir::func::FuncOp kernel;
  mlir::Operation *call = nullptr; ///< in the entry point
  SizeExpr times = 1; ///< product of the iterations of the loops around it, without loops of unknown iterations
  SizeExpr flops, bytesRead, bytesWritten; ///< of one launch (KernelCost)
  SizeExpr largestIntermediate;            ///< bytes: the larger of shared scratch, and scratch of all workers
  /// True if the scratch, or a result in the arena, is of the order of all query–key pairs.
  bool holdsAllPairs = false;
};

/// Memory certificate of an entry point's arena: scratch of launches, and tensors between launches.
struct EntryCertificate {
  struct AllPairsStorage {
    std::string kernel; ///< kernel of the scratch or result
    SizeExpr bytes;
  };
  SizeExpr flops;               ///< over all launches of a call
  SizeExpr largestIntermediate; ///< bytes of the largest scratch of a launch, or result of a kernel in the arena
  std::vector<AllPairsStorage> allPairs; ///< storage of the order of all query–key pairs
};

/// A kernel and its code, by the emitter with this name.
struct CompiledKernel {
  mlir::func::FuncOp function;
  std::string emitter;
  KernelCode code;
  std::vector<KernelLaunch> launches;                             ///< of all entry points; added by certify()
  std::vector<std::pair<std::string, std::string>> refusals = {}; ///< emitters that refused the kernel, with reasons
};

/// The device image of a program for one architecture.
struct DeviceImage {
  std::string architecture; ///< LLVM's name: "sm_80"
  std::string ptx;
};

struct Program {
  std::string prefix;              ///< prefix of all symbols: the model's name by default
  std::string targetName;          ///< LLVM's name of the processor or device
  uint64_t features = 0;           ///< required processor features: bits of attn/processor.h
  std::vector<DeviceImage> images; ///< empty if processors run the kernels
  ParameterTable parameters;
  std::vector<CompiledKernel> kernels;
  std::vector<MovePhase> moves; ///< on a device: kernels for moves
  std::vector<EntryPlan> entries;
  std::vector<EntryCertificate> certificates; ///< one for each of `entries`

  /// All phases of kernels and of moves.
  std::vector<const KernelPhase *> phases() const;

  std::string runSymbol(const EntryPlan &entry) const;
  std::string arenaSymbol(const EntryPlan &entry) const;
  std::string slotsSymbol(const EntryPlan &entry) const;
  std::string flopsSymbol(const EntryPlan &entry) const;
  std::string prepareSymbol() const { return prefix + "_prepare"; }
  std::string prepareArenaSymbol() const { return prefix + "_prepare_arena_bytes"; }
  std::string tableSymbol() const { return prefix + "_model"; }
  /// Bytes of scratch of `prepare`; symbol 0 is the number of workers.
  SizeExpr prepareArenaBytes() const;
};

/// Adds the cost of each launch to its kernel, and the memory certificate of each entry point to `certificates`.
void certify(Program &program);

} // namespace attnc
