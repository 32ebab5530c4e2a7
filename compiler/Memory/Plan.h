//===- Plan.h - memory planning: a location in one arena for every value of an entry point ------------------------===//
//
// Input: an entry point after `generate`, which calls kernels and contains loops (scf.for), parameters (model.get),
// free views (tensor.expand_shape, tensor.collapse_shape) and size arithmetic; and the code of its kernels, which
// states the scratch that they need.
//
// A value has a **storage** with a size, an expression over the entry point's dimensions and the number of workers, and
// a live range: the ops between which its bytes are needed, numbered in program order. A value from outside of a loop
// that the loop uses is live until the loop ends. Two values share a storage if one hands its bytes over to the other:
//
//   - the initial value of a loop-carried value, the carried value, its next value and the loop's result, if each is
//     dead when the next one is defined (otherwise a copy is made before the loop, or at the end of its body);
//   - an operand of a kernel that dies there, and the result that may overwrite it (`attn.in_place`);
//   - a per-iteration list before and after model.with_element. The element is copied to its index; or computed there,
//     if a kernel of the same iteration computes it, only kernels and this list use it, and nothing else in the loop
//     reads the list;
//   - a parameter and its new value (model.set), if the kernel that computes the value may overwrite its operand.
//
// The storage of a result of the entry point is the caller's buffer; a value that has another location, such as an
// input, is copied there. A state (model.state) is the caller's memory throughout: the results of model.append, the
// values that loops carry and the value returned at the end have the location of the argument.
//
// Storages are then assigned to **slots**, the large ones first, which storages with disjoint live ranges reuse
// (Slots.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Memory/Slots.h"
#include "compiler/Sizes/SizeAnalysis.h"
#include "dialects/Model/Model.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Arena, slots and scratch are aligned to this many bytes.
inline constexpr int64_t arenaAlignment = abi::alignment;

/// Location of a tensor's bytes.
struct ValueLocation {
  enum class Kind {
    Input,     ///< argument `number` of the entry point: an input or a state
    Result,    ///< the caller's buffer for result `number`
    Parameter, ///< the parameter of the model.get at the value's root
    Updated,   ///< the parameter that EntryPlan::updates[number] sets
    Element,   ///< the element of a list that EntryPlan::elements[number] writes
    Slot       ///< slot `number` of the arena
  };
  Kind kind = Kind::Slot;
  unsigned number = 0;
  bool operator==(const ValueLocation &other) const = default;
};

/// A copy of all bytes of `value` to `target`.
struct Copy {
  mlir::Value value;
  std::optional<ValueLocation> source; ///< where an earlier copy has put the value; null: the value's location
  ValueLocation target;
  SizeExpr bytes;
};

/// Scratch of one launch: the slot of the scratch that workers share, and the slot of all workers' own scratch; null if
/// the kernel needs none.
struct LaunchScratch {
  std::optional<unsigned> shared, workers; ///< numbers of slots
  SizeExpr stride;                         ///< bytes from the scratch of one worker to that of the next
};

/// A storage and its slot, for the dump, the peak (Peak.h) and tests.
struct SlotMember {
  Storage storage;
  unsigned slot;
};

/// The memory plan of one entry point, valid while its ops exist unchanged. Sizes are over `symbols`.
struct EntryPlan {
  mlir::func::FuncOp entry;
  SizeAnalysis sizes;
  std::vector<std::string> symbols; ///< names of the dimensions, then "workers"
  std::vector<Slot> slots;
  std::vector<SlotMember> members;
  SizeExpr arenaBytes;                                               ///< sum of the outermost slots
  llvm::DenseMap<mlir::Value, ValueLocation> locations;              ///< of each tensor that is a root: see root()
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<Copy>> copies; ///< executed before the operation, in order
  llvm::MapVector<mlir::Operation *, LaunchScratch> launches;        ///< each func.call
  llvm::SmallVector<mlir::model::SetOp> updates;                     ///< see ValueLocation::Updated
  std::vector<mlir::Operation *> steps;                              ///< all ops of `entry` by number, in program order
  llvm::SmallVector<mlir::model::WithElementOp> elements; ///< elements that are computed in place in their lists

  /// The location of the root of `tensor`, a tensor of the entry point. An element of a list is a part of it.
  ValueLocation location(mlir::Value tensor) const { return locations.lookup(root(tensor)); }
  /// The tensor whose bytes `tensor` is a view of: follows reshapes, casts and model.element to their operand.
  static mlir::Value root(mlir::Value tensor);
  /// Bytes from the start of the arena to the slot.
  SizeExpr offset(unsigned slot) const;
};

/// Marks arguments of kernels that a result may overwrite with `attn.in_place`, the number of the result. Runs before
/// the kernels are emitted. `mayRunInPlace(kernel, argument, result)` returns whether the emitter permits it.
void allowInPlace(mlir::ModuleOp module,
                  llvm::function_ref<bool(mlir::func::FuncOp, unsigned, unsigned)> mayRunInPlace);

/// Sizes of dimensions by name, and of `workers`.
using NamedSizes = std::vector<std::pair<std::string, int64_t>>;

/// Plans one entry point; `kernels` has the code of each kernel by name. The plan is correct for all dimensions, and
/// optimised for the sizes of `typical`; a dimension that is not in it counts with its bound, or as 256 without one,
/// and `workers` as 4. Fails, with a diagnostic, on code that the earlier phases do not generate, among others if a
/// size is no function of the dimensions, if an op computes a tensor outside of kernels, if the states are not the last
/// results in their order, or if the previous value of a list, a state or a parameter is read after its update.
mlir::FailureOr<EntryPlan> planEntry(mlir::func::FuncOp entry, const llvm::StringMap<KernelCode> &kernels,
                                     const NamedSizes &typical = {});

/// Text for an op of EntryPlan::steps: "@train_gemm_2, nn.attn:12:5" for the call of a kernel, otherwise the op's name.
std::string stepName(mlir::Operation *op);

/// Writes a plan as lines of comments ("// ...").
void printPlan(const EntryPlan &plan, llvm::raw_ostream &out);

} // namespace attnc
