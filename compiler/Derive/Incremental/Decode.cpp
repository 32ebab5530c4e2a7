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
  atMost = decode.getAs<IntegerAttr>("at_most").getInt();
  if (auto token = decode.getAs<IntegerAttr>("stop"))
    stop = token.getInt();
  if (auto count = decode.getAs<IntegerAttr>("beams"))
    beams = count.getInt();
}

//===-------------------------------------------- tensors -----------------------------------------------------===//

/// The tensor of these sizes with the elements of `body`.
Value DecodeWriter::each(ArrayRef<Value> sizes, Type element, Body body) {
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

/// The inputs, reduced over the dimensions that `init` does not have; `combine` gets an element of each, then what
/// there is so far.
Value DecodeWriter::reduced(Value init, ValueRange inputs, llvm::function_ref<Value(ValueRange elements)> combine) {
  unsigned kept = cast<RankedTensorType>(init.getType()).getRank();
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
  std::fill_n(iterators.begin(), kept, utils::IteratorType::parallel);
  auto write = [&](OpBuilder &inside, Location, ValueRange elements) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(inside.saveInsertionPoint());
    Value value = combine(elements);
    linalg::YieldOp::create(builder, at, value);
  };
  return linalg::GenericOp::create(builder, at, init.getType(), inputs, init, maps, iterators, write).getResult(0);
}

/// The body of a function on these operands.
SmallVector<Value> DecodeWriter::inlined(func::FuncOp function, ValueRange operands) {
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

/// The tensor of the call's positions: the one argument that has them.
bool DecodeWriter::isTokens(func::FuncOp function, unsigned argument) {
  auto shape = function.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
  auto number = prefill.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName);
  return argument < prefill.getNumArguments() && shape.size() == 2 && number.size() == 2 &&
         cast<StringAttr>(number[1]).getValue() == names.along;
}

/// What a function takes that nobody here makes.
void DecodeWriter::addOthers(func::FuncOp function) {
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

/// Those of the functions; of the prompt, what leaves room for the tokens.
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
        max = max < 0 ? max : max - atMost + 1;
        min = std::max<int64_t>(min, 1);
      }
      result.push_back(model::DimensionAttr::get(builder.getContext(), dimension.getName(), max, min));
    }
  return result;
}

/// What the choice takes besides logits. Its names of rows and vocabulary are its own.
LogicalResult DecodeWriter::addChoiceArguments() {
  auto logits = choose.getArgAttrOfType<ArrayAttr>(chosenBy() - 1, model::shapeAttrName);
  auto size = [](ArrayAttr shape, size_t number) { return cast<StringAttr>(shape[number]).getValue(); };
  auto result = step.getResultAttrOfType<ArrayAttr>(0, model::shapeAttrName);
  for (unsigned argument = chosenBy(); argument < choose.getNumArguments(); ++argument) {
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
  if (draws())
    addArgument(RankedTensorType::get({}, builder.getI32Type()), "seed", {});
  return success();
}

/// Behind what it takes from the loop, the arguments of the choice.
void DecodeWriter::appendChoiceOperands(SmallVector<Value> &operands, Value turn) {
  for (unsigned argument = chosenBy(); argument < choose.getNumArguments(); ++argument)
    if (!choose.getArgAttr(argument, model::keyAttrName))
      operands.push_back(made.getArgument(numbers[nameOf(choose, argument)]));
  if (draws())
    llvm::append_values(operands, made.getArguments().back(), turn);
}

LogicalResult DecodeWriter::writeEntry() {
  Type tokens = RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic}, builder.getI32Type());
  Type lengths = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  addArgument(tokens, "prompt", {names.row, names.along});
  addArgument(lengths, "prompt_length", {names.row});
  if (begin)
    for (unsigned result = 0; result < begin.getNumResults(); ++result)
      given[begin.getResultAttrOfType<StringAttr>(result, model::nameAttrName).getValue()] = Value();
  addOthers(begin);
  addOthers(prefill);
  for (StringRef name : {"prompt", "prompt_length", "seed"})
    if (numbers.contains(name) && numbers[name] > 1)
      return choose.emitError("`") << name << "` is an argument of `" << step.getName()
                                   << "`, and of what decodes by it too; expected another name";
  if (failed(addChoiceArguments()))
    return failure();
  std::string name = choose.getName().str(), width = std::to_string(atMost);
  Type written = RankedTensorType::get({ShapedType::kDynamic, atMost}, builder.getI32Type());
  choose.setName(name + ".choose");
  made = func::FuncOp::create(builder, at, name, builder.getFunctionType(argumentTypes, {written, lengths}));
  made->setAttr(model::entryAttrName, builder.getUnitAttr());
  made->setAttr(model::dimensionsAttrName, builder.getArrayAttr(dimensions()));
  if (auto doc = choose->getAttr(model::docAttrName))
    made->setAttr(model::docAttrName, doc);
  made.setAllArgAttrs(arguments);
  auto port = [&](StringRef name, ArrayRef<StringRef> shape) {
    made.setResultAttrs(name == "tokens" ? 0 : 1,
                        {builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                         builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))});
  };
  port("tokens", {names.row, width});
  port("length", {names.row});
  Block *body = made.addEntryBlock();
  builder.setInsertionPointToStart(body);
  prompt = body->getArgument(0);
  promptLength = body->getArgument(1);
  rows = tensor::DimOp::create(builder, at, prompt, 0);
  positions = tensor::DimOp::create(builder, at, prompt, 1);
  return success();
}

