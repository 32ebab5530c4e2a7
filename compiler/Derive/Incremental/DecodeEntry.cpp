#include "compiler/Derive/Incremental/DecodeEntry.h"
#include "compiler/Sizes/SizeAnalysis.h"

using namespace mlir;

namespace attnc {

DecodeEntry::DecodeEntry(OpBuilder &builder, func::FuncOp choose, const IncrementalNames &names)
    : TensorWriter{builder, choose.getLoc()}, choose(choose), names(names) {
  auto decode = choose->getAttrOfType<DictionaryAttr>(model::decodeAttrName);
  std::string of = decode.getAs<StringAttr>("of").str();
  auto module = choose->getParentOfType<ModuleOp>();
  step = module.lookupSymbol<func::FuncOp>(of);
  prefill = module.lookupSymbol<func::FuncOp>(of + "_prefill");
  begin = module.lookupSymbol<func::FuncOp>(of + "_begin");
  maxTokens = decode.getAs<IntegerAttr>("at_most").getInt();
  if (auto token = decode.getAs<IntegerAttr>("stop"))
    stop = token.getInt();
  if (auto count = decode.getAs<IntegerAttr>("beams"))
    beams = count.getInt();
}

//===------------------------------------------ arguments -----------------------------------------------------===//

void DecodeEntry::addArgument(Type type, StringRef name, ArrayRef<StringRef> shape) {
  numbers[name] = argumentTypes.size();
  argumentTypes.push_back(type);
  arguments.push_back(
      builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                 builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))}));
}

bool DecodeEntry::isTokens(func::FuncOp function, unsigned argument) {
  auto shape = function.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
  auto number = prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
  return argument < prefill.getNumArguments() && shape.size() == 2 && number.size() == 2 &&
         cast<StringAttr>(number[1]).getValue() == names.along;
}

bool DecodeEntry::isOfLoop(func::FuncOp function, unsigned argument) {
  StringRef name = nameOf(function, argument);
  return isTokens(function, argument) || isState(function, argument) || name == names.length || name == names.count;
}

/// The names of the decoder's own arguments.
static bool isReserved(StringRef name) { return name == "prompt" || name == "prompt_length" || name == "seed"; }

/// Adds the arguments of a function that the loop does not provide.
LogicalResult DecodeEntry::addOtherArguments(func::FuncOp function) {
  for (unsigned argument = 0; function && argument < function.getNumArguments(); ++argument) {
    StringRef name = nameOf(function, argument);
    bool isProvided = function != begin && (isOfLoop(function, argument) || given.contains(name));
    if (isProvided)
      continue;
    if (isReserved(name))
      return choose.emitError("`") << name << "` is an argument of `" << step.getName()
                                   << "` and of the decoder too; expected another name";
    if (numbers.contains(name))
      continue;
    SmallVector<StringRef> shape;
    for (Attribute size : function.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName))
      shape.push_back(cast<StringAttr>(size).getValue());
    addArgument(function.getArgumentTypes()[argument], name, shape);
  }
  return success();
}

/// The dimensions of all functions; that of the prompt is reduced to leave room for the tokens.
std::vector<Attribute> DecodeEntry::dimensions() {
  std::vector<Attribute> result;
  llvm::StringMap<bool> seen;
  for (func::FuncOp function : {prefill, begin})
    for (Attribute attribute :
         function ? function->getAttrOfType<ArrayAttr>(model::dimensionsAttrName).getValue() : ArrayRef<Attribute>()) {
      auto dimension = cast<model::DimensionAttr>(attribute);
      StringRef name = dimension.getName().getValue();
      if (name == names.capacity || !seen.insert({name, true}).second)
        continue;
      int64_t max = dimension.getMax(), min = dimension.getMin();
      if (name == names.along) {
        max = max < 0 ? max : max - maxTokens + 1;
        min = std::max<int64_t>(min, 1);
      }
      result.push_back(model::DimensionAttr::get(builder.getContext(), dimension.getName(), max, min));
    }
  return result;
}

