#include "frontends/attn/Import/StatementImporter.h"

#include "dialects/Model/Model.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace attnc {

using namespace typed;

void StatementImporter::statements(const typed::Block &block) {
  for (const Statement &statement : block.statements)
    if (auto *binding = std::get_if<Let>(&statement))
      let(*binding);
    else if (auto *recurrence = std::get_if<Scan>(&statement))
      scan(*recurrence);
    else if (auto *decoder = std::get_if<DecoderCall>(&statement))
      call(*decoder);
    else
      loop(std::get<Loop>(statement));
}

void StatementImporter::let(const Let &let) {
  if (let.value->as<Attend>())
    return tensors.attend(*let.value, let.locals);
  if (tensors.isNumber(let.value))
    scopes.bindNumber(let.locals.front(), let.value);
  else
    scopes.bind(let.locals.front(), tensors.tensor(let.value));
}

void StatementImporter::call(const DecoderCall &call) {
  SmallVector<Value> arguments;
  SmallVector<StringRef> names;
  for (const DecoderCall::Argument &argument : call.arguments) {
    arguments.push_back(tensors.tensor(argument.value));
    names.push_back(argument.name);
  }
  auto op = model::CallOp::create(builder, types.location(call.range),
                                  {types.tensorType(call.tokens->type), types.tensorType(call.length->type)},
                                  call.entry, arguments, builder.getStrArrayAttr(names));
  scopes.bind(call.tokens, op.getResult(0));
  scopes.bind(call.length, op.getResult(1));
}

void StatementImporter::loop(const Loop &loop) {
  Location at = types.location(loop.range);
  SmallVector<Value> initial;
  for (const Loop::Carried &carried : loop.carried)
    initial.push_back(tensors.tensor(carried.initial));
  if (loop.counter->count.is(0)) {
    // A list without elements has no parameters that the body could read.
    for (auto [carried, value] : llvm::zip_equal(loop.carried, initial))
      scopes.bind(carried.result, value);
    return;
  }
  SmallVector<const StateUpdate *> inside = states.updatesIn(loop.counter);
  auto depthOf = [&](const StateUpdate &update) {
    return llvm::find(update.loops, loop.counter) - update.loops.begin();
  };
  for (const StateUpdate *update : inside)
    initial.push_back(states.emptyList(*update, depthOf(*update), at));
  Value zero = scopes.size(Dim(0), at), one = scopes.size(Dim(1), at), count = scopes.size(loop.counter->count, at);
  auto op = scf::ForOp::create(builder, at, zero, count, one, initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(op.getBody());
    scopes.enter();
    scopes.setCounter(loop.counter, op.getInductionVar());
    for (auto [carried, argument] : llvm::zip(loop.carried, op.getRegionIterArgs()))
      scopes.bind(carried.argument, argument);
    statements(*loop.body);
    SmallVector<Value> next;
    for (const Loop::Carried &carried : loop.carried)
      next.push_back(tensors.tensor(carried.next));
    for (const StateUpdate *update : inside) {
      Value list = op.getRegionIterArgs()[next.size()], value = states.iterationValue(*update, depthOf(*update));
      next.push_back(model::WithElementOp::create(builder, at, list.getType(), value, list, op.getInductionVar()));
    }
    if (!next.empty())
      scf::YieldOp::create(builder, at, next);
    scopes.leave();
  }
  for (auto [carried, result] : llvm::zip(loop.carried, op.getResults()))
    scopes.bind(carried.result, result);
  for (auto [number, update] : llvm::enumerate(inside))
    states.setList(update, op.getResult(loop.carried.size() + number));
}

void StatementImporter::scan(const Scan &scan) {
  Location at = types.location(scan.range);
  SmallVector<Value> initial;
  for (const Loop::Carried &carried : scan.carried)
    initial.push_back(tensors.tensor(carried.initial));
  for (const Scan::Stacked &stacked : scan.stacked) {
    Shape shape = stacked.value->type.shape;
    shape.insert(shape.begin(), scan.counter->count);
    initial.push_back(scopes.empty(stacked.value->type.element, shape, at));
  }
  Value zero = scopes.size(Dim(0), at), one = scopes.size(Dim(1), at), count = scopes.size(scan.counter->count, at);
  auto loop = scf::ForOp::create(builder, at, zero, count, one, initial);
  loop->setAttr(model::scanAttrName, builder.getStringAttr(scan.backward ? model::scansBackward : model::scansForward));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    scopes.enter();
    Value iteration = loop.getInductionVar();
    if (scan.backward) {
      Value last = arith::SubIOp::create(builder, at, count, one);
      iteration = arith::SubIOp::create(builder, at, last, iteration);
    }
    scopes.setCounter(scan.counter, iteration);
    for (auto [carried, argument] : llvm::zip(scan.carried, loop.getRegionIterArgs()))
      scopes.bind(carried.argument, argument);
    statements(*scan.body);
    SmallVector<Value> next;
    for (const Loop::Carried &carried : scan.carried)
      next.push_back(tensors.tensor(carried.next));
    for (const Scan::Stacked &stacked : scan.stacked) {
      Value list = loop.getRegionIterArg(next.size());
      next.push_back(
          model::WithElementOp::create(builder, at, list.getType(), tensors.tensor(stacked.value), list, iteration));
    }
    scf::YieldOp::create(builder, at, next);
    scopes.leave();
  }
  for (auto [carried, result] : llvm::zip(scan.carried, loop.getResults()))
    scopes.bind(carried.result, result);
  for (auto [number, stacked] : llvm::enumerate(scan.stacked))
    scopes.bind(stacked.result,
                moveDimension(builder, loop.getResult(scan.carried.size() + number), 0, stacked.axis, at));
}

} // namespace attnc
