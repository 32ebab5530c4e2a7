#include "compiler/Derive/Incremental/Decode.h"
#include "compiler/Derive/Incremental/DecodeWriter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace attnc {

DecodeWriter::DecodeWriter(func::FuncOp choose, const IncrementalNames &names)
    : choose(choose), names(names), builder(choose), at(choose.getLoc()) {
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

//===-------------------------------------------- tensors -----------------------------------------------------===//

/// A tensor of these sizes with elements computed by `body`.
Value DecodeWriter::generate(ArrayRef<Value> sizes, Type element, Body body) {
  SmallVector<OpFoldResult> extents;
  for (Value size : sizes)
    extents.push_back(getAsOpFoldResult(size));
  Value init = tensor::EmptyOp::create(builder, at, extents, element);
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  auto write = [&](OpBuilder &inside, Location, ValueRange) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    SmallVector<Value> indices;
    for (unsigned loop = 0; loop < sizes.size(); ++loop)
      indices.push_back(linalg::IndexOp::create(builder, at, loop));
    Value value = body(indices);
    linalg::YieldOp::create(builder, at, value);
  };
  return linalg::GenericOp::create(builder, at, init.getType(), ValueRange(), init,
                                   builder.getMultiDimIdentityMap(sizes.size()), iterators, write)
      .getResult(0);
}

/// Reduces the inputs over the dimensions that `init` does not have; `combine` gets an element of each input, then the
/// accumulator.
Value DecodeWriter::reduce(Value init, ValueRange inputs, llvm::function_ref<Value(ValueRange elements)> combine) {
  unsigned numParallel = cast<RankedTensorType>(init.getType()).getRank();
  unsigned rank = cast<RankedTensorType>(inputs[0].getType()).getRank();
  SmallVector<Value> operands(inputs);
  operands.push_back(init);
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    unsigned own = cast<RankedTensorType>(operand.getType()).getRank();
    AffineMap all = builder.getMultiDimIdentityMap(rank);
    maps.push_back(AffineMap::get(rank, 0, all.getResults().take_front(own), builder.getContext()));
  }
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), numParallel, utils::IteratorType::parallel);
  auto write = [&](OpBuilder &inside, Location, ValueRange elements) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    Value value = combine(elements);
    linalg::YieldOp::create(builder, at, value);
  };
  return linalg::GenericOp::create(builder, at, init.getType(), inputs, init, maps, iterators, write).getResult(0);
}

/// Inlines a function on these operands.
SmallVector<Value> DecodeWriter::inlineCall(func::FuncOp function, ValueRange operands) {
  IRMapping values;
  for (auto [argument, operand] : llvm::zip_equal(function.getArguments(), operands)) {
    Value cast = operand;
    if (operand.getType() != argument.getType())
      cast = tensor::CastOp::create(builder, at, argument.getType(), operand);
    values.map(argument, cast);
  }
  for (Operation &op : function.front().without_terminator())
    builder.clone(op, values);
  return llvm::map_to_vector(function.front().getTerminator()->getOperands(),
                             [&](Value result) { return values.lookupOrDefault(result); });
}

//===-------------------------------------------- arguments ---------------------------------------------------===//

void DecodeWriter::addArgument(Type type, StringRef name, ArrayRef<StringRef> shape) {
  numbers[name] = argumentTypes.size();
  argumentTypes.push_back(type);
  arguments.push_back(
      builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                 builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))}));
}

/// Whether the argument is the tokens of the call: the argument with positions.
bool DecodeWriter::isTokens(func::FuncOp function, unsigned argument) {
  auto shape = function.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
  auto number = prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
  return argument < prefill.getNumArguments() && shape.size() == 2 && number.size() == 2 &&
         cast<StringAttr>(number[1]).getValue() == names.along;
}