//===-------------------------------------------- stages ------------------------------------------------------===//

/// In the order of the arguments of next or next_prefill.
SmallVector<Value> DecodeWriter::operandsOf(func::FuncOp function, Value tokens, Value length, Value count,
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
      operands.push_back(made.getArgument(numbers[name]));
  }
  return operands;
}

void DecodeWriter::writeBegin() {
  if (!begin)
    return;
  SmallVector<Value> operands;
  for (unsigned argument = 0; argument < begin.getNumArguments(); ++argument)
    operands.push_back(made.getArgument(numbers[nameOf(begin, argument)]));
  for (auto [result, value] : llvm::enumerate(inlined(begin, operands)))
    given[begin.getResultAttrOfType<StringAttr>(result, model::nameAttrName).getValue()] = value;
}

/// The caches with the prompt's positions; those of row b in front of first[b] count.
SmallVector<Value> DecodeWriter::writePrefill(Value first) {
  // The last token is not read any more.
  Value spare = arith::ConstantIndexOp::create(builder, at, atMost - 1);
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
  Value none = each({rows}, builder.getI32Type(), [&](ValueRange) { return i32(0); });
  SmallVector<Value> results = inlined(prefill, operandsOf(prefill, prompt, none, first, caches));
  return llvm::to_vector(ArrayRef(results).take_back(caches.size()));
}

