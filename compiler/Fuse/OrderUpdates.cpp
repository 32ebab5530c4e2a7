//===- OrderUpdates.cpp - attn-order-updates ----------------------------------------------------------------------===//
//
// Moves each `model.set` after all reads of its parameter. Fusion moves ops to their users, which may follow the update
// of another parameter. If no such read follows, the set stays right after its update, and the memory plan can compute
// the update in place.
//
// Precondition: outlined kernels. Postcondition: in each block, no `model.set` before a read of its parameter.
//
//   model.set @a, %x                              %y = call @step_of_b(%a, %g)
//   %y = call @step_of_b(%a, %g)            →     model.set @a, %x
//
//===------------------------------------------------------------------------------------------------------------===//
#include "compiler/Analysis/HostFunctions.h"
#include "compiler/Fuse/Fuse.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace attnc {

#define GEN_PASS_DEF_ORDERUPDATESPASS
#include "compiler/Fuse/Passes.h.inc"
namespace {

/// Returns the readers of the memory of `value`: its users, and the users of views and loop-carried values derived from
/// it.
llvm::SetVector<Operation *> readersOf(Value value) {
  llvm::SetVector<Operation *> readers;
  readers.insert_range(value.getUsers());
  for (size_t next = 0; next < readers.size(); ++next) {
    Operation *reader = readers[next];
    if (isa<func::CallOp, model::SetOp>(reader))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(reader))
      for (BlockArgument carried : loop.getRegionIterArgs())
        readers.insert_range(carried.getUsers());
    for (Value result : reader->getResults())
      readers.insert_range(result.getUsers());
  }
  return readers;
}

struct OrderUpdates : impl::OrderUpdatesPassBase<OrderUpdates> {
  void runOnOperation() override {
    for (func::FuncOp function : hostFunctions(getOperation())) {
      llvm::MapVector<StringRef, SmallVector<model::SetOp>> sets;
      function.walk([&](model::SetOp set) { sets[set.getParameter()].push_back(set); });
      if (sets.empty())
        continue;
      function.walk([&](model::GetOp get) {
        auto found = sets.find(get.getParameter());
        if (found == sets.end())
          return;
        for (Operation *reader : readersOf(get.getResult()))
          for (model::SetOp set : found->second)
            moveBehind(set, reader);
      });
    }
  }

  /// Moves the set after the reader, or after the op of the set's block that contains the reader. If the set is in a
  /// loop and the reader is not, moves the loop.
  static void moveBehind(model::SetOp set, Operation *reader) {
    Operation *moved = set, *inBlock = nullptr;
    for (; !isa<func::FuncOp>(moved); moved = moved->getParentOp())
      if ((inBlock = moved->getBlock()->findAncestorOpInBlock(*reader)))
        break;
    bool isEnd = inBlock && inBlock->hasTrait<OpTrait::IsTerminator>();
    if (inBlock && inBlock != moved && !isEnd && moved->isBeforeInBlock(inBlock) && canPass(moved, inBlock))
      moved->moveAfter(inBlock);
  }

  /// Whether `moved` may follow `last`, an op after it in its block: no op up to there uses its results, or updates a
  /// parameter that it reads.
  static bool canPass(Operation *moved, Operation *last) {
    auto isPassed = [&](Operation *op) {
      Operation *inBlock = moved->getBlock()->findAncestorOpInBlock(*op);
      return inBlock && inBlock != moved && moved->isBeforeInBlock(inBlock) && !last->isBeforeInBlock(inBlock);
    };
    if (llvm::any_of(moved->getUsers(), isPassed))
      return false;
    llvm::StringSet<> read;
    moved->walk([&](model::GetOp get) { read.insert(get.getParameter()); });
    auto function = moved->getParentOfType<func::FuncOp>();
    return !function
                .walk([&](model::SetOp set) {
                  return isPassed(set) && read.contains(set.getParameter()) ? WalkResult::interrupt()
                                                                            : WalkResult::advance();
                })
                .wasInterrupted();
  }
};

} // namespace

} // namespace attnc
