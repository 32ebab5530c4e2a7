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
  isResumed = decode.contains(resumedKey);
  isVerified = decode.contains(verifiedKey);
}

//===------------------------------------------ arguments -----------------------------------------------------===//

void DecodeEntry::addArgument(Type type, StringRef name, ArrayRef<StringRef> shape) {
  addPort(type, name,
          builder.getDictionaryAttr({builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                     builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))}));
}

void DecodeEntry::addPort(Type type, StringRef name, DictionaryAttr attributes) {
  numbers[name] = argumentTypes.size();
  argumentTypes.push_back(type);
  arguments.push_back(attributes);
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

StringRef DecodeEntry::resumedName(func::FuncOp function, unsigned argument) {
  StringRef name = nameOf(function, argument);
  if (isTokens(function, argument))
    return ResumedNames::tokens;
  if (name == names.length)
    return ResumedNames::length;
  return name == names.count ? StringRef(ResumedNames::read) : name;
}

DictionaryAttr DecodeEntry::resumedAttributes(func::FuncOp function, unsigned argument) {
  NamedAttrList attributes(function.getArgAttrDict(argument));
  attributes.set(model::nameAttrName, builder.getStringAttr(resumedName(function, argument)));
  return attributes.getDictionary(builder.getContext());
}

/// The arguments of next or next_prefill, of the sampler, and of the decoding steps of the call.
LogicalResult DecodeEntry::addArgumentsOfResumed() {
  func::FuncOp called = this->called();
  auto add = [&](bool areStates) {
    for (unsigned argument = 0; argument < called.getNumArguments(); ++argument)
      if (isState(called, argument) == areStates)
        addPort(called.getArgumentTypes()[argument], resumedName(called, argument),
                resumedAttributes(called, argument));
  };
  add(/*areStates=*/false);
  if (failed(addSamplerArguments()))
    return failure();
  auto number = RankedTensorType::get({}, builder.getI32Type());
  addArgument(number, ResumedNames::first, ArrayRef<StringRef>());
  if (!isVerified)
    addArgument(number, ResumedNames::count, ArrayRef<StringRef>());
  std::string ends = std::to_string(ResumedNames::maxEnds);
  addArgument(RankedTensorType::get({ResumedNames::maxEnds}, builder.getI32Type()), ResumedNames::ends, {ends});
  firstState = argumentTypes.size();
  add(/*areStates=*/true);
  return success();
}

LogicalResult DecodeEntry::addArguments() {
  if (isResumed)
    return addArgumentsOfResumed();
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
  std::string name = choose.getName().str(), width = isVerified ? names.along : std::to_string(maxTokens);
  SmallVector<Type> results = {RankedTensorType::get(
      {ShapedType::kDynamic, isVerified ? ShapedType::kDynamic : maxTokens}, builder.getI32Type())};
  if (!isVerified)
    results.push_back(RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()));
  auto numTokens = unsigned(results.size());
  if (isResumed)
    llvm::append_range(results, ArrayRef(argumentTypes).drop_front(firstState));
  choose.setName(name + ".choose");
  entry = func::FuncOp::create(builder, at, name, builder.getFunctionType(argumentTypes, results));
  entry->setAttr(model::entryAttrName, builder.getUnitAttr());
  entry->setAttr(model::dimensionsAttrName,
                 isResumed ? called()->getAttr(model::dimensionsAttrName) : builder.getArrayAttr(dimensions()));
  if (auto doc = choose->getAttr(model::docAttrName))
    entry->setAttr(model::docAttrName, doc);
  entry.setAllArgAttrs(arguments);
  auto port = [&](unsigned result, StringRef name, ArrayRef<StringRef> shape) {
    entry.setResultAttrs(result, {builder.getNamedAttr(model::nameAttrName, builder.getStringAttr(name)),
                                  builder.getNamedAttr(model::shapeAttrName, builder.getStrArrayAttr(shape))});
  };
  port(0, "tokens", {names.row, width});
  if (!isVerified)
    port(1, "length", {names.row});
  for (unsigned state = firstState; isResumed && state < arguments.size(); ++state)
    entry.setResultAttrs(numTokens + state - firstState, cast<DictionaryAttr>(arguments[state]));
  Block *body = entry.addEntryBlock();
  builder.setInsertionPointToStart(body);
  if (isResumed) {
    llvm::append_range(oldStates, body->getArguments().drop_front(firstState));
    rows = tensor::DimOp::create(builder, at, firstTokens(), 0);
    if (isVerified)
      positions = tensor::DimOp::create(builder, at, firstTokens(), 1);
    return;
  }
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

/// Checks that an entry point that verifies tokens has the inputs and states of the resumed loop.
LogicalResult DecodeEntry::checkSharedArguments() {
  auto next = choose->getAttrOfType<DictionaryAttr>(model::decodeAttrName).getAs<StringAttr>(verifiedKey).str();
  auto other = choose->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(next + "_prefill");
  if (prefill.getArgumentTypes() == other.getArgumentTypes() && prefill.getAllArgAttrs() == other.getAllArgAttrs())
    return success();
  return choose.emitError("drafted tokens can't be verified: the logits of all positions need other inputs or states "
                          "than `")
         << next << "`";
}

LogicalResult DecodeEntry::create() {
  if (failed(checkStates()) || (isVerified && failed(checkSharedArguments())))
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

DecodeEntry::StepResults DecodeEntry::callVerified() {
  bool hasCount = llvm::any_of(llvm::seq(prefill.getNumArguments()),
                               [&](unsigned argument) { return nameOf(prefill, argument) == names.count; });
  Value count = hasCount ? argument(ResumedNames::read) : Value();
  Values results =
      inlineCall(prefill, makeOperands(prefill, firstTokens(), argument(ResumedNames::length), count, oldStates));
  return {results[0], Values(ArrayRef(results).take_back(oldStates.size()))};
}

TensorWriter::Values DecodeEntry::callSampler(Values operands, Value stepNumber) {
  for (unsigned argument = numLoopOperands(); argument < choose.getNumArguments(); ++argument)
    if (!choose.getArgAttr(argument, model::keyAttrName))
      operands.push_back(entry.getArgument(numbers[nameOf(choose, argument)]));
  if (usesRandom()) {
    Value draw = stepNumber;
    if (isResumed)
      draw = generate({}, builder.getI32Type(), [&](ValueRange) -> Value {
        return arith::AddIOp::create(builder, at, read(argument(ResumedNames::first), {}), read(stepNumber, {}));
      });
    llvm::append_values(operands, argument("seed"), draw);
  }
  return inlineCall(choose, operands);
}

Value DecodeEntry::firstTokens() {
  if (isResumed)
    return argument(ResumedNames::tokens);
  return generate({rows, constant(1)}, builder.getI32Type(), [&](ValueRange index) {
    Value last = arith::SubIOp::create(builder, at, read(promptLength, index[0]), i32(1));
    last = arith::IndexCastOp::create(builder, at, builder.getIndexType(), last);
    return read(prompt, {index[0], last});
  });
}

Value DecodeEntry::isEnd(Value token) {
  Value result = stop ? equal(token, i32(*stop)) : Value();
  for (int64_t number = 0; isResumed && number < ResumedNames::maxEnds; ++number) {
    Value isOne = equal(token, read(argument(ResumedNames::ends), {constant(number)}));
    result = result ? arith::OrIOp::create(builder, at, result, isOne) : isOne;
  }
  return result;
}

Value DecodeEntry::capacity() {
  unsigned state = 0;
  for (unsigned argument = 0; argument < step.getNumArguments(); ++argument) {
    if (!isState(step, argument))
      continue;
    auto shape = step.getArgAttrOfType<ArrayAttr>(argument, model::shapeAttrName).getAsValueRange<StringAttr>();
    for (auto [dimension, size] : llvm::enumerate(shape))
      if (size == names.capacity)
        return tensor::DimOp::create(builder, at, oldStates[state], dimension);
    ++state;
  }
  return {};
}

/// Whether a resumed loop ends: its decoding steps are done, a state is full, or `ended`.
Value DecodeEntry::isResumedDone(Value ended, Value stepsDone, Value position) {
  Value capacity = this->capacity(), longest = reduce(fill({}, 0), position, [&](ValueRange elements) -> Value {
                                       return arith::MaxSIOp::create(builder, at, elements[0], elements[1]);
                                     });
  return generate({}, builder.getI32Type(), [&](ValueRange) -> Value {
    Value done = compare(arith::CmpIPredicate::sge, read(stepsDone, {}), read(argument(ResumedNames::count), {}));
    if (capacity)
      done = arith::OrIOp::create(builder, at, done,
                                  compare(arith::CmpIPredicate::sge, read(longest, {}), toI32(capacity)));
    return choice(done, i32(1), read(ended, {}));
  });
}

void DecodeEntry::endIfAll(Value ended, Value stepsDone, Value position) {
  if ((!stop && !isResumed) || maxTokens <= 1)
    return;
  Value done = reduce(fill({}, 1), ended, [&](ValueRange elements) -> Value {
    return arith::MinSIOp::create(builder, at, elements[0], elements[1]);
  });
  if (isResumed)
    done = isResumedDone(done, stepsDone, position);
  model::EndIfOp::create(builder, at, done);
}

} // namespace attnc
