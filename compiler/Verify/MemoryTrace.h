//===- MemoryTrace.h - symbolic execution of an entry point on its memory plan ------------------------------------===//
//
// A certificate gives the location of each value. The trace executes the entry point op by op, with a symbolic content,
// a number, in place of the bytes of each value. A kernel that writes a result stores the content of that value in the
// value's location. The write invalidates the previous content there, and the contents of all slots that overlap. Every
// read must find the content of its value:
//
//   step 4   @a writes %0 into slot 1          slot 1: %0
//   step 5   @b writes %1 into slot 2          slot 2: %1        (slot 2 overlaps slot 1, whose content is now invalid)
//   step 6   @c reads %0 from slot 1           fault: @b wrote over it
//
// The body of a loop is executed twice, so that writes of an iteration are visible to the next one. Each iteration has
// fresh contents, so that a carried value that was not updated is detected. The trace does not use live ranges. A read
// of a parameter that the call may have set before is a fault. Reads of other parameters, of inputs that are no states,
// and of tensor.empty are not checked.
//
// It trusts emitters in three respects: a kernel writes only to its results and its scratch, stays within its scratch,
// and may overwrite the operand that `attn.in_place` names.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Verify/Certificate.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <set>

namespace attnc::verify {

/// The steps of an entry point: its ops numbered from 0 in pre-order, a loop before its body. Also finds values by
/// their names in a certificate.
class Steps {
public:
  explicit Steps(mlir::func::FuncOp entry);
  const std::vector<mlir::Operation *> &ops() const { return numbered; } ///< by step
  /// The step of an op of the entry point.
  int64_t of(mlir::Operation *op) const { return numbers.lookup(op); }
  /// The op of a step, which must not be negative; null if there is none.
  mlir::Operation *at(int64_t step) const { return step < int64_t(numbered.size()) ? numbered[step] : nullptr; }
  /// The value with this name; null if there is none.
  mlir::Value value(const ValueName &name) const;
  /// Text for messages about an op: "@logits_gemm_0, gpt2.attn:12:5 (step 17)".
  std::string text(mlir::Operation *op) const;

private:
  mlir::func::FuncOp entry;
  std::vector<mlir::Operation *> numbered;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

/// The bytes that a tensor refers to through views: those of `root`, or, if isElement, those of one element of the
/// per-iteration list `root`.
struct TensorReference {
  mlir::Value root;
  bool isElement;
};
/// Follows reshapes, casts and model.element from `tensor` to their operand.
TensorReference referenceOf(mlir::Value tensor);

using Content = unsigned; ///< number of a symbolic content, from 1; 0: none

/// The updates of parameters, and of elements of lists of parameters, in the order of execution. Two elements of a list
/// may be the same unless their indices are different constants, or one value in different iterations of a loop.
class ParameterUpdates {
public:
  /// Begins the next iteration of the loop with the body `body`.
  void beginIteration(mlir::Block *body) { ++iterations[body]; }
  /// Records that `content` was written to the parameter of `set`.
  void add(mlir::model::SetOp set, Content content);
  /// True if the last update that may be of the parameter of `set` is the one by `set` with `content`.
  bool isLast(mlir::model::SetOp set, Content content) const;
  /// True if `set`, in the current iteration, may set the parameter that `get` reads.
  bool maySet(mlir::model::SetOp set, mlir::model::GetOp get) const;
  /// The ops of all recorded updates that may have set the parameter that `get` reads.
  std::vector<mlir::model::SetOp> setsOf(mlir::model::GetOp get) const;

private:
  struct Parameter {
    mlir::StringRef name;
    std::vector<std::pair<mlir::Value, unsigned>> indices; ///< with the iterations that they are of
  };
  struct Update {
    mlir::model::SetOp set;
    Parameter parameter;
    Content content;
  };
  template <typename Op> Parameter parameterOf(Op op) const;
  static bool mayBeSame(const Parameter &a, const Parameter &b);

  std::vector<Update> updates;
  llvm::DenseMap<mlir::Block *, unsigned> iterations;
};

/// The trace of one entry point.
class MemoryTrace {
public:
  using Overlap = llvm::function_ref<bool(int64_t, int64_t)>;
  /// `steps` and `certificate` are those of the entry point. `overlaps` returns whether two slots, given by number, may
  /// overlap. All arguments must outlive the trace.
  MemoryTrace(const Steps &steps, const EntryCertificate &certificate, Overlap overlaps);

  /// Executes `entry`, the entry point of `steps`. Returns a message for each read that does not find its value, each
  /// value without a location, each model.set whose value is not written to its parameter, and each op with a result,
  /// scratch or copy that overlaps memory that it must not; sorted, each once. May be called once.
  std::vector<std::string> run(mlir::func::FuncOp entry);

private:
  struct StoredContent {
    Content content = 0;
    mlir::Operation *writer = nullptr; ///< the op that wrote the content, or invalidated it
    std::optional<int64_t> open; ///< of a list: the step whose element is written while the list is not yet updated
    std::map<int64_t, Content> elements; ///< of a list: contents of elements by step
  };

  const Steps &steps;
  const EntryCertificate &certificate;
  Overlap overlaps;
  std::map<ValueLocation, StoredContent> memory;
  ParameterUpdates updates;
  llvm::DenseMap<mlir::Value, ValueLocation> locations; ///< locations of roots
  llvm::DenseMap<mlir::Value, Content> contents;
  std::map<std::pair<void *, Content>, Content> elementContents; ///< by element (a Value) and content of its list
  std::multimap<int64_t, const PlannedCopy *> copiesBefore;
  Content last = 0;
  std::set<std::string> faults;

  void fault(mlir::Operation *op, const llvm::Twine &text);
  Content contentOf(mlir::Value tensor);
  std::optional<ValueLocation> locationOf(mlir::Value root, mlir::Operation *op);
  std::optional<ValueLocation> readLocation(mlir::Value tensor, mlir::Operation *op);
  /// The location of the bytes: for an element, that of its list.
  ValueLocation memoryOf(ValueLocation location);
  bool overlap(ValueLocation a, ValueLocation b);

  void execute(mlir::Block &block);
  void execute(mlir::Operation &op);
  void makeCopies(mlir::Operation &op);
  void launch(mlir::func::CallOp call);
  void checkInPlace(mlir::func::CallOp call, mlir::OpResult result, ValueLocation location);
  std::vector<ValueLocation> scratchLocations(mlir::func::CallOp call);
  void beginIteration(mlir::scf::ForOp loop, mlir::ValueRange carried);
  void loop(mlir::scf::ForOp loop);
  void writeElement(mlir::model::WithElementOp list);
  void append(mlir::model::AppendOp append);
  void changeInPlace(mlir::Value before, mlir::Value after, ValueLocation location, mlir::Operation *op);
  void finish(mlir::Operation &terminator);

  void read(mlir::Value tensor, mlir::Operation *op);
  void expect(ValueLocation location, mlir::Value tensor, mlir::Operation *op, const llvm::Twine &how);
  void write(ValueLocation location, Content content, mlir::Operation *op);
  /// Invalidates the content of a location and of all overlapping ones, except `preserved`.
  void clobber(ValueLocation location, mlir::Operation *op, std::optional<ValueLocation> preserved = std::nullopt);
};

} // namespace attnc::verify
