#include "compiler/Derive/Incremental/ElementFormulas.h"
#include "dialects/Model/Model.h"

using namespace mlir;

namespace attnc {

static bool isOwnElement(model::ElementOp op, scf::ForOp scan, PositionDims &dims) {
  bool isOfRows = !dims.hasRows() || dims.rowDim(op.getList());
  return op.getPlace() == scan.getInductionVar() && dims.positionDim(op.getList()) == 0 && isOfRows;
}

/// The tensor that a list transposes, with its dimensions in the order of the list's; else the list.
static std::pair<Value, SmallVector<int64_t>> sourceOf(Value list) {
  if (auto transpose = list.getDefiningOp<linalg::TransposeOp>())
    return {transpose.getInput(), SmallVector<int64_t>(transpose.getPermutation())};
  return {list, llvm::to_vector(llvm::seq<int64_t>(cast<RankedTensorType>(list.getType()).getRank()))};
}

static void expand(model::ElementOp op) {
  OpBuilder builder(op);
  Location at = op.getLoc();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto [source, order] = sourceOf(op.getList());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, at, source, order[dim + 1]));
  Value init = tensor::EmptyOp::create(builder, at, type, sizes);
  auto read = [&, from = source, order = order](OpBuilder &inside, Location, ValueRange) {
    SmallVector<Value> subscripts(order.size());
    subscripts[order[0]] = op.getPlace();
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      subscripts[order[dim + 1]] = linalg::IndexOp::create(inside, at, dim);
    linalg::YieldOp::create(inside, at, tensor::ExtractOp::create(inside, at, from, subscripts).getResult());
  };
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto formula = linalg::GenericOp::create(builder, at, type, ValueRange(), init,
                                           builder.getMultiDimIdentityMap(type.getRank()), iterators, read);
  op.replaceAllUsesWith(formula.getResult(0));
  op.erase();
}

/// The tensor that `list`, a result of a scan, is with its rows in front. A cache has rows before positions.
static Value withRowsFirst(Value list, int64_t row) {
  OpBuilder builder(list.getContext());
  builder.setInsertionPointAfterValue(list);
  Location at = list.getLoc();
  auto type = cast<RankedTensorType>(list.getType());
  SmallVector<int64_t> order = {row};
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != row)
      order.push_back(dim);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, at, list);
  SmallVector<OpFoldResult> moved = llvm::map_to_vector(order, [&](int64_t dim) { return sizes[dim]; });
  Value init = tensor::EmptyOp::create(builder, at, moved, type.getElementType());
  return linalg::TransposeOp::create(builder, at, list, init, order).getResult()[0];
}

/// Lets formulas that read other positions of a scan's stacked result than their own read it with rows in front.
static void moveRowsFirst(Value list, PositionDims &dims) {
  std::optional<unsigned> row = dims.rowDim(list);
  if (!row || *row == 0 || dims.positionDim(list) != 0)
    return;
  SmallVector<tensor::ExtractOp> reads;
  for (Operation *user : list.getUsers())
    if (auto extract = dyn_cast<tensor::ExtractOp>(user)) {
      Operation *owner = extract->getParentOfType<attn::AttendOp>();
      owner = owner ? owner : extract->getParentOfType<linalg::GenericOp>();
      auto attend = dyn_cast<attn::AttendOp>(owner);
      IndexRoles roles = attend ? dims.roles(attend) : dims.roles(cast<linalg::GenericOp>(owner));
      if (!BodyIndices(owner, roles).isPosition(extract.getIndices().front()))
        reads.push_back(extract);
    }
  if (reads.empty())
    return;
  Value moved = withRowsFirst(list, *row);
  for (tensor::ExtractOp read : reads) {
    SmallVector<Value> subscripts(read.getIndices());
    std::rotate(subscripts.begin(), subscripts.begin() + *row, subscripts.begin() + *row + 1);
    read.getTensorMutable().assign(moved);
    read.getIndicesMutable().assign(subscripts);
  }
}

void expandElements(func::FuncOp function, StringRef along) {
  PositionDims dims(function, along);
  SmallVector<model::ElementOp> expanded;
  function.walk([&](model::ElementOp op) {
    scf::ForOp scan = dims.scanAround(op);
    if (scan && dependsOn(op.getPlace(), scan.getInductionVar()) && !isOwnElement(op, scan, dims))
      expanded.push_back(op);
  });
  llvm::for_each(expanded, expand);
  PositionDims later(function, along); // of the new ops
  function.walk([&](scf::ForOp scan) {
    for (Value result : scan.getResults())
      if (later.isAlongPositions(scan))
        moveRowsFirst(result, later);
  });
}

} // namespace attnc
