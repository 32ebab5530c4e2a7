// The module: parameters, entry points, statements.

#include "frontends/attn/Import/Importer.h"

#include "dialects/Attn/Attn.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace attnc {

using namespace typed;

void registerImportDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect, attn::AttnDialect, func::FuncDialect, linalg::LinalgDialect,
              math::MathDialect, model::ModelDialect, scf::SCFDialect, tensor::TensorDialect>();
}

OwningOpRef<ModuleOp> importProgram(const Program &program, StringRef name, const SourceManager &sources,
                                    MLIRContext &context, ImportFailure &failure) {
  OwningOpRef<ModuleOp> module = Importer(program, sources, context).run(name);
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream(failure.message) << diagnostic.getLocation() << ": " << diagnostic << '\n';
  });
  if (succeeded(verify(*module)))
    return module;
  llvm::raw_string_ostream stream(failure.ir);
  module->print(stream, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  return {};
}

OwningOpRef<ModuleOp> Importer::run(StringRef name) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc(), name);
  builder.setInsertionPointToEnd(module->getBody());
  if (!program.hyperparameters.empty()) {
    SmallVector<NamedAttribute> values;
    for (const Hyperparameter &each : program.hyperparameters)
      values.push_back(builder.getNamedAttr(each.name, builder.getStringAttr(each.value)));
    (*module)->setAttr(model::hyperparametersAttrName, builder.getDictionaryAttr(values));
  }
  for (const Parameter *each : program.parameters)
    if (!llvm::is_contained(each->counts, 0)) // of a list without elements
      parameter(*each);
  for (const Entry &each : program.entries)
    entry(each);
  return module;
}

void Importer::parameter(const Parameter &parameter) {
  const Initialiser &start = parameter.initialiser;
  auto initialiser = model::InitialiserAttr::get(builder.getContext(), builder.getStringAttr(start.kind),
                                                 builder.getF64FloatAttr(start.a), builder.getF64FloatAttr(start.b));
  model::ParameterOp::create(builder, location(parameter.range), parameter.name, tensorType(parameter.type),
                             parameter.counts, parameter.checkpoint, initialiser, parameter.frozen, parameter.isState);
}

//===- Entry points -----------------------------------------------------------------------------------------------===//

static ArrayAttr shapeAttribute(OpBuilder &builder, const Shape &shape) {
  SmallVector<Attribute> names;
  for (const Dim &dim : shape)
    names.push_back(builder.getStringAttr(dim.text()));
  return builder.getArrayAttr(names);
}

static DictionaryAttr portAttributes(OpBuilder &builder, StringRef name, const Shape &shape) {
  return builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                    builder.getNamedAttr(model::shapeAttrName, shapeAttribute(builder, shape))});
}

func::FuncOp Importer::signature(const Entry &entry) {
  SmallVector<mlir::Type> inputs, results;
  SmallVector<Attribute> inputAttributes, resultAttributes, dimensions;
  for (const Local *argument : entry.arguments) {
    inputs.push_back(tensorType(argument->type));
    inputAttributes.push_back(portAttributes(builder, argument->name, argument->type.shape));
  }
  for (const Result &result : entry.results) {
    results.push_back(tensorType(result.value->type));
    resultAttributes.push_back(portAttributes(builder, result.name, result.shape));
  }
  for (const Dimension &dimension : entry.dimensions)
    dimensions.push_back(model::DimensionAttr::get(builder.getContext(), builder.getStringAttr(dimension.name),
                                                   dimension.max, dimension.min));
  auto function =
      func::FuncOp::create(builder, location(entry.range), entry.name, builder.getFunctionType(inputs, results));
  function->setAttr(model::entryAttrName, builder.getUnitAttr());
  function->setAttr(model::dimensionsAttrName, builder.getArrayAttr(dimensions));
  if (entry.isGradient)
    function->setAttr(model::gradientAttrName, builder.getUnitAttr());
  if (entry.isAttention)
    function->setAttr(model::attentionAttrName, builder.getUnitAttr());
  if (!entry.along.empty())
    function->setAttr(model::incrementalAttrName, builder.getStringAttr(entry.along));
  if (entry.decoding) {
    SmallVector<NamedAttribute> decoding = {
        builder.getNamedAttr("of", builder.getStringAttr(entry.decoding->of)),
        builder.getNamedAttr("at_most", builder.getI64IntegerAttr(entry.decoding->atMost))};
    if (entry.decoding->stop)
      decoding.push_back(builder.getNamedAttr("stop", builder.getI64IntegerAttr(*entry.decoding->stop)));
    if (entry.decoding->beams)
      decoding.push_back(builder.getNamedAttr("beams", builder.getI64IntegerAttr(*entry.decoding->beams)));
    function->setAttr(model::decodeAttrName, builder.getDictionaryAttr(decoding));
  }
  if (entry.takeBack)
    function->setAttr(model::takeBackAttrName, builder.getI64IntegerAttr(*entry.takeBack));
  if (!entry.doc.empty())
    function->setAttr(model::docAttrName, builder.getStringAttr(entry.doc));
  function.setAllArgAttrs(builder.getArrayAttr(inputAttributes));
  function.setAllResultAttrs(builder.getArrayAttr(resultAttributes));
  for (auto [number, argument] : llvm::enumerate(entry.arguments))
    if (argument == entry.seed || argument == entry.step)
      function.setArgAttr(number, model::keyAttrName, builder.getUnitAttr());
  return function;
}