/// Adds the arguments of the sampler besides logits. Its names of rows and vocabulary are local.
LogicalResult DecodeEntry::addSamplerArguments() {
  auto logits = choose.getArgAttrOfType<ArrayAttr>(numLoopOperands() - 1, model::shapeAttrName);
  auto size = [](ArrayAttr shape, size_t number) { return cast<StringAttr>(shape[number]).getValue(); };
  auto result = step.getResultAttrOfType<ArrayAttr>(0, model::shapeAttrName);
  for (unsigned argument = numLoopOperands(); argument < choose.getNumArguments(); ++argument) {
    auto type = cast<RankedTensorType>(choose.getArgumentTypes()[argument]);
    if (choose.getArgAttr(argument, model::keyAttrName))
      continue;
    SmallVector<int64_t> extents(type.getShape());
    SmallVector<StringRef> shape;
    auto own = choose.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
    for (unsigned dimension = 0; dimension < extents.size(); ++dimension)
      if (size(own, dimension) == size(logits, 0)) {
        shape.push_back(names.row);
      } else if (size(own, dimension) == size(logits, logits.size() - 1)) {
        shape.push_back(size(result, result.size() - 1));
        extents[dimension] = cast<RankedTensorType>(step.getResultTypes()[0]).getShape().back();
      } else {
        shape.push_back(size(own, dimension));
      }
    StringRef name = nameOf(choose, argument);
    if (numbers.contains(name))
      return choose.emitError("`") << name << "` is an argument of the sampler and of the decoder too; expected "
                                   << "another name";
    addArgument(RankedTensorType::get(extents, type.getElementType()), name, shape);
  }
  if (usesRandom())
    addArgument(RankedTensorType::get({}, builder.getI32Type()), "seed", {});
  return success();
}

LogicalResult DecodeEntry::addArguments() {
  Type tokens = RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic}, builder.getI32Type());
  Type lengths = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  addArgument(tokens, "prompt", {names.row, names.along});
  addArgument(lengths, "prompt_length", {names.row});
  if (begin)
    for (unsigned result = 0; result < begin.getNumResults(); ++result)
      given[begin.getResultAttrOfType<StringAttr>(result, model::nameAttrName).getValue()] = Value();
  if (failed(addOtherArguments(begin)) || failed(addOtherArguments(prefill)))
    return failure();
  return addSamplerArguments();
}

void DecodeEntry::createFunction() {
  Type lengths = argumentTypes[numbers["prompt_length"]];
  std::string name = choose.getName().str(), width = std::to_string(maxTokens);
  Type written = RankedTensorType::get({ShapedType::kDynamic, maxTokens}, builder.getI32Type());
  choose.setName(name + ".choose");
  entry = func::FuncOp::create(builder, at, name, builder.getFunctionType(argumentTypes, {written, lengths}));
  entry->setAttr(model::entryAttrName, builder.getUnitAttr());
  entry->setAttr(model::dimensionsAttrName, builder.getArrayAttr(dimensions()));
  if (auto doc = choose->getAttr(model::docAttrName))
    entry->setAttr(model::docAttrName, doc);
  entry.setAllArgAttrs(arguments);
  auto port = [&](StringRef name, ArrayRef<StringRef> shape) {
    entry.setResultAttrs(name == "tokens" ? 0 : 1,
                         {builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                          builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))});
  };
  port("tokens", {names.row, width});
  port("length", {names.row});
  Block *body = entry.addEntryBlock();
  builder.setInsertionPointToStart(body);
  prompt = body->getArgument(0);
  promptLength = body->getArgument(1);
  rows = tensor::DimOp::create(builder, at, prompt, 0);
  positions = tensor::DimOp::create(builder, at, prompt, 1);
}

std::vector<std::string> DecodeEntry::prefillDimensions() {
  std::vector<std::string> result;
  for (Attribute each : prefill->getAttrOfType<ArrayAttr>(model::dimensionsAttrName))
    result.push_back(cast<model::DimensionAttr>(each).getName().str());
  return result;
}

/// Checks that the sizes of states are sums of products, as of all tensors of an entry point.
LogicalResult DecodeEntry::checkStates() {
  std::vector<std::string> dimensions = prefillDimensions();
  for (unsigned number = 0; number < prefill.getNumArguments(); ++number) {
    auto shape = prefill.getArgAttrOfType<ArrayAttr>(number, model::shapeAttrName);
    for (unsigned dim = 0; isState(prefill, number) && dim < shape.size(); ++dim)
      if (!declaredSize(shape, dim, dimensions))
        return choose.emitError("the state `")
               << nameOf(prefill, number) << "` of `" << prefill.getName() << "` has a size " << shape[dim]
               << ", expected sums and products of dimensions and numbers";
  }
  return success();
}

LogicalResult DecodeEntry::create() {
  if (failed(checkStates()))
    return failure();
  if (failed(addArguments()))
    return failure();
  createFunction();
  return success();
}

Value DecodeEntry::argument(StringRef name) {
  return given.contains(name) ? given[name] : entry.getArgument(numbers[name]);
}

//===------------------------------------------ calls ---------------------------------------------------------===//

