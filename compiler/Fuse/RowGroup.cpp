#include "compiler/Fuse/RowGroup.h"
#include "compiler/Analysis/OpClassification.h"
#include "compiler/Analysis/RefusedFusions.h"
#include "compiler/Fuse/Groups.h"
#include "compiler/Fuse/Regroup.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace attnc {

RowGroup::RowGroup(linalg::GenericOp seed, SymbolicShapes &shapes, const Groups &others)
    : shapes(shapes), others(others), rows(seed.getNumLoops() - 1) {
  rowExtents = loopExtents(seed, shapes);
  length = rowExtents.back();
  rowExtents.pop_back();
  ops.insert(seed);
}

SmallVector<linalg::GenericOp> RowGroup::members() const {
  auto members = llvm::map_to_vector(ops, [](Operation *op) { return cast<linalg::GenericOp>(op); });
  llvm::sort(members, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return members;
}

Operation *RowGroup::readerOf(Value result) const {
  for (linalg::GenericOp member : members())
    if (llvm::is_contained(result.getUsers(), member.getOperation()))
      return member;
  return nullptr;
}

bool RowGroup::hasSameRows(linalg::GenericOp op) {
  std::vector<SizeExpr> extents = loopExtents(op, shapes);
  if (extents.size() > rows && !(extents.back() == length))
    return false;
  return std::equal(rowExtents.begin(), rowExtents.end(), extents.begin());
}

/// Returns the op in the block that contains `op`.
static Operation *inBlock(Operation *op, Block *block) { return block->findAncestorOpInBlock(*op); }

Operation *RowGroup::endOfWays(Operation *op) const {
  for (Operation *member : ops)
    op = op->isBeforeInBlock(member) ? member : op;
  // A later path may lead through groups that span the op, because each becomes one call.
  auto spans = [&](ArrayRef<Operation *> group) {
    return group.front()->getBlock() == op->getBlock() && group.front()->isBeforeInBlock(op) &&
           op->isBeforeInBlock(group.back());
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto &[number, group] : others)
      if (spans(group)) {
        op = group.back();
        grows = true;
      }
  }
  return op;
}

bool RowGroup::staysOneStep(linalg::GenericOp op) const {
  Block *block = ops.front()->getBlock();
  Operation *end = endOfWays(op);
  auto isInside = [&](Operation *each) { return each == op || ops.contains(each); };
  SmallVector<Operation *> work(ops.begin(), ops.end());
  work.push_back(op);
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Operation *from = work.pop_back_val();
    for (Operation *user : from->getUsers()) {
      Operation *reader = inBlock(user, block);
      if (!reader || (isInside(reader) && isInside(from)))
        continue;
      if (isInside(reader))
        return false;
      // Ops that become one call with the reader follow the group too.
      for (Operation *each : stepOf(reader))
        if (!end->isBeforeInBlock(each) && seen.insert(each).second)
          work.push_back(each);
    }
  }
  return true;
}

SmallVector<Operation *> RowGroup::stepOf(Operation *op) const {
  std::optional<GroupMark> mark = groupOf(op);
  auto found = mark ? others.find(mark->number) : others.end();
  return found == others.end() ? SmallVector<Operation *>{op} : found->second;
}

int64_t RowGroup::scratchWith(linalg::GenericOp op) {
  if (!length.isConstant())
    return 0;
  int64_t bytes = 0;
  auto isInside = [&](Operation *user) { return user == op.getOperation() || ops.contains(user); };
  auto count = [&](Operation *member) {
    for (Value result : member->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (type.getRank() > rows && llvm::any_of(result.getUsers(), isInside))
        bytes += length.constant() * ((type.getElementTypeBitWidth() + 7) / 8);
    }
  };
  for (Operation *member : ops)
    count(member);
  count(op);
  return bytes;
}

std::optional<Reason> RowGroup::whyNot(linalg::GenericOp op) {
  auto role = rowRole(op, rows);
  if (!role)
    return op.getNumReductionLoops() != 0 ? Reason::DifferentRows : Reason::NotPointwise;
  if (!hasSameRows(op))
    return Reason::DifferentRows;
  if (*role == RowRole::Map && readsByData(op))
    return Reason::ReadByData;
  for (Operation *member : ops) {
    for (Value result : member->getResults())
      if (auto reason = whyNotRowLocal(op, result, rows))
        return reason;
    for (Value result : op->getResults())
      if (auto reason = whyNotRowLocal(cast<linalg::GenericOp>(member), result, rows))
        return reason;
  }
  if (!staysOneStep(op))
    return Reason::SeveralUses;
  if (scratchWith(op) > kRowScratch)
    return Reason::RowScratch;
  if (llvm::any_of(ops, [&](Operation *member) { return isRefused(reasonId(Reason::RowsFused), op, member); }))
    return Reason::FusionRefused;
  return std::nullopt;
}