/// A dimension is the size of the first argument that has it for one of its own.
void Importer::bindDimensions(const Entry &entry, func::FuncOp function) {
  for (const Dimension &dimension : entry.dimensions) {
    Dim wanted = Dim::symbol(dimension.name);
    Location at = location(dimension.range);
    for (auto [argument, value] : llvm::zip_equal(entry.arguments, function.getArguments())) {
      const Shape &shape = argument->type.shape;
      auto found = llvm::find(shape, wanted);
      if (found == shape.end() || scopes.back().sizes.count(wanted))
        continue;
      scopes.back().sizes[wanted] = tensor::DimOp::create(builder, at, value, found - shape.begin());
    }
  }
}

void Importer::entry(const Entry &entry) {
  OpBuilder::InsertionGuard guard(builder);
  func::FuncOp function = signature(entry);
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  scopes.emplace_back();
  for (auto [argument, value] : llvm::zip_equal(entry.arguments, body->getArguments())) {
    value.setLoc(location(argument->range));
    locals[argument] = value;
  }
  if (entry.step && !llvm::is_contained(entry.arguments, entry.step)) {
    const Parameter &count = *entry.training->count;
    locals[entry.step] =
        model::GetOp::create(builder, function.getLoc(), tensorType(count.type), count.name, ValueRange());
  }
  bindDimensions(entry, function);
  for (const StateUpdate &update : entry.updates)
    if (llvm::none_of(update.loops, [](const LoopCounter *loop) { return loop->count.is(0); }))
      updates.push_back(&update);
  statements(entry.block);
  SmallVector<Value> results;
  for (const Result &result : entry.results)
    results.push_back(tensor(result.value));
  setStates();
  updates.clear();
  stateLists.clear();
  func::ReturnOp::create(builder, function.getLoc(), results);
  scopes.pop_back();
  if (entry.training)
    function->setAttr(model::minimizeAttrName, minimize(entry));
}

//===- Training ---------------------------------------------------------------------------------------------------===//

static FlatSymbolRefAttr symbolOf(OpBuilder &builder, const Parameter &parameter) {
  return FlatSymbolRefAttr::get(builder.getContext(), parameter.name);
}

/// The attribute that says what is to be derived, and the functions that it names.
Attribute Importer::minimize(const Entry &entry) {
  MLIRContext *context = builder.getContext();
  SmallVector<model::StepAttr> steps;
  for (const OptimizerStep &step : entry.training->steps) {
    std::string name = entry.name + " step of " + step.parameter->name;
    optimizerStep(step, name);
    SmallVector<FlatSymbolRefAttr> states;
    for (const Parameter *state : step.states)
      states.push_back(symbolOf(builder, *state));
    steps.push_back(model::StepAttr::get(context, symbolOf(builder, *step.parameter),
                                         FlatSymbolRefAttr::get(context, name), states));
  }
  return model::MinimizeAttr::get(context, symbolOf(builder, *entry.training->count),
                                  builder.getF64FloatAttr(entry.training->clipNorm), entry.training->batches, steps);
}

