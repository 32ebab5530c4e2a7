//===- Program.h - compiled model: parameter table, plans and kernel code -----------------------------------------===//
//
// A program is the plain data of a compiled model. Host code, the model table, the C header and the JSON description
// are generated from it. It contains the positions of parameters in the parameter table, the memory plan of each entry
// point, and the code of each kernel.
//
// The parameter table (attn_frame::parameters) is an array of pointers, one for each position. It starts with the
// parameters as loaded from a file, in declaration order; the elements of a list are consecutive, with the last index
// fastest. Copies for kernels follow: packed copies, in the order in which a kernel reads a matrix, and narrow copies,
// whose elements are rounded to 16 bits:
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
  bool isRead = false; ///< an entry point reads it as loaded, or updates it (`model.set`)
};

/// A packed or narrow copy of a parameter (or of each parameter of a list), which `prepare` computes.
struct PackedParameter {
  unsigned parameter;        ///< number in ParameterTable::loaded
  mlir::func::FuncOp reader; ///< the first kernel that reads it
  /// Type of the kernel's argument, possibly a reshape of the parameter; for a narrow copy, the parameter's shape.
  mlir::RankedTensorType type;
  mlir::DictionaryAttr packing; ///< `attn.packed` of the argument; null for a narrow copy, in the parameter's layout
  int64_t first, count;         ///< positions first .. first + count - 1 of the table, one for each element of the list
  int64_t bytes = 0;            ///< bytes of the copy of one element; set, like `code`, by the phase generate
  KernelCode code;              ///< the code that `prepare` launches, for the host: buffers are the parameter, the copy

  /// Text that differs from those of all other forms: attn_packed_info::layout.
  std::string layout() const;
};

/// The layout of the parameter table.
class ParameterTable {
public:
  /// Collects the parameters of a module after the phase narrow, and the copies that its kernels read. Fails, with a
  /// diagnostic, if a packed operand is neither a parameter nor the result of a `pack` kernel.
  static mlir::FailureOr<ParameterTable> of(mlir::ModuleOp module);

  std::vector<LoadedParameter> loaded;      ///< in declaration order
  std::vector<PackedParameter> packed;      ///< without duplicates
  int64_t loadedCount = 0, packedCount = 0; ///< numbers of positions of the two parts of the table

  /// The first position in the table for operand number `operand` of `call`, a kernel launch. If the kernel reads the
  /// parameter as loaded, the position is that of the parameter, otherwise that of the packed or narrow copy. Requires
  /// that the operand is a parameter or an element of a list of parameters, perhaps reshaped.
  int64_t firstPosition(mlir::func::CallOp call, unsigned operand) const;
  /// The first position of the parameter with this symbol, as loaded. The parameter exists.
  int64_t firstPosition(llvm::StringRef parameter) const;

private:
  llvm::StringMap<unsigned> numbers;
  struct Form; ///< identifies the copy of a parameter that a call reads
  std::optional<Form> formOf(mlir::func::CallOp call, unsigned operand) const;
  bool isReadAsLoaded(mlir::Value value) const;
  const PackedParameter *findPacked(const Form &form) const;
};

/// A launch of a kernel in an entry point, with its cost. The sizes are functions of the dimensions of the entry point
/// and of the number of workers; a size that is no function of them is 0.
struct KernelLaunch {
  std::string entry;                ///< name of the entry point
  std::vector<std::string> symbols; ///< names of the symbols of the sizes: dimensions, then "workers"
  mlir::func::FuncOp kernel;
  mlir::Operation *call = nullptr; ///< the func.call in the entry point
  SizeExpr times = 1; ///< launches in one call of the entry point: the product of the iterations of the loops around
                      ///< the launch; a loop whose number of iterations is unknown counts as one, and a loop that
                      ///< may end early as all its iterations
  SizeExpr flops, bytesRead, bytesWritten; ///< of one launch (KernelCost)
  SizeExpr largestIntermediate;            ///< bytes: the larger of shared scratch, and scratch of all workers
  /// True if the scratch, or a result in the arena (EntryCertificate), grows with the product of the numbers of queries
  /// and keys.
  bool holdsAllPairs = false;
};

/// Certificate of an entry point: promises that `attnc verify` checks. The memory is that of its arena: scratch of
/// launches, and results of kernels. A result that a kernel writes to an element of a list counts as one in the arena,
/// even if the list is the caller's. The sizes are functions of the dimensions and the number of workers.
struct EntryCertificate {
  /// A scratch, or a result in the arena, that grows with the product of the numbers of queries and keys.
  struct AllPairsStorage {
    std::string kernel; ///< name of the kernel with this scratch or result
    SizeExpr bytes;
  };
  SizeExpr flops;                        ///< of all launches in one call of the entry point
  SizeExpr largestIntermediate;          ///< bytes of the largest scratch of a launch, or result in the arena
  std::vector<AllPairsStorage> allPairs; ///< every such scratch or result of a launch
};

/// A kernel and its code.
struct CompiledKernel {
  mlir::func::FuncOp function;
  std::string emitter; ///< name of the emitter that generated the code
  KernelCode code;
  std::vector<KernelLaunch> launches;                             ///< of all entry points; added by certify()
  std::vector<std::pair<std::string, std::string>> refusals = {}; ///< names of emitters that do not support the
                                                                  ///< kernel, or failed, each with its reason
};

/// The device image of a program for one architecture.
struct DeviceImage {
  std::string architecture; ///< LLVM's name: "sm_80"
  std::string ptx;          ///< text of all kernel phases and moves that the architecture runs
};

/// A compiled model. The phases of the compile fill the fields one after the other: generate fills `parameters` and
/// `kernels`, plan fills `entries` and `certificates`, host fills `moves`, optimise fills `images`. Ops that a program
/// refers to belong to the module of the compile.
struct Program {
  std::string prefix;              ///< prefix of all symbols: the model's name by default
  std::string targetName;          ///< LLVM's name of the processor or of the oldest device
  uint64_t features = 0;           ///< required processor features of the host: bits of attn/processor.h
  std::vector<DeviceImage> images; ///< oldest architecture first; empty if processors run the kernels
  ParameterTable parameters;
  std::vector<CompiledKernel> kernels;
  std::vector<MovePhase> moves;               ///< on a device: kernels for copies and appends (Host/Moves.h)
  std::vector<EntryPlan> entries;             ///< one memory plan for each entry point
  std::vector<EntryCertificate> certificates; ///< one for each of `entries`, in the same order

  /// All phases of `kernels`, then those of `moves`; without the code of packed copies. Valid until a change of them.
  std::vector<const KernelPhase *> phases() const;

  // Symbols of the object: functions of an entry point (HostCode.h, ArenaSlots.h) and of the model.
  std::string runSymbol(const EntryPlan &entry) const;
  std::string arenaSymbol(const EntryPlan &entry) const;
  std::string slotsSymbol(const EntryPlan &entry) const;
  std::string flopsSymbol(const EntryPlan &entry) const;
  std::string prepareSymbol() const { return prefix + "_prepare"; }
  std::string prepareArenaSymbol() const { return prefix + "_prepare_arena_bytes"; }
  std::string tableSymbol() const { return prefix + "_model"; }
  /// Bytes of the arena of `prepare`, which contains scratch only. Symbol 0 is the number of workers. 0 without packed
  /// or narrow copies.
  SizeExpr prepareArenaBytes() const;
};

/// Appends each launch, with its cost, to CompiledKernel::launches of its kernel, and the certificate of each entry
/// point to `certificates`. Requires `kernels` and `entries`; called once, before emitHostCode.
void certify(Program &program);

} // namespace attnc
