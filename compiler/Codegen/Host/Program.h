//===- Program.h - what a compiled model consists of ------------------------------------------------------------===//
//
// Everything that host code, the model's table, the header and the json speak of, gathered once: the parameters' places
// in the parameter table, the plan of each entry point, the code of each kernel.
//
// The parameter table (attn_frame::parameters) holds the parameters as a file gives them, in the order of their
// declarations, a list as consecutive places with its last index fastest; then what kernels want in another form,
// in panels or in fewer bits:
//
//   | token.table | blocks.0.norm1.gain | blocks.1.norm1.gain | ... | packed blocks.0.qkv | packed blocks.1.qkv | ...
//   0             1                     2                           loaded                                         end
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Moves/MoveKernels.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Memory/Plan.h"
#include "dialects/Model/Model.h"
#include <string>
#include <vector>

namespace attnc {

/// A parameter or a list of them: places first .. first + count - 1.
struct LoadedParameter {
  mlir::model::ParameterOp op;
  int64_t first, count;
  bool isRead = false; ///< as it is loaded, by an entry point; others at most read packed forms
};

/// The packed form of a parameter, as the argument attribute `attn.packed` of a kernel describes it, and its type; or
/// a copy of the parameter in fewer bits.
struct PackedParameter {
  unsigned parameter;        ///< its number among the loaded ones
  mlir::func::FuncOp reader; ///< the first kernel that reads it
  /// Of the kernel's argument: what is packed, perhaps a reshape of the parameter. Of a copy, the parameter's shape.
  mlir::RankedTensorType type;
  mlir::DictionaryAttr packing; ///< null for a copy, which lies as the parameter does
  int64_t first, count;
  int64_t bytes = 0; ///< of one; what follows is filled in when the packing code is generated
  KernelCode code;
};

class ParameterTable {
public:
  /// Reads the parameters of a fused module and the packed forms that its kernels ask for. Fails, with a diagnostic,
  /// where something else than a parameter is to arrive packed.
  static mlir::FailureOr<ParameterTable> of(mlir::ModuleOp module);

  std::vector<LoadedParameter> loaded;
  std::vector<PackedParameter> packed;
  int64_t loadedCount = 0, packedCount = 0;

  /// The first place of what operand `operand` of `call` reads: a parameter's, or a packed form's.
  int64_t firstPlace(mlir::func::CallOp call, unsigned operand) const;
  int64_t firstPlace(llvm::StringRef parameter) const;

private:
  llvm::StringMap<unsigned> numbers;
  struct Form; ///< what an operand of a call reads
  std::optional<Form> formOf(mlir::func::CallOp call, unsigned operand) const;
  bool isReadAsLoaded(mlir::Value value) const;
  const PackedParameter *findPacked(const Form &form) const;
};

/// A launch of a kernel in an entry point, with what it costs there.
struct KernelLaunch {
  std::string entry;
  std::vector<std::string> symbols; ///< what the sizes below are functions of
  mlir::func::FuncOp kernel;
  mlir::Operation *call = nullptr; ///< in the entry point
  SizeExpr times = 1;              ///< iterations of the loops around it, where they are known
  SizeExpr flops, bytesRead, bytesWritten;
  SizeExpr largestIntermediate; ///< bytes: scratch of the launch
  /// Is any of it, or of the results that it leaves in the arena, of the order of all pairs of queries and keys?
  bool holdsAllPairs = false;
};

/// What an entry point holds in its arena: the scratch of launches, and tensors between them.
struct EntryCertificate {
  struct Held {
    std::string kernel; ///< that it is scratch or a result of
    SizeExpr bytes;
  };
  SizeExpr flops;               ///< of all launches of a call
  SizeExpr largestIntermediate; ///< bytes
  std::vector<Held> allPairs;   ///< what is of the order of all pairs of queries and keys
};

struct CompiledKernel {
  mlir::func::FuncOp function;
  std::string emitter;
  KernelCode code;
  std::vector<KernelLaunch> launches;
  std::vector<std::pair<std::string, std::string>> refusals = {}; ///< emitters that were asked before, with reasons
};

/// The kernels of a program as devices of one architecture have them.
struct DeviceImage {
  std::string architecture; ///< as LLVM calls it: "sm_80"
  std::string ptx;
};

struct Program {
  std::string prefix;              ///< of all symbols: the model's name unless the user said otherwise
  std::string targetName;          ///< as LLVM calls the processor, or the device
  uint64_t features = 0;           ///< of the processor that the code needs: bits of attn/processor.h
  std::vector<DeviceImage> images; ///< none where processors run the kernels
  ParameterTable parameters;
  std::vector<CompiledKernel> kernels;
  std::vector<MovePhase> moves; ///< on a device: what lies between kernels
  std::vector<EntryPlan> entries;
  std::vector<EntryCertificate> certificates; ///< of each of `entries`

  /// Of kernels, and of what lies between them.
  std::vector<const KernelPhase *> phases() const;

  std::string runSymbol(const EntryPlan &entry) const;
  std::string arenaSymbol(const EntryPlan &entry) const;
  std::string flopsSymbol(const EntryPlan &entry) const;
  std::string prepareSymbol() const { return prefix + "_prepare"; }
  std::string prepareArenaSymbol() const { return prefix + "_prepare_arena_bytes"; }
  std::string tableSymbol() const { return prefix + "_model"; }
  /// Bytes of scratch that `prepare` wants; symbol 0 is the number of workers.
  SizeExpr prepareArenaBytes() const;
};

/// Works out what each launch of each kernel costs, and what each entry point holds, in terms of its dimensions.
void certify(Program &program);

} // namespace attnc
