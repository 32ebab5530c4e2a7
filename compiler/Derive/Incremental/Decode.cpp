#include "compiler/Derive/Incremental/Decode.h"
#include "compiler/Derive/Incremental/BeamSearch.h"

using namespace mlir;

namespace attnc {
namespace {

/// Writer of the loop that samples one token for each row.
class SamplingLoop : TensorWriter {
public:
  explicit SamplingLoop(DecodeEntry &entry) : TensorWriter(entry), entry(entry) {}
  void write(ValueRange caches, Value first);

private:
  DecodeEntry &entry;
};

} // namespace

void SamplingLoop::write(ValueRange caches, Value first) {
  Type i32Type = builder.getI32Type();
  Value rows = entry.rows, one = constant(1), zero = constant(0), width = constant(entry.maxTokens);
  Value token = entry.firstTokens(), tokens = fill({rows, width}, entry.stop.value_or(0));
  Values inits = {token, first, fill({rows}, 0), tokens, fill({rows}, 0), fill({}, 0)};
  llvm::append_range(inits, caches);
  auto loop = scf::ForOp::create(builder, at, zero, width, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  auto carried = loop.getRegionIterArgs();
  Value position = carried[1], ended = carried[2], length = carried[4], stepNumber = carried[5];
  DecodeEntry::StepResults results =
      entry.callStep(carried[0], position, carried.drop_front(inits.size() - caches.size()));
  Value chosen = entry.callSampler({results.logits}, stepNumber).front();
  auto isOver = [&](Value row) { return compare(arith::CmpIPredicate::ne, read(ended, row), i32(0)); };
  Value endedNext = generate({rows}, i32Type, [&](ValueRange index) {
    Value before = read(ended, index), isEnd = entry.isEnd(read(chosen, index));
    return isEnd ? choice(isEnd, i32(1), before) : before;
  });
  auto isWritten = [&](Value row) { return equal(read(endedNext, row), i32(0)); };
  Value written = generate({rows, width}, i32Type, [&](ValueRange index) {
    Value number = toI32(index[1]);
    Value isHere = equal(number, read(stepNumber, {}));
    isHere = arith::AndIOp::create(builder, at, isHere, isWritten(index[0]));
    return choice(isHere, read(chosen, index[0]), read(carried[3], index));
  });
  Value lengthNext = generate({rows}, i32Type, [&](ValueRange index) {
    Value before = read(length, index);
    return choice(isWritten(index[0]), plusOne(before), before);
  });
  Value next = generate({rows, one}, i32Type, [&](ValueRange index) {
    return choice(isOver(index[0]), read(carried[0], index), read(chosen, index[0]));
  });
  Value positionNext = generate({rows}, i32Type, [&](ValueRange index) { return plusOne(read(position, index)); });
  Value nextStepNumber = generate({}, i32Type, [&](ValueRange) { return plusOne(read(stepNumber, {})); });
  entry.endIfAll(endedNext, nextStepNumber, positionNext);
  Values yielded = {next, positionNext, endedNext, written, lengthNext, nextStepNumber};
  llvm::append_range(yielded, results.caches);
  scf::YieldOp::create(builder, at, yielded);
  builder.setInsertionPointAfter(loop);
  Values returned = {loop.getResult(3), loop.getResult(4)};
  if (entry.isResumed)
    llvm::append_range(returned, loop.getResults().take_back(caches.size()));
  func::ReturnOp::create(builder, at, returned);
}

/// Writes the entry point that chooses a token after each position of the call.
static void writeVerification(DecodeEntry &entry) {
  OpBuilder &builder = entry.builder;
  Location at = entry.at;
  Type i32Type = builder.getI32Type();
  DecodeEntry::StepResults results = entry.callVerified();
  auto type = cast<RankedTensorType>(results.logits.getType());
  // By position, so that an element of the list is the logits of one position.
  Value list = entry.generate({entry.positions, entry.rows, entry.constant(type.getShape().back())},
                              type.getElementType(), [&](ValueRange index) {
                                return entry.read(results.logits, {index[1], index[0], index[2]});
                              });
  Value tokens = entry.fill({entry.positions, entry.rows}, 0);
  auto loop = scf::ForOp::create(builder, at, entry.constant(0), entry.positions, entry.constant(1),
                                 ValueRange{tokens, entry.fill({}, 0)});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value place = loop.getInductionVar(), stepNumber = loop.getRegionIterArg(1);
    auto elementType = RankedTensorType::get({type.getShape()[0], type.getShape()[2]}, type.getElementType());
    Value logits = model::ElementOp::create(builder, at, elementType, list, place);
    Value chosen = entry.callSampler({logits}, stepNumber).front();
    Value written = entry.generate({entry.rows}, i32Type, [&](ValueRange index) {
      Value token = entry.read(chosen, index);
      return entry.choice(entry.isEnd(token), entry.i32(-1), token);
    });
    Value all = model::WithElementOp::create(builder, at, tokens.getType(), written, loop.getRegionIterArg(0), place);
    Value next = entry.generate({}, i32Type, [&](ValueRange) { return entry.plusOne(entry.read(stepNumber, {})); });
    scf::YieldOp::create(builder, at, ValueRange{all, next});
  }
  Value byRow = entry.generate({entry.rows, entry.positions}, i32Type, [&](ValueRange index) {
    return entry.read(loop.getResult(0), {index[1], index[0]});
  });
  SmallVector<Value> returned = {byRow};
  llvm::append_range(returned, results.caches);
  func::ReturnOp::create(builder, at, returned);
}

/// The positions of each prompt before its last token. Clamped into range for any length; an invalid length sets the
/// status where the prompt's last token is read.
static Value prefillCounts(DecodeEntry &entry) {
  OpBuilder &builder = entry.builder;
  Location at = entry.at;
  return entry.generate({entry.rows}, builder.getI32Type(), [&](ValueRange index) {
    Value count = entry.toI32(entry.positions);
    Value length = arith::MinSIOp::create(builder, at, entry.read(entry.promptLength, index), count);
    return arith::SubIOp::create(builder, at, arith::MaxSIOp::create(builder, at, length, entry.i32(1)), entry.i32(1));
  });
}

/// Adds a copy of a function.
static func::FuncOp copyAs(const Twine &name, func::FuncOp function) {
  OpBuilder builder(function);
  builder.setInsertionPointAfter(function);
  auto copy = cast<func::FuncOp>(builder.clone(*function));
  copy.setName(name.str());
  return copy;
}

/// Adds the entry points beside a resumed loop: next_begin, and next_prefill without the logits.
static void addBeginAndPrefill(StringRef writer, DecodeEntry &entry) {
  if (entry.begin)
    copyAs(writer + ResumedNames::begin, entry.begin);
  func::FuncOp prefill = copyAs(writer + ResumedNames::prefill, entry.prefill);
  for (unsigned argument = 0; argument < prefill.getNumArguments(); ++argument)
    prefill.setArgAttrs(argument, entry.resumedAttributes(entry.prefill, argument));
  Operation *end = prefill.front().getTerminator();
  llvm::BitVector logits(prefill.getNumResults());
  for (unsigned result = 0; result < prefill.getNumResults(); ++result)
    if (!prefill.getResultAttr(result, model::stateAttrName))
      logits.set(result);
  end->eraseOperands(logits);
  (void)prefill.eraseResults(logits);
}

/// Adds a copy of the sampler of a resumed loop, whose model.decode has `others` besides.
static void copySampler(func::FuncOp sampler, StringRef suffix, ArrayRef<NamedAttribute> others = {}) {
  Builder builder(sampler.getContext());
  NamedAttrList attributes(sampler->getAttrOfType<DictionaryAttr>(model::decodeAttrName));
  attributes.set(DecodeEntry::resumedKey, builder.getUnitAttr());
  for (NamedAttribute each : others)
    attributes.set(each.getName(), each.getValue());
  func::FuncOp copy = copyAs(sampler.getName() + suffix, sampler);
  copy->setAttr(model::decodeAttrName, attributes.getDictionary(sampler.getContext()));
}

bool addResumedSampler(ModuleOp module, StringRef writer) {
  auto sampler = module.lookupSymbol<func::FuncOp>(writer);
  auto decode = sampler ? sampler->getAttrOfType<DictionaryAttr>(model::decodeAttrName) : DictionaryAttr();
  if (!decode || decode.contains("beams"))
    return false;
  copySampler(sampler, ResumedNames::steps);
  return true;
}

/// The function of which the loop of `writer` calls an incremental version.
static func::FuncOp decodedFunction(ModuleOp module, StringRef writer) {
  auto decode = module.lookupSymbol(writer)->getAttrOfType<DictionaryAttr>(model::decodeAttrName);
  return module.lookupSymbol<func::FuncOp>(decode.getAs<StringAttr>("of"));
}

void allowTruncation(ModuleOp module, StringRef writer, int64_t positions) {
  func::FuncOp next = decodedFunction(module, writer);
  auto asked = next->getAttrOfType<IntegerAttr>(model::takeBackAttrName);
  next->setAttr(model::takeBackAttrName,
                Builder(module.getContext()).getI64IntegerAttr(std::max(asked ? asked.getInt() : 1, positions)));
}

/// The function that computes the logits of all positions for `next`; null if there is none.
static func::FuncOp logitsOfAll(ModuleOp module, func::FuncOp next) {
  auto shapeOf = [](func::FuncOp function) {
    return llvm::to_vector(function.getResultAttrOfType<ArrayAttr>(0, model::shapeAttrName));
  };
  SmallVector<Attribute> shape = shapeOf(next);
  if (shape.size() == 3)
    return next;
  shape.insert(shape.begin() + 1, next->getAttr(model::incrementalAttrName));
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(model::entryAttrName) && function.getNumResults() == 1 &&
        function.getArgumentTypes() == next.getArgumentTypes() && function.getAllArgAttrs() == next.getAllArgAttrs() &&
        !function->hasAttr(model::incrementalAttrName) && shapeOf(function) == shape)
      return function;
  return {};
}

