//===- MemoryTrace.h - symbolic execution of an entry point on its memory plan ------------------------------------===//
//
// A certificate gives the location of each value. The trace executes the entry point op by op on symbolic contents of
// these locations. A kernel that writes a result stores that value's content in its location, and invalidates the
// previous content and that of every overlapping range of the arena. Every read must find the content of its value:
//
//   step 4   @a writes %0 into slot 1          slot 1: %0
//   step 5   @b writes %1 into slot 2          slot 2: %1        (slot 2 overlaps slot 1, whose content is now invalid)
//   step 6   @c reads %0 from slot 1           fault: @b wrote over it
//
// The body of a loop is executed twice, so that writes of an iteration are visible to the next one. Each iteration has
// fresh contents, so that a carried value that was not updated is detected. The trace does not use live ranges.
//
// It trusts emitters in one respect: a result may overwrite the operand that `attn.in_place` names.
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

/// Numbers of the ops of an entry point, and values by their names in a certificate.
class Steps {
public:
  explicit Steps(mlir::func::FuncOp entry);
  const std::vector<mlir::Operation *> &ops() const { return numbered; }
  int64_t of(mlir::Operation *op) const { return numbers.lookup(op); }
  /// Null if there is no value of that name.
  mlir::Value value(const ValueName &name) const;
  /// "@logits_gemm_0, gpt2.attn:12:5 (step 17)".
  std::string text(mlir::Operation *op) const;

private:
  mlir::func::FuncOp entry;
  std::vector<mlir::Operation *> numbered;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

/// The memory that a tensor refers to: all of `root`, or an element of that list.
struct Shown {
  mlir::Value root;
  bool isElement;
};
Shown shownBy(mlir::Value tensor);

class MemoryTrace {
public:
  using Overlap = llvm::function_ref<bool(int64_t, int64_t)>;
  /// `overlaps` tests two slots.
  MemoryTrace(const Steps &steps, const EntryCertificate &certificate, Overlap overlaps);

  /// Faults, at most a few; empty if every read found its value.
  std::vector<std::string> run(mlir::func::FuncOp entry);

private:
  using Content = unsigned; ///< 0 for no content
  struct Held {
    Content content = 0;
    mlir::Operation *writer = nullptr; ///< the op that wrote the content, or invalidated it
    std::optional<int64_t> open; ///< of a list: the step whose element is written while the list is not yet updated
    std::map<int64_t, Content> elements; ///< of a list: contents of elements by step
  };
  /// A parameter, or an element of a list of parameters, with its new content.
  struct Update {
    int64_t step;
    mlir::model::SetOp set;
    std::vector<std::pair<mlir::Value, unsigned>> indices; ///< with the iterations that they are of
    Content content;
  };

  const Steps &steps;
  const EntryCertificate &certificate;
  Overlap overlaps;
  std::map<Place, Held> memory;
  std::vector<Update> updates;
  llvm::DenseMap<mlir::Value, Place> places; ///< locations of roots
  llvm::DenseMap<mlir::Value, Content> contents;
  std::map<std::pair<void *, Content>, Content> elementContents;
  llvm::DenseMap<mlir::Block *, unsigned> turns;
  std::multimap<int64_t, const PlannedCopy *> copiesBefore;
  Content last = 0;
  std::set<std::string> faults;

  void fault(mlir::Operation *op, const llvm::Twine &text);
  Content contentOf(mlir::Value tensor);
  std::optional<Place> placeOf(mlir::Value root, mlir::Operation *op);
  std::optional<Place> placeOfRead(mlir::Value tensor, mlir::Operation *op);
  mlir::model::SetOp setOf(Place place);
  /// The location of the bytes: for an element, that of its list.
  Place memoryOf(Place place);
  bool meet(Place a, Place b);
  std::vector<std::pair<mlir::Value, unsigned>> turned(mlir::OperandRange indices);
  bool mayBeSame(const Update &update, mlir::StringRef parameter, mlir::OperandRange indices);

  bool isUpdated(Place place, Content content);

  void execute(mlir::Block &block);
  void execute(mlir::Operation &op);
  void makeCopies(mlir::Operation &op);
  void launch(mlir::func::CallOp call);
  void checkInPlace(mlir::func::CallOp call, mlir::OpResult result, Place place);
  std::vector<Place> scratchOf(mlir::func::CallOp call);
  void beginTurn(mlir::scf::ForOp loop, mlir::ValueRange carried);
  void loop(mlir::scf::ForOp loop);
  void writeElement(mlir::model::WithElementOp list);
  void append(mlir::model::AppendOp append);
  void changeInPlace(mlir::Value before, mlir::Value after, Place place, mlir::Operation *op);
  void finish(mlir::Operation &terminator);

  void read(mlir::Value tensor, mlir::Operation *op);
  void expect(Place place, mlir::Value tensor, mlir::Operation *op, const llvm::Twine &how);
  void write(Place place, Content content, mlir::Operation *op);
  /// Invalidates the content of a location and of all overlapping ones, except `kept`.
  void clobber(Place place, mlir::Operation *op, std::optional<Place> kept = std::nullopt);
};

} // namespace attnc::verify