/// Adds the arguments of a function that the loop does not provide.
void DecodeWriter::addOtherArguments(func::FuncOp function) {
  for (unsigned argument = 0; function && argument < function.getNumArguments(); ++argument) {
    StringRef name = nameOf(function, argument);
    bool isMade = function != begin && (isTokens(function, argument) || isState(function, argument) ||
                                        name == names.length || name == names.count || given.contains(name));
    if (isMade || numbers.contains(name))
      continue;
    SmallVector<StringRef> shape;
    for (Attribute size : function.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName))
      shape.push_back(cast<StringAttr>(size).getValue());
    addArgument(function.getArgumentTypes()[argument], name, shape);
  }
}

/// The dimensions of all functions; that of the prompt is reduced to leave room for the tokens.
std::vector<Attribute> DecodeWriter::dimensions() {
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
LogicalResult DecodeWriter::addChoiceArguments() {
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
      return choose.emitError("`") << name
                                   << "` is an argument of what chooses, and of what decodes by it too; expected "
                                   << "another name";
    addArgument(RankedTensorType::get(extents, type.getElementType()), name, shape);
  }
  if (usesRandom())
    addArgument(RankedTensorType::get({}, builder.getI32Type()), "seed", {});
  return success();
}

/// Appends the sampler's other operands to those that the loop provides.
void DecodeWriter::appendChoiceOperands(SmallVector<Value> &operands, Value stepNumber) {
  for (unsigned argument = numLoopOperands(); argument < choose.getNumArguments(); ++argument)
    if (!choose.getArgAttr(argument, model::keyAttrName))
      operands.push_back(result.getArgument(numbers[nameOf(choose, argument)]));
  if (usesRandom())
    llvm::append_values(operands, result.getArguments().back(), stepNumber);
}

LogicalResult DecodeWriter::writeEntry() {
  Type tokens = RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic}, builder.getI32Type());
  Type lengths = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  addArgument(tokens, "prompt", {names.row, names.along});
  addArgument(lengths, "prompt_length", {names.row});
  if (begin)
    for (unsigned result = 0; result < begin.getNumResults(); ++result)
      given[begin.getResultAttrOfType<StringAttr>(result, model::nameAttrName).getValue()] = Value();
  addOtherArguments(begin);
  addOtherArguments(prefill);
  for (StringRef name : {"prompt", "prompt_length", "seed"})
    if (numbers.contains(name) && numbers[name] > 1)
      return choose.emitError("`") << name << "` is an argument of `" << step.getName()
                                   << "`, and of what decodes by it too; expected another name";
  if (failed(addChoiceArguments()))
    return failure();
  std::string name = choose.getName().str(), width = std::to_string(maxTokens);
  Type written = RankedTensorType::get({ShapedType::kDynamic, maxTokens}, builder.getI32Type());
  choose.setName(name + ".choose");
  result = func::FuncOp::create(builder, at, name, builder.getFunctionType(argumentTypes, {written, lengths}));
  result->setAttr(model::entryAttrName, builder.getUnitAttr());
  result->setAttr(model::dimensionsAttrName, builder.getArrayAttr(dimensions()));
  if (auto doc = choose->getAttr(model::docAttrName))
    result->setAttr(model::docAttrName, doc);
  result.setAllArgAttrs(arguments);
  auto port = [&](StringRef name, ArrayRef<StringRef> shape) {
    result.setResultAttrs(name == "tokens" ? 0 : 1,
                          {builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                           builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))});
  };
  port("tokens", {names.row, width});
  port("length", {names.row});
  Block *body = result.addEntryBlock();
  builder.setInsertionPointToStart(body);
  prompt = body->getArgument(0);
  promptLength = body->getArgument(1);
  rows = tensor::DimOp::create(builder, at, prompt, 0);
  positions = tensor::DimOp::create(builder, at, prompt, 1);
  return success();
}

//===-------------------------------------------- calls before the loop ---------------------------------------===//