/// f32[batch, vocab], of one position or of the last one.
Value DecodeWriter::logitsOf(Value result) {
  if (cast<RankedTensorType>(result.getType()).getRank() == 3)
    result = tensor::CollapseShapeOp::create(builder, at, result, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  return result;
}

/// The last token of each prompt, i32[batch, 1].
Value DecodeWriter::lastTokens() {
  Value one = arith::ConstantIndexOp::create(builder, at, 1);
  return each({rows, one}, builder.getI32Type(), [&](ValueRange index) {
    Value last = arith::SubIOp::create(builder, at, read(promptLength, index[0]), i32(1));
    last = arith::IndexCastOp::create(builder, at, builder.getIndexType(), last);
    return read(prompt, {index[0], last});
  });
}

/// No turn follows where all of these numbers are 1.
void DecodeWriter::endIfAll(Value ended) {
  Value one = each({}, builder.getI32Type(), [&](ValueRange) { return i32(1); });
  Value done = reduced(one, ended, [&](ValueRange elements) -> Value {
    return arith::MinSIOp::create(builder, at, elements[0], elements[1]);
  });
  model::EndIfOp::create(builder, at, done);
}

void DecodeWriter::writeLoop(SmallVector<Value> caches, Value first) {
  Type i32Type = builder.getI32Type();
  Value one = arith::ConstantIndexOp::create(builder, at, 1), zero = arith::ConstantIndexOp::create(builder, at, 0);
  Value width = arith::ConstantIndexOp::create(builder, at, atMost);
  Value token = lastTokens();
  auto zeros = [&](ArrayRef<Value> sizes) { return each(sizes, i32Type, [&](ValueRange) { return i32(0); }); };
  Value tokens = each({rows, width}, i32Type, [&](ValueRange) { return i32(stop.value_or(0)); });
  SmallVector<Value> inits = {token, first, zeros({rows}), tokens, zeros({rows}), zeros({})};
  llvm::append_range(inits, caches);
  auto loop = scf::ForOp::create(builder, at, zero, width, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto carried = loop.getRegionIterArgs();
  Value position = carried[1], ended = carried[2], length = carried[4], turn = carried[5];
  SmallVector<Value> results =
      inlined(step, operandsOf(step, carried[0], position, Value(), carried.drop_front(inits.size() - caches.size())));
  SmallVector<Value> operands = {logitsOf(results[0])};
  appendChoiceOperands(operands, turn);
  Value chosen = inlined(choose, operands).front();
  auto isOver = [&](Value row) { return compare(arith::CmpIPredicate::ne, read(ended, row), i32(0)); };
  Value endedNext = each({rows}, i32Type, [&](ValueRange index) {
    Value before = read(ended, index);
    return stop ? choice(compare(arith::CmpIPredicate::eq, read(chosen, index), i32(*stop)), i32(1), before) : before;
  });
  auto isWritten = [&](Value row) { return compare(arith::CmpIPredicate::eq, read(endedNext, row), i32(0)); };
  Value written = each({rows, width}, i32Type, [&](ValueRange index) {
    Value number = arith::IndexCastOp::create(builder, at, i32Type, index[1]);
    Value isHere = compare(arith::CmpIPredicate::eq, number, read(turn, {}));
    isHere = arith::AndIOp::create(builder, at, isHere, isWritten(index[0]));
    return choice(isHere, read(chosen, index[0]), read(carried[3], index));
  });
  auto plusOne = [&](Value number) -> Value { return arith::AddIOp::create(builder, at, number, i32(1)); };
  Value lengthNext = each({rows}, i32Type, [&](ValueRange index) {
    Value before = read(length, index);
    return choice(isWritten(index[0]), plusOne(before), before);
  });
  Value next = each({rows, one}, i32Type, [&](ValueRange index) {
    return choice(isOver(index[0]), read(carried[0], index), read(chosen, index[0]));
  });
  Value positionNext = each({rows}, i32Type, [&](ValueRange index) { return plusOne(read(position, index)); });
  Value turnNext = each({}, i32Type, [&](ValueRange) { return plusOne(read(turn, {})); });
  if (stop && atMost > 1)
    endIfAll(endedNext);
  SmallVector<Value> yielded = {next, positionNext, endedNext, written, lengthNext, turnNext};
  llvm::append_range(yielded, ArrayRef(results).take_back(caches.size()));
  scf::YieldOp::create(builder, at, yielded);
  builder.setInsertionPointAfter(loop);
  func::ReturnOp::create(builder, at, ValueRange{loop.getResult(3), loop.getResult(4)});
}

LogicalResult DecodeWriter::write() {
  if (failed(writeEntry()))
    return failure();
  writeBegin();
  // In range whatever the lengths are; the prompt's last token is read with a status for those that are not.
  Value most = positions;
  Value first = each({rows}, builder.getI32Type(), [&](ValueRange index) {
    Value count = arith::IndexCastOp::create(builder, at, builder.getI32Type(), most);
    Value length = arith::MinSIOp::create(builder, at, read(promptLength, index), count);
    return arith::SubIOp::create(builder, at, arith::MaxSIOp::create(builder, at, length, i32(1)), i32(1));
  });
  SmallVector<Value> caches = writePrefill(first);
  if (!beams)
    writeLoop(caches, first);
  else if (succeeded(repeatOthers()))
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
