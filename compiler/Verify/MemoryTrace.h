//===- MemoryTrace.h - runs an entry point on its memory, and sees that reads find what they should ---------------===//
//
// A certificate says where each value is. The trace runs the entry point op by op on the contents of these places, not
// on numbers: a kernel that writes a result puts the content of that value into its place, and takes away what was
// there, and in every part of the arena that overlaps it. Every read then has to find the content of its value:
//
//   step 4   @a writes %0 into slot 1          slot 1: %0
//   step 5   @b writes %1 into slot 2          slot 2: %1        (slot 2 overlaps slot 1, which holds nothing now)
//   step 6   @c reads %0 from slot 1           fault: @b wrote over it
//
// The body of a loop runs twice: what a turn writes over is gone when the next one reads, and each turn has contents of
// its own, so that a carried value which was not handed on shows. No live ranges are made.
//
// It relies on what emitters say of kernels: a result may be written over the operand that `attn.in_place` names.
//
//===------------------------------------------------------------------------------------------------------------===//
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

/// The ops of an entry point by number, and values by their names in a certificate.
class Steps {
public:
  explicit Steps(mlir::func::FuncOp entry);
  const std::vector<mlir::Operation *> &ops() const { return numbered; }
  int64_t of(mlir::Operation *op) const { return numbers.lookup(op); }
  /// Null where there is none of that name.
  mlir::Value value(const ValueName &name) const;
  /// "@logits_gemm_0, gpt2.attn:12:5 (step 17)".
  std::string text(mlir::Operation *op) const;

private:
  mlir::func::FuncOp entry;
  std::vector<mlir::Operation *> numbered;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

/// What a tensor shows: all of `root`, or an element of that list.
struct Shown {
  mlir::Value root;
  bool isElement;
};
Shown shownBy(mlir::Value tensor);

class MemoryTrace {
public:
  using Overlap = llvm::function_ref<bool(int64_t, int64_t)>;
  /// `overlaps` says it of two slots.
  MemoryTrace(const Steps &steps, const EntryCertificate &certificate, Overlap overlaps);

  /// What went wrong, at most a few things; empty where every read found its value.
  std::vector<std::string> run(mlir::func::FuncOp entry);

private:
  using Content = unsigned; ///< 0 is none
  struct Held {
    Content content = 0;
    mlir::Operation *writer = nullptr;   ///< of what is there, or of what took it away
    std::optional<int64_t> open;         ///< a list: its element of that step is written, and the list not yet another
    std::map<int64_t, Content> elements; ///< of a list: written by these steps
  };
  /// A parameter, or one of a list, and what it was set to.
  struct Update {
    int64_t step;
    mlir::model::SetOp set;
    std::vector<std::pair<mlir::Value, unsigned>> indices; ///< with the turn that they are of
    Content content;
  };

  const Steps &steps;
  const EntryCertificate &certificate;
  Overlap overlaps;
  std::map<Place, Held> memory;
  std::vector<Update> updates;
  llvm::DenseMap<mlir::Value, Place> places; ///< of roots
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
  /// Where the bytes are: of an element its list.
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
  /// What is there, and in all that overlaps, is gone; but for `kept`.
  void clobber(Place place, mlir::Operation *op, std::optional<Place> kept = std::nullopt);
};

} // namespace attnc::verify