/// Operands in the order of the arguments of next or next_prefill.
SmallVector<Value> DecodeWriter::makeOperands(func::FuncOp function, Value tokens, Value length, Value count,
                                              ValueRange caches) {
  SmallVector<Value> operands;
  auto next = caches.begin();
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument) {
    StringRef name = nameOf(function, argument);
    if (isState(function, argument))
      operands.push_back(*next++);
    else if (isTokens(function, argument))
      operands.push_back(tokens);
    else if (name == names.length || name == names.count)
      operands.push_back(name == names.length ? length : count);
    else if (given.contains(name))
      operands.push_back(given[name]);
    else
      operands.push_back(result.getArgument(numbers[name]));
  }
  return operands;
}

void DecodeWriter::writeBegin() {
  if (!begin)
    return;
  SmallVector<Value> operands;
  for (unsigned argument = 0; argument < begin.getNumArguments(); ++argument)
    operands.push_back(result.getArgument(numbers[nameOf(begin, argument)]));
  for (auto [result, value] : llvm::enumerate(inlineCall(begin, operands)))
    given[begin.getResultAttrOfType<StringAttr>(result, model::nameAttrName).getValue()] = value;
}

/// The caches after prefill; of row b, the first first[b] positions are valid.
SmallVector<Value> DecodeWriter::writePrefill(Value first) {
  // The last token is never read.
  Value spare = arith::ConstantIndexOp::create(builder, at, maxTokens - 1);
  Value capacity = arith::AddIOp::create(builder, at, positions, spare);
  SmallVector<Value> caches;
  for (unsigned argument = 0; argument < prefill.getNumArguments(); ++argument) {
    if (!isState(prefill, argument))
      continue;
    auto type = cast<RankedTensorType>(prefill.getArgumentTypes()[argument]);
    auto shape = prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(shape.getAsValueRange<StringAttr>())) {
      if (!type.isDynamicDim(dim))
        sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
      else
        sizes.push_back(size == names.capacity ? capacity : rows);
    }
    caches.push_back(tensor::EmptyOp::create(builder, at, sizes, type.getElementType()));
  }
  Value none = generate({rows}, builder.getI32Type(), [&](ValueRange) { return i32(0); });
  SmallVector<Value> results = inlineCall(prefill, makeOperands(prefill, prompt, none, first, caches));
  return llvm::to_vector(ArrayRef(results).take_back(caches.size()));
}

