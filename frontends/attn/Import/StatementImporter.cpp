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
      loop(*recurrence, recurrence->backward ? model::scansBackward : model::scansForward);
    else if (auto *decoder = std::get_if<DecoderCall>(&statement))
      call(*decoder);
    else
      loop(std::get<Loop>(statement), /*order=*/{});
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

void StatementImporter::loop(const Loop &loop, StringRef order) {
  Location at = types.location(loop.range);
  SmallVector<Value> initial;
  for (const Loop::Carried &carried : loop.carried)
    initial.push_back(tensors.tensor(carried.initial));
  for (const Loop::Stacked &stacked : loop.stacked) {
    Shape shape = stacked.value->type.shape;
    shape.insert(shape.begin(), loop.counter->count);
    initial.push_back(scopes.empty(stacked.value->type.element, shape, at));
  }
  bool isEmptyList = order.empty() && loop.counter->count.is(0); // it has no parameters that the body could read
  ValueRange results = isEmptyList ? ValueRange(initial) : iterations(loop, order, initial, at);
  for (auto [carried, result] : llvm::zip(loop.carried, results))
    scopes.bind(carried.result, result);
  for (auto [stacked, result] : llvm::zip_equal(loop.stacked, results.drop_front(loop.carried.size())))
    scopes.bind(stacked.result, moveDimension(builder, result, 0, stacked.axis, at));
}

ValueRange StatementImporter::iterations(const Loop &loop, StringRef order, ValueRange initial, Location at) {
  Value zero = scopes.size(Dim(0), at), one = scopes.size(Dim(1), at), count = scopes.size(loop.counter->count, at);
  auto op = scf::ForOp::create(builder, at, zero, count, one, initial);
  if (!order.empty())
    op->setAttr(model::scanAttrName, builder.getStringAttr(order));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.getBody());
  scopes.enter();
  Value iteration = op.getInductionVar();
  if (order == model::scansBackward) {
    Value last = arith::SubIOp::create(builder, at, count, one);
    iteration = arith::SubIOp::create(builder, at, last, iteration);
  }
  scopes.setCounter(loop.counter, iteration);
  for (auto [carried, argument] : llvm::zip(loop.carried, op.getRegionIterArgs()))
    scopes.bind(carried.argument, argument);
  statements(*loop.body);
  SmallVector<Value> next;
  for (const Loop::Carried &carried : loop.carried)
    next.push_back(tensors.tensor(carried.next));
  for (const Loop::Stacked &stacked : loop.stacked) {
    Value list = op.getRegionIterArg(next.size());
    next.push_back(
        model::WithElementOp::create(builder, at, list.getType(), tensors.tensor(stacked.value), list, iteration));
  }
  if (!next.empty() || !order.empty())
    scf::YieldOp::create(builder, at, next);
  scopes.leave();
  return op.getResults();
}

} // namespace attnc