LogicalResult addVerification(ModuleOp module, StringRef writer) {
  func::FuncOp next = decodedFunction(module, writer), logits = logitsOfAll(module, next);
  if (!logits)
    return next.emitError("drafted tokens can't be verified: no entry point computes the logits of all positions; "
                          "export a function with the arguments of `")
           << next.getName() << "` that returns them";
  Builder builder(module.getContext());
  func::FuncOp copy = copyAs(writer + ResumedNames::verify + ".next", logits);
  for (StringRef name : {model::incrementalAttrName, model::takeBackAttrName, model::dimensionsAttrName})
    if (Attribute value = next->getAttr(name))
      copy->setAttr(name, value);
  copySampler(module.lookupSymbol<func::FuncOp>(writer), ResumedNames::verify,
              {builder.getNamedAttr("of", copy.getNameAttr()),
               builder.getNamedAttr(DecodeEntry::verifiedKey, next.getNameAttr())});
  return success();
}

LogicalResult deriveDecode(func::FuncOp function, const IncrementalNames &names) {
  OpBuilder builder(function);
  std::string name = function.getName().str();
  DecodeEntry entry(builder, function, names);
  if (failed(entry.create()))
    return failure();
  if (entry.isVerified) {
    writeVerification(entry);
    function.erase();
    return success();
  }
  if (entry.isResumed) {
    SamplingLoop(entry).write(entry.oldStates, entry.argument(ResumedNames::length));
    addBeginAndPrefill(StringRef(name).drop_back(ResumedNames::steps.size()), entry);
    function.erase();
    return success();
  }
  entry.callBegin();
  Value first = prefillCounts(entry);
  SmallVector<Value> caches = entry.callPrefill(first);
  if (!entry.beams)
    SamplingLoop(entry).write(caches, first);
  else if (failed(BeamSearch(entry).write(caches, first)))
    return failure();
  function.erase();
  return success();
}