/// Operands in the order of the arguments of next or next_prefill.
TensorWriter::Values DecodeEntry::makeOperands(func::FuncOp function, Value tokens, Value length, Value count,
                                               ValueRange caches) {
  Values operands;
  auto next = caches.begin();
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    StringRef name = nameOf(function, number);
    if (isState(function, number))
      operands.push_back(*next++);
    else if (isTokens(function, number))
      operands.push_back(tokens);
    else if (name == names.length || name == names.count)
      operands.push_back(name == names.length ? length : count);
    else
      operands.push_back(argument(name));
  }
  return operands;
}

void DecodeEntry::callBegin() {
  if (!begin)
    return;
  Values operands;
  for (unsigned argument = 0; argument < begin.getNumArguments(); ++argument)
    operands.push_back(entry.getArgument(numbers[nameOf(begin, argument)]));
  for (auto [result, value] : llvm::enumerate(inlineCall(begin, operands)))
    given[begin.getResultAttrOfType<StringAttr>(result, model::nameAttrName).getValue()] = value;
}

/// The values of the dimensions of prefill. Arguments that the loop provides have no others than these.
TensorWriter::Values DecodeEntry::dimensionsOfPrefill(ArrayRef<std::string> names, Value capacity) {
  Values values;
  for (const std::string &name : names) {
    Value value = name == this->names.capacity ? capacity : name == this->names.along ? positions : rows;
    for (unsigned number = 0; number < prefill.getNumArguments(); ++number) {
      if (isOfLoop(prefill, number))
        continue;
      auto shape = prefill.getArgAttrOfType<ArrayAttr>(number, model::shapeAttrName);
      for (auto [dim, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>()))
        if (size == name)
          value = tensor::DimOp::create(builder, at, argument(nameOf(prefill, number)), dim);
    }
    values.push_back(value);
  }
  return values;
}

TensorWriter::Values DecodeEntry::callPrefill(Value first) {
  // The last token is never read.
  Value spare = constant(maxTokens - 1);
  Value capacity = arith::AddIOp::create(builder, at, positions, spare);
  std::vector<std::string> names = prefillDimensions();
  Values dimensions = dimensionsOfPrefill(names, capacity), caches;
  for (BlockArgument argument : prefill.getArguments()) {
    if (!isState(prefill, argument.getArgNumber()))
      continue;
    auto shape = prefill.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), model::shapeAttrName);
    SmallVector<OpFoldResult> sizes;
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      SizeExpr extent = *declaredSize(shape, dim, names);
      sizes.push_back(extent.isConstant() ? OpFoldResult(builder.getIndexAttr(extent.constant()))
                                          : extent.materialise(builder, at, dimensions));
    }
    caches.push_back(tensor::EmptyOp::create(builder, at, sizes, getElementTypeOrSelf(argument.getType())));
  }
  Values results = inlineCall(prefill, makeOperands(prefill, prompt, fill({rows}, 0), first, caches));
  return llvm::to_vector(ArrayRef(results).take_back(caches.size()));
}

DecodeEntry::StepResults DecodeEntry::callStep(Value tokens, Value position, ValueRange caches) {
  Values results = inlineCall(step, makeOperands(step, tokens, position, Value(), caches));
  Value logits = results[0];
  if (cast<RankedTensorType>(logits.getType()).getRank() == 3)
    logits = tensor::CollapseShapeOp::create(builder, at, logits, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  return {logits, Values(ArrayRef(results).take_back(caches.size()))};
}

TensorWriter::Values DecodeEntry::callSampler(Values operands, Value stepNumber) {
  for (unsigned argument = numLoopOperands(); argument < choose.getNumArguments(); ++argument)
    if (!choose.getArgAttr(argument, model::keyAttrName))
      operands.push_back(entry.getArgument(numbers[nameOf(choose, argument)]));
  if (usesRandom())
    llvm::append_values(operands, entry.getArguments().back(), stepNumber);
  return inlineCall(choose, operands);
}

Value DecodeEntry::lastTokens() {
  return generate({rows, constant(1)}, builder.getI32Type(), [&](ValueRange index) {
    Value last = arith::SubIOp::create(builder, at, read(promptLength, index[0]), i32(1));
    last = arith::IndexCastOp::create(builder, at, builder.getIndexType(), last);
    return read(prompt, {index[0], last});
  });
}

void DecodeEntry::endIfAll(Value ended) {
  if (!stop || maxTokens <= 1)
    return;
  Value done = reduce(fill({}, 1), ended, [&](ValueRange elements) -> Value {
    return arith::MinSIOp::create(builder, at, elements[0], elements[1]);
  });
  model::EndIfOp::create(builder, at, done);
}

} // namespace attnc
