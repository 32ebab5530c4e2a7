//===- Plan.h - a place in one arena for every value of an entry point -----------------------------------------===//
//
// Input: an entry point after `fuse`, which calls kernels and holds loops (scf.for), parameters (model.get), free views
// (tensor.expand_shape, tensor.collapse_shape) and size arithmetic; and the code of its kernels, for their scratch.
//
// A value is a **storage** with a size, a polynomial over the entry's dimensions and the number of workers, and a live
// range: the steps at which its bytes are needed. Steps are numbered in program order; a value from outside a loop that
// the loop uses lives until the loop ends. Values share a storage where one is handed over to the next:
//
//   - a loop-carried value, its start, its next value and the loop's result, where the former is dead when the latter
//     is defined (otherwise a copy is made at the loop's beginning, or at the end of its body);
//   - a kernel's operand that dies there and the result that may be written over it (`attn.in_place`);
//   - a result of the entry point: its storage is the caller's buffer;
//   - a list and the list with another element (model.with_element), which is copied to its place, or computed there,
//     where a kernel of the same turn of a loop makes it and nothing else in the loop looks at the list;
//   - a parameter and what it is set to (model.set), where the kernel that computes it may write over what it reads.
//
// A state (model.state) is the caller's memory all along: what is appended to it, carried by loops and returned at the
// end has the place of the argument.
//
// Storages are then given to **slots**, the large ones first, in which they take turns (Slots.h).
//
//===------------------------------------------------------------------------------------------------------------===//
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

/// Where the bytes of a tensor are.
struct Place {
  enum class Kind {
    Input,     ///< the entry point's input `number`
    Result,    ///< the caller's buffer for result `number`
    Parameter, ///< what the model.get at the root of the value names
    Updated,   ///< the parameter that `updates[number]` sets
    Element,   ///< the place in its list that `elements[number]` writes
    Slot       ///< slot `number` of the arena
  };
  Kind kind = Kind::Slot;
  unsigned number = 0;
  bool operator==(const Place &other) const = default;
};

/// Moves a value (or, where it was set aside first, what lies at `source`) to `target`.
struct Copy {
  mlir::Value value;
  std::optional<Place> source;
  Place target;
  SizeExpr bytes;
};

/// The scratch of one launch: slots, where the kernel wants any.
struct LaunchScratch {
  std::optional<unsigned> shared, workers; ///< numbers of slots
  SizeExpr stride;                         ///< from one worker's scratch to the next
};

/// A member of a slot, for the dump and the tests.
struct SlotMember {
  Storage storage;
  unsigned slot;
};

struct EntryPlan {
  mlir::func::FuncOp entry;
  SizeAnalysis sizes;
  std::vector<std::string> symbols; ///< names of the dimensions, then "workers"
  std::vector<Slot> slots;
  std::vector<SlotMember> members;
  SizeExpr arenaBytes;              ///< the sum of the slots that are not within others
  llvm::DenseMap<mlir::Value, Place> places;                         ///< of roots: see root()
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Copy>> copies; ///< made before the operation
  llvm::MapVector<mlir::Operation *, LaunchScratch> launches;        ///< each func.call
  llvm::SmallVector<mlir::model::SetOp> updates;
  std::vector<mlir::Operation *> steps; ///< by number
  llvm::SmallVector<mlir::model::WithElementOp> elements; ///< those that are computed in their places

  Place place(mlir::Value tensor) const { return places.lookup(root(tensor)); }
  /// The value whose bytes a view shows: through reshapes, casts and elements of lists.
  static mlir::Value root(mlir::Value tensor);
  SizeExpr offset(unsigned slot) const;
};

/// Marks with `attn.in_place` the arguments of all kernels that a result may be written over, before the kernels are
/// emitted. `mayRunInPlace(kernel, argument, result)` is the emitter's word for it.
void allowInPlace(mlir::ModuleOp module,
                  llvm::function_ref<bool(mlir::func::FuncOp, unsigned, unsigned)> mayRunInPlace);

/// Sizes of dimensions by name, and of `workers`.
using NamedSizes = std::vector<std::pair<std::string, int64_t>>;

/// Plans one entry point. Fails, with a diagnostic, where a size is no function of the dimensions. The plan is right
/// for all dimensions, and best for those of `typical`; where that is silent, for their bounds.
mlir::FailureOr<EntryPlan> planEntry(mlir::func::FuncOp entry, const llvm::StringMap<KernelCode> &kernels,
                                     const NamedSizes &typical = {});

/// What runs in a step, to a person: "@train_gemm_2, nn.attn:12:5" for a kernel.
std::string stepName(mlir::Operation *op);

/// Writes a plan as lines of comments ("// ...").
void printPlan(const EntryPlan &plan, llvm::raw_ostream &out);

} // namespace attnc