/// Returns the operands of the call in the order of the function's arguments; empty, with an error, if one is missing.
static FailureOr<SmallVector<Value>> operandsFor(model::CallOp call, func::FuncOp function) {
  SmallVector<Value> operands;
  for (unsigned argument = 0; argument < function.getNumArguments(); ++argument) {
    auto name = function.getArgAttrOfType<StringAttr>(argument, model::nameAttrName);
    auto place = llvm::find(call.getNames(), name);
    if (place == call.getNames().end())
      return call.emitOpError("lacks the argument ") << name;
    operands.push_back(call.getInputs()[place - call.getNames().begin()]);
  }
  return operands;
}

static LogicalResult inlineDecoder(model::CallOp call) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!function || !function->hasAttr(model::entryAttrName) || function->hasAttr(model::decodeAttrName) ||
      function.getNumResults() != call.getNumResults())
    return call.emitOpError("names no derived decoding loop: ") << call.getCallee();
  FailureOr<SmallVector<Value>> operands = operandsFor(call, function);
  if (failed(operands))
    return failure();
  OpBuilder builder(call);
  TensorWriter writer{builder, call.getLoc()};
  SmallVector<Value> results = writer.inlineCall(function, *operands);
  for (auto [result, value] : llvm::zip_equal(call.getResults(), results)) {
    if (value.getType() != result.getType())
      value = tensor::CastOp::create(builder, call.getLoc(), result.getType(), value);
    result.replaceAllUsesWith(value);
  }
  call.erase();
  return success();
}

LogicalResult inlineDecoderCalls(ModuleOp module) {
  // A sampler may call the loop of another one, so inlining may add calls; they are of entry points exported earlier.
  SmallVector<model::CallOp> calls;
  do {
    calls.clear();
    module.walk([&](model::CallOp call) { calls.push_back(call); });
    for (model::CallOp call : calls)
      if (failed(inlineDecoder(call)))
        return failure();
  } while (!calls.empty());
  return success();
}

} // namespace attnc