/// A function from a parameter, its gradient, the number of the step and the optimizer's states to the next ones.
void Importer::optimizerStep(const OptimizerStep &step, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>().getBody());
  SmallVector<const Local *> arguments = {step.value, step.gradient, step.count};
  arguments.append(step.stateValues.begin(), step.stateValues.end());
  SmallVector<typed::ExprRef> next = {step.nextValue};
  next.append(step.nextStates.begin(), step.nextStates.end());
  SmallVector<mlir::Type> inputs, outputs;
  for (const Local *argument : arguments)
    inputs.push_back(tensorType(argument->type));
  for (typed::ExprRef each : next)
    outputs.push_back(tensorType(each->type));
  auto function =
      func::FuncOp::create(builder, location(step.parameter->range), name, builder.getFunctionType(inputs, outputs));
  function.setPrivate();
  builder.setInsertionPointToEnd(function.addEntryBlock());
  scopes.emplace_back();
  for (auto [argument, value] : llvm::zip_equal(arguments, function.getArguments()))
    locals[argument] = value;
  statements(step.block);
  SmallVector<Value> results;
  for (typed::ExprRef each : next)
    results.push_back(tensor(each));
  func::ReturnOp::create(builder, function.getLoc(), results);
  scopes.pop_back();
}

//===- Statements -------------------------------------------------------------------------------------------------===//

void Importer::statements(const typed::Block &block) {
  for (const Statement &statement : block.statements)
    if (auto *binding = std::get_if<Let>(&statement))
      let(*binding);
    else if (auto *recurrence = std::get_if<Scan>(&statement))
      scan(*recurrence);
    else
      loop(std::get<Loop>(statement));
}

void Importer::let(const Let &let) {
  if (let.value->as<Attend>())
    return attend(*let.value, let.locals);
  if (isNumber(let.value))
    numbers[let.locals.front()] = let.value;
  else
    locals[let.locals.front()] = tensor(let.value);
}

void Importer::loop(const Loop &loop) {
  Location at = location(loop.range);
  SmallVector<Value> initial;
  for (const Loop::Carried &carried : loop.carried)
    initial.push_back(tensor(carried.initial));
  if (loop.counter->count.is(0)) {
    // What it would read has no parameters.
    for (auto [carried, value] : llvm::zip_equal(loop.carried, initial))
      locals[carried.result] = value;
    return;
  }
  SmallVector<const StateUpdate *> inside = updatesIn(loop.counter);
  auto depthOf = [&](const StateUpdate &update) {
    return llvm::find(update.loops, loop.counter) - update.loops.begin();
  };
  for (const StateUpdate *update : inside)
    initial.push_back(stateList(*update, depthOf(*update), at));
  Value zero = size(Dim(0), at), one = size(Dim(1), at), count = size(loop.counter->count, at);
  auto op = scf::ForOp::create(builder, at, zero, count, one, initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(op.getBody());
    scopes.emplace_back();
    scopes.back().counters[loop.counter] = op.getInductionVar();
    for (auto [carried, argument] : llvm::zip(loop.carried, op.getRegionIterArgs()))
      locals[carried.argument] = argument;
    statements(*loop.body);
    SmallVector<Value> next;
    for (const Loop::Carried &carried : loop.carried)
      next.push_back(tensor(carried.next));
    for (const StateUpdate *update : inside) {
      Value list = op.getRegionIterArgs()[next.size()], value = stateOfRound(*update, depthOf(*update));
      next.push_back(model::WithElementOp::create(builder, at, list.getType(), value, list, op.getInductionVar()));
    }
    if (!next.empty())
      scf::YieldOp::create(builder, at, next);
    scopes.pop_back();
  }
  for (auto [carried, result] : llvm::zip(loop.carried, op.getResults()))
    locals[carried.result] = result;
  for (auto [number, update] : llvm::enumerate(inside))
    stateLists[update] = op.getResult(loop.carried.size() + number);
}

} // namespace attnc
