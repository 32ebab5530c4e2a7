#include "frontends/attn/Import/ProgramImporter.h"

#include "dialects/Attn/Attn.h"
#include "dialects/Model/Lists.h"
#include "dialects/Model/Model.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  OwningOpRef<ModuleOp> module = ProgramImporter(program, sources, context).run(name);
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream(failure.message) << diagnostic.getLocation() << ": " << diagnostic << '\n';
  });
  if (succeeded(verify(*module)))
    return module;
  llvm::raw_string_ostream stream(failure.ir);
  module->print(stream, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  return {};
}

OwningOpRef<ModuleOp> ProgramImporter::run(StringRef name) {
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

void ProgramImporter::parameter(const Parameter &parameter) {
  const Initialiser &start = parameter.initialiser;
  auto initialiser = model::InitialiserAttr::get(builder.getContext(), builder.getStringAttr(start.kind),
                                                 builder.getF64FloatAttr(start.a), builder.getF64FloatAttr(start.b));
  model::ParameterOp::create(builder, types.location(parameter.range), parameter.name, types.tensorType(parameter.type),
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

func::FuncOp ProgramImporter::signature(const Entry &entry) {
  SmallVector<mlir::Type> inputs, results;
  SmallVector<Attribute> inputAttributes, resultAttributes, dimensions;
  for (const Local *argument : entry.arguments) {
    inputs.push_back(types.tensorType(argument->type));
    inputAttributes.push_back(portAttributes(builder, argument->name, argument->type.shape));
  }
  for (const Result &result : entry.results) {
    results.push_back(types.tensorType(result.value->type));
    resultAttributes.push_back(portAttributes(builder, result.name, result.shape));
  }
  for (const Dimension &dimension : entry.dimensions)
    dimensions.push_back(model::DimensionAttr::get(builder.getContext(), builder.getStringAttr(dimension.name),
                                                   dimension.max, dimension.min));
  auto function =
      func::FuncOp::create(builder, types.location(entry.range), entry.name, builder.getFunctionType(inputs, results));
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
  if (entry.paged)
    function->setAttr(model::pagedAttrName, builder.getI64IntegerAttr(*entry.paged));
  if (!entry.doc.empty())
    function->setAttr(model::docAttrName, builder.getStringAttr(entry.doc));
  function.setAllArgAttrs(builder.getArrayAttr(inputAttributes));
  function.setAllResultAttrs(builder.getArrayAttr(resultAttributes));
  for (auto [number, argument] : llvm::enumerate(entry.arguments))
    if (argument == entry.seed || argument == entry.step)
      function.setArgAttr(number, model::keyAttrName, builder.getUnitAttr());
  return function;
}

/// Finds the first size that is the dimension n itself, or else one that is a*n + b: the number of its argument, its
/// position, and a and b. There is one (Entries::requireInferable).
static std::tuple<size_t, size_t, Dim::Linear> sourceOf(const Dimension &dimension, const Entry &entry) {
  std::optional<std::tuple<size_t, size_t, Dim::Linear>> source;
  for (auto [number, argument] : llvm::enumerate(entry.arguments))
    for (auto [position, size] : llvm::enumerate(argument->type.shape)) {
      std::optional<Dim::Linear> linear = size.linear();
      if (!linear || linear->name != dimension.name)
        continue;
      if (size == Dim::symbol(dimension.name))
        return {number, position, *linear};
      if (!source)
        source = {number, position, *linear};
    }
  return *source;
}

void ProgramImporter::bindDimensions(const Entry &entry, func::FuncOp function) {
  for (const Dimension &dimension : entry.dimensions) {
    auto [argument, position, linear] = sourceOf(dimension, entry);
    Location at = types.location(dimension.range);
    Value size = tensor::DimOp::create(builder, at, function.getArgument(argument), position);
    auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, at, value); };
    if (linear.offset != 0)
      size = arith::SubIOp::create(builder, at, size, constant(linear.offset));
    if (linear.factor != 1)
      size = arith::DivUIOp::create(builder, at, size, constant(linear.factor));
    scopes.setSize(Dim::symbol(dimension.name), size);
  }
}

void ProgramImporter::setState(const StateUpdate &update) {
  Location at = types.location(update.range);
  const Parameter &state = *update.parameter;
  model::forEachElement(builder, at, tensors.tensor(update.value), state.counts, [&](Value element, ValueRange place) {
    model::SetOp::create(builder, at, state.name, place, element);
  });
}

void ProgramImporter::entry(const Entry &entry) {
  OpBuilder::InsertionGuard guard(builder);
  func::FuncOp function = signature(entry);
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  scopes.enter();
  for (auto [argument, value] : llvm::zip_equal(entry.arguments, body->getArguments())) {
    value.setLoc(types.location(argument->range));
    scopes.bind(argument, value);
  }
  if (entry.step && !llvm::is_contained(entry.arguments, entry.step)) {
    const Parameter &count = *entry.training->count;
    scopes.bind(entry.step, model::GetOp::create(builder, function.getLoc(), types.tensorType(count.type), count.name,
                                                 ValueRange()));
  }
  bindDimensions(entry, function);
  statements.statements(entry.block);
  SmallVector<Value> results;
  for (const Result &result : entry.results)
    results.push_back(tensors.tensor(result.value));
  for (const StateUpdate &update : entry.updates)
    if (!llvm::is_contained(update.parameter->counts, 0)) // parameters of empty lists are omitted
      setState(update);
  func::ReturnOp::create(builder, function.getLoc(), results);
  scopes.leave();
  if (entry.training)
    function->setAttr(model::minimizeAttrName, minimize(entry));
}

//===- Training ---------------------------------------------------------------------------------------------------===//

static FlatSymbolRefAttr symbolOf(OpBuilder &builder, const Parameter &parameter) {
  return FlatSymbolRefAttr::get(builder.getContext(), parameter.name);
}

/// The attribute for the derivation of a training step, and the functions that it names.
Attribute ProgramImporter::minimize(const Entry &entry) {
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

/// A function from a parameter, its gradient, the number of the training step and the optimizer's states to the next
/// parameter and states.
void ProgramImporter::optimizerStep(const OptimizerStep &step, StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>().getBody());
  SmallVector<const Local *> arguments = {step.value, step.gradient, step.count};
  arguments.append(step.stateValues.begin(), step.stateValues.end());
  SmallVector<typed::ExprRef> next = {step.nextValue};
  next.append(step.nextStates.begin(), step.nextStates.end());
  SmallVector<mlir::Type> inputs, outputs;
  for (const Local *argument : arguments)
    inputs.push_back(types.tensorType(argument->type));
  for (typed::ExprRef each : next)
    outputs.push_back(types.tensorType(each->type));
  auto function = func::FuncOp::create(builder, types.location(step.parameter->range), name,
                                       builder.getFunctionType(inputs, outputs));
  function.setPrivate();
  builder.setInsertionPointToEnd(function.addEntryBlock());
  scopes.enter();
  for (auto [argument, value] : llvm::zip_equal(arguments, function.getArguments()))
    scopes.bind(argument, value);
  statements.statements(step.block);
  SmallVector<Value> results;
  for (typed::ExprRef each : next)
    results.push_back(tensors.tensor(each));
  func::ReturnOp::create(builder, function.getLoc(), results);
  scopes.leave();
}

} // namespace attnc