/// f32[batch, vocab] logits of one position, or of the last one.
Value DecodeWriter::lastLogits(Value result) {
  if (cast<RankedTensorType>(result.getType()).getRank() == 3)
    result = tensor::CollapseShapeOp::create(builder, at, result, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  return result;
}

/// The last token of each prompt, i32[batch, 1].
Value DecodeWriter::lastTokens() {
  Value one = arith::ConstantIndexOp::create(builder, at, 1);
  return generate({rows, one}, builder.getI32Type(), [&](ValueRange index) {
    Value last = arith::SubIOp::create(builder, at, read(promptLength, index[0]), i32(1));
    last = arith::IndexCastOp::create(builder, at, builder.getIndexType(), last);
    return read(prompt, {index[0], last});
  });
}

/// Ends the loop after this decoding step if all of these numbers are 1.
void DecodeWriter::endIfAll(Value ended) {
  Value one = generate({}, builder.getI32Type(), [&](ValueRange) { return i32(1); });
  Value done = reduce(one, ended, [&](ValueRange elements) -> Value {
    return arith::MinSIOp::create(builder, at, elements[0], elements[1]);
  });
  model::EndIfOp::create(builder, at, done);
}

void DecodeWriter::writeLoop(SmallVector<Value> caches, Value first) {
  Type i32Type = builder.getI32Type();
  Value one = arith::ConstantIndexOp::create(builder, at, 1), zero = arith::ConstantIndexOp::create(builder, at, 0);
  Value width = arith::ConstantIndexOp::create(builder, at, maxTokens);
  Value token = lastTokens();
  auto zeros = [&](ArrayRef<Value> sizes) { return generate(sizes, i32Type, [&](ValueRange) { return i32(0); }); };
  Value tokens = generate({rows, width}, i32Type, [&](ValueRange) { return i32(stop.value_or(0)); });
  SmallVector<Value> inits = {token, first, zeros({rows}), tokens, zeros({rows}), zeros({})};
  llvm::append_range(inits, caches);
  auto loop = scf::ForOp::create(builder, at, zero, width, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto carried = loop.getRegionIterArgs();
  Value position = carried[1], ended = carried[2], length = carried[4], stepNumber = carried[5];
  SmallVector<Value> results = inlineCall(
      step, makeOperands(step, carried[0], position, Value(), carried.drop_front(inits.size() - caches.size())));
  SmallVector<Value> operands = {lastLogits(results[0])};
  appendChoiceOperands(operands, stepNumber);
  Value chosen = inlineCall(choose, operands).front();
  auto isOver = [&](Value row) { return compare(arith::CmpIPredicate::ne, read(ended, row), i32(0)); };
  Value endedNext = generate({rows}, i32Type, [&](ValueRange index) {
    Value before = read(ended, index);
    return stop ? choice(compare(arith::CmpIPredicate::eq, read(chosen, index), i32(*stop)), i32(1), before) : before;
  });
  auto isWritten = [&](Value row) { return compare(arith::CmpIPredicate::eq, read(endedNext, row), i32(0)); };
  Value written = generate({rows, width}, i32Type, [&](ValueRange index) {
    Value number = arith::IndexCastOp::create(builder, at, i32Type, index[1]);
    Value isHere = compare(arith::CmpIPredicate::eq, number, read(stepNumber, {}));
    isHere = arith::AndIOp::create(builder, at, isHere, isWritten(index[0]));
    return choice(isHere, read(chosen, index[0]), read(carried[3], index));
  });
  auto plusOne = [&](Value number) -> Value { return arith::AddIOp::create(builder, at, number, i32(1)); };
  Value lengthNext = generate({rows}, i32Type, [&](ValueRange index) {
    Value before = read(length, index);
    return choice(isWritten(index[0]), plusOne(before), before);
  });
  Value next = generate({rows, one}, i32Type, [&](ValueRange index) {
    return choice(isOver(index[0]), read(carried[0], index), read(chosen, index[0]));
  });
  Value positionNext = generate({rows}, i32Type, [&](ValueRange index) { return plusOne(read(position, index)); });
  Value nextStepNumber = generate({}, i32Type, [&](ValueRange) { return plusOne(read(stepNumber, {})); });
  if (stop && maxTokens > 1)
    endIfAll(endedNext);
  SmallVector<Value> yielded = {next, positionNext, endedNext, written, lengthNext, nextStepNumber};
  llvm::append_range(yielded, ArrayRef(results).take_back(caches.size()));
  scf::YieldOp::create(builder, at, yielded);
  builder.setInsertionPointAfter(loop);
  func::ReturnOp::create(builder, at, ValueRange{loop.getResult(3), loop.getResult(4)});
}

LogicalResult DecodeWriter::write() {
  if (failed(writeEntry()))
    return failure();
  writeBegin();
  // Clamped into range for any length; an invalid length sets the status where the prompt's last token is read.
  Value maxPositions = positions;
  Value first = generate({rows}, builder.getI32Type(), [&](ValueRange index) {
    Value count = arith::IndexCastOp::create(builder, at, builder.getI32Type(), maxPositions);
    Value length = arith::MinSIOp::create(builder, at, read(promptLength, index), count);
    return arith::SubIOp::create(builder, at, arith::MaxSIOp::create(builder, at, length, i32(1)), i32(1));
  });
  SmallVector<Value> caches = writePrefill(first);
  if (!beams)
    writeLoop(caches, first);
  else if (succeeded(repeatOtherArguments()))
    writeSearch(caches, first);
  else
    return failure();
  choose.erase();
  return success();
}

LogicalResult deriveDecode(func::FuncOp function, const IncrementalNames &names) {
  return DecodeWriter(function, names).write();
}

} // namespace attnc