void RowGroup::grow() {
  auto neighbours = [&] {
    llvm::SetVector<Operation *> found;
    for (Operation *member : ops) {
      auto consider = [&](Operation *op) {
        auto generic = dyn_cast_if_present<linalg::GenericOp>(op);
        if (generic && op->getBlock() == member->getBlock() && !ops.contains(op) && !groupOf(op))
          found.insert(op);
      };
      member->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          consider(operand.getDefiningOp());
        // Ops that load single elements of the member's rows.
        for (Value operand : nested->getOperands())
          for (Operation *user : operand.getUsers())
            if (isa<tensor::ExtractOp>(user))
              consider(user->getParentOp());
      });
      for (Operation *user : member->getUsers())
        consider(inBlock(user, member->getBlock()));
    }
    auto ordered = found.takeVector();
    llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return ordered;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : neighbours())
      if (!whyNot(cast<linalg::GenericOp>(op))) {
        ops.insert(op);
        changed = true;
      }
  }
}

//===-------------------------------------------- one row loop ------------------------------------------------===//

bool RowGroup::canCollapse(linalg::GenericOp op, ArrayRef<Dims> groups) const {
  for (AffineMap map : op.getIndexingMapsArray()) {
    auto dims = plainDims(map);
    auto order = dims ? splitIntoGroups(*dims, groups) : std::nullopt;
    if (!order)
      return false;
  }
  bool usesRows = op.getBody()
                      ->walk([&](linalg::IndexOp index) {
                        return index.getDim() < rows ? WalkResult::interrupt() : WalkResult::advance();
                      })
                      .wasInterrupted();
  // A tensor that another member reads by subscript keeps its shape.
  bool isReadBySubscript = llvm::any_of(op->getUsers(), [](Operation *user) { return isa<tensor::ExtractOp>(user); });
  return !usesRows && !isReadBySubscript;
}

SmallVector<Operation *> RowGroup::collapseRows() {
  SmallVector<Dims> groups = {llvm::to_vector(llvm::seq(0u, rows)), {rows}};
  if (rows < 2 || !llvm::all_of(members(), [&](linalg::GenericOp op) { return canCollapse(op, groups); }))
    return llvm::map_to_vector(members(), [](linalg::GenericOp op) { return op.getOperation(); });
  llvm::DenseMap<Value, Value> replaced;
  SmallVector<linalg::GenericOp> before = members();
  SmallVector<Operation *> after;
  for (linalg::GenericOp op : before) {
    OpBuilder builder(op);
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    unsigned loops = op.getNumLoops() > rows ? 2 : 1;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      auto order = *splitIntoGroups(*plainDims(op.getMatchingIndexingMap(&operand)), groups);
      maps.push_back(groupedMap(order, {0, 1}, loops, op.getContext()));
      bool isTensor = isa<RankedTensorType>(value.getType()) && !order.empty();
      if (!op.isDpsInput(&operand)) {
        Value empty = groupedEmpty(builder, value, groupingOf(order, groups), shapes);
        auto fill = value.getDefiningOp<linalg::FillOp>();
        inits.push_back(fill ? linalg::FillOp::create(builder, op.getLoc(), fill.getInputs()[0], empty).getResult(0)
                             : empty);
      } else {
        Value &made = replaced[value];
        if (!made)
          made = isTensor ? grouped(builder, value, groupingOf(order, groups), shapes) : value;
        inputs.push_back(made);
      }
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    iterators.erase(iterators.begin(), iterators.begin() + (rows - 1));
    auto collapsed = rebuildGeneric(builder, op, inputs, inits, maps, iterators);
    collapsed.getBody()->walk([&](linalg::IndexOp index) { index.setDim(index.getDim() - (rows - 1)); });
    markGroup(collapsed, *groupOf(op));
    after.push_back(collapsed);
    for (auto [old, made] : llvm::zip(op.getResults(), collapsed.getResults()))
      replaced[old] = made;
  }
  for (linalg::GenericOp op : llvm::reverse(before)) {
    for (Value result : op.getResults())
      if (!result.use_empty()) {
        OpBuilder builder(op);
        auto rank = cast<RankedTensorType>(result.getType()).getRank();
        Grouping grouping(groups.begin(), groups.begin() + (rank > rows ? 2 : 1));
        result.replaceAllUsesWith(ungrouped(builder, replaced[result], result, grouping, shapes));
      }
    op.erase();
  }
  ops.clear();
  return after;
}

} // namespace attnc
