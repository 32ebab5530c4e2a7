#include "dialects/Attn/Attn.h"
#include "dialects/Attn/EnumNames.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::attn;

#include "dialects/Attn/AttnDialect.cpp.inc"
#include "dialects/Attn/AttnEnums.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Attn/AttnOps.cpp.inc"

void AttnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Attn/AttnOps.cpp.inc"
      >();
}

//===-------------------------------------------- attend ------------------------------------------------------===//

static StringRef statisticName(Attribute attribute) { return cast<StringAttr>(attribute).getValue(); }

static SmallVector<Statistic> statisticsOf(ArrayAttr yields) {
  return llvm::map_to_vector(yields, [](Attribute name) { return *statisticNamed(statisticName(name)); });
}

/// The enumeration has the order of Normalisers.def.
static constexpr Normaliser normalisers[] = {
#define ATTN_NORMALISER(NAME, WORD, TRAITS) Normaliser::NAME,
#include "dialects/Attn/Normalisers.def"
};
static constexpr bool isInOrder() {
  for (size_t number = 0; number < std::size(normalisers); ++number)
    if (static_cast<size_t>(normalisers[number]) != number)
      return false;
  return std::size(normalisers) == getMaxEnumValForNormaliser() + 1;
}
static_assert(isInOrder(), "a normaliser is missing, or not at its place");

SmallVector<Statistic> AttendOp::getStatistics() { return statisticsOf(getYields()); }

Value AttendOp::getResultFor(Statistic statistic) {
  for (auto [each, result] : llvm::zip(getStatistics(), getResults()))
    if (each == statistic)
      return result;
  return {};
}

template <typename Op> SmallVector<OpFoldResult> attn::sizesOf(Op op, Statistic statistic) {
  const StatisticInfo &info = infoOf(statistic);
  SmallVector<OpFoldResult> sizes;
  for (auto [dimension, size] : llvm::enumerate(op.getOuterSizes()))
    if (!info.isSummed || !llvm::is_contained(*op.getSummed(), int64_t(dimension)))
      sizes.push_back(size);
  if (info.hasKeys)
    llvm::append_range(sizes, op.getKeySizes());
  if (info.hasTop)
    sizes.push_back(op.getTopAttr());
  if (!info.hasValues)
    return sizes;
  llvm::append_range(sizes, op.getValueSizes());
  if (auto layout = op.getValueLayout())
    return llvm::map_to_vector(*layout, [&](int64_t dimension) { return sizes[dimension]; });
  return sizes;
}

template SmallVector<OpFoldResult> attn::sizesOf(AttendOp, Statistic);
template SmallVector<OpFoldResult> attn::sizesOf(AttendGradientOp, Statistic);

/// Returns the type of the op's tensor for the statistic, or a type with the sizes that are known.
template <typename Op> static Type typeOf(Op op, ValueRange tensors, Statistic statistic) {
  for (auto [each, tensor] : llvm::zip(op.getStatistics(), tensors))
    if (each == statistic)
      return tensor.getType();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizesOf(op, statistic))
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  Builder builder(op.getContext());
  return RankedTensorType::get(shape, infoOf(statistic).isOfKeys ? Type(builder.getI32Type()) : builder.getF32Type());
}

static ValueRange tensorsOf(AttendOp op) { return op.getResults(); }
static ValueRange tensorsOf(AttendGradientOp op) { return op.getCotangents(); }

template <typename Op> AttendOp attn::createAttendLike(OpBuilder &builder, Op op, ArrayRef<Statistic> statistics) {
  auto yieldsAny = [&](bool StatisticInfo::*property) {
    return llvm::any_of(statistics, [&](Statistic each) { return infoOf(each).*property; });
  };
  bool hasValue = yieldsAny(&StatisticInfo::hasValues);
  SmallVector<Type> types;
  SmallVector<StringRef> yields;
  for (Statistic statistic : statistics) {
    types.push_back(typeOf(op, tensorsOf(op), statistic));
    yields.push_back(textOf(statistic));
  }
  return AttendOp::create(builder, op.getLoc(), types, op.getOuterSizes(), op.getKeySizes(),
                          hasValue ? ValueRange(op.getValueSizes()) : ValueRange(), op.getNormaliser(),
                          builder.getStrArrayAttr(yields), hasValue ? op.getValueLayoutAttr() : DenseI64ArrayAttr(),
                          op.getAlphaAttr(), yieldsAny(&StatisticInfo::hasTop) ? op.getTopAttr() : IntegerAttr(),
                          yieldsAny(&StatisticInfo::isSummed) ? op.getSummedAttr() : DenseI64ArrayAttr());
}

template AttendOp attn::createAttendLike(OpBuilder &, AttendOp, ArrayRef<Statistic>);
template AttendOp attn::createAttendLike(OpBuilder &, AttendGradientOp, ArrayRef<Statistic>);

static ParseResult parseRegionWithIndices(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseIndex = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    argument.type = parser.getBuilder().getIndexType();
    if (parser.parseArgument(argument))
      return failure();
    return succeeded(parser.parseOptionalColon()) ? parser.parseType(argument.type) : success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseIndex))
    return failure();
  return parser.parseRegion(region, arguments);
}

static void printRegionWithIndices(OpAsmPrinter &printer, Region &region) {
  printer << '(';
  llvm::interleaveComma(region.getArguments(), printer, [&](BlockArgument argument) {
    printer << argument;
    if (!argument.getType().isIndex())
      printer << ": " << argument.getType();
  });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

static ParseResult parseIndexOperands(OpAsmParser &parser, OperationState &state, int32_t &count) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  count = operands.size();
  return parser.resolveOperands(operands, parser.getBuilder().getIndexType(), state.operands);
}

/// Parses `softmax` or `entmax(1.5)`.
static ParseResult parseNormaliser(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  std::string normaliser;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&normaliser))
    return failure();
  auto symbol = symbolizeNormaliser(normaliser);
  if (!symbol)
    return parser.emitError(location, "unknown normaliser '")
           << normaliser << "', expected " << namesUpTo<Normaliser>(getMaxEnumValForNormaliser());
  state.addAttribute("normaliser", NormaliserAttr::get(builder.getContext(), *symbol));
  if (failed(parser.parseOptionalLParen()))
    return success();
  double alpha = 0;
  if (parser.parseFloat(alpha) || parser.parseRParen())
    return failure();
  state.addAttribute("alpha", builder.getF64FloatAttr(alpha));
  return success();
}

/// Parses `softmax outer(%B, %N) keys(%M) values(%D) yields [value]`; counts the operands of the three segments.
static ParseResult parseSpace(OpAsmParser &parser, OperationState &state, MutableArrayRef<int32_t> segments) {
  Builder &builder = parser.getBuilder();
  if (parseNormaliser(parser, state) || parser.parseKeyword("outer") ||
      parseIndexOperands(parser, state, segments[0]) || parser.parseKeyword("keys") ||
      parseIndexOperands(parser, state, segments[1]) || parser.parseKeyword("values") ||
      parseIndexOperands(parser, state, segments[2]))
    return failure();
  SmallVector<Attribute> yields;
  auto parseStatistic = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    yields.push_back(builder.getStringAttr(name));
    return success();
  };
  if (parser.parseKeyword("yields") || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseStatistic))
    return failure();
  state.addAttribute("yields", builder.getArrayAttr(yields));
  return success();
}

static constexpr StringRef formulaNames[] = {"score", "mask", "weight", "value", "sink"};

static ParseResult parseFormulas(OpAsmParser &parser, OperationState &state) {
  for (StringRef name : formulaNames) {
    Region *region = state.addRegion();
    if (succeeded(parser.parseOptionalKeyword(name)) && parseRegionWithIndices(parser, *region))
      return failure();
  }
  return success();
}

template <typename Op> static void printSpace(OpAsmPrinter &printer, Op op) {
  printer << ' ' << stringifyNormaliser(op.getNormaliser());
  if (op.getAlpha()) {
    SmallString<16> digits;
    op.getAlpha()->toString(digits);
    if (StringRef(digits).find_first_of(".E") == StringRef::npos)
      digits += ".0"; // MLIR would read 2 as an integer
    printer << '(' << digits << ')';
  }
  printer << " outer(" << op.getOuterSizes() << ") keys(" << op.getKeySizes() << ") values(" << op.getValueSizes()
          << ") yields [";
  llvm::interleaveComma(op.getYields(), printer, [&](Attribute name) { printer << statisticName(name); });
  printer << "]";
}

static void printFormulas(OpAsmPrinter &printer, Operation *op) {
  for (auto [name, region] : llvm::zip_equal(formulaNames, op->getRegions())) {
    if (region.empty())
      continue;
    printer << ' ' << name;
    printRegionWithIndices(printer, region);
  }
  printer.printOptionalAttrDict(op->getAttrs(), {"normaliser", "alpha", "yields", "operandSegmentSizes"});
}

ParseResult AttendOp::parse(OpAsmParser &parser, OperationState &state) {
  int32_t segments[3] = {0, 0, 0};
  if (parseSpace(parser, state, segments) || parseFormulas(parser, state) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColonTypeList(state.types))
    return failure();
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
  return success();
}

void AttendOp::print(OpAsmPrinter &printer) {
  printSpace(printer, *this);
  printFormulas(printer, *this);
  printer << " : ";
  llvm::interleaveComma(getResultTypes(), printer);
}

//===---------------------------------------- attend_gradient -------------------------------------------------===//

SmallVector<Statistic> AttendGradientOp::getStatistics() { return statisticsOf(getYields()); }

SmallVector<Statistic> AttendGradientOp::getSavedStatistics() {
  SmallVector<Statistic> saved;
  if (!getValue().empty())
    saved.push_back(Statistic::Value);
  if (hasStatistic(getNormaliser(), Statistic::Lse))
    saved.push_back(Statistic::Lse);
  if (llvm::is_contained(getStatistics(), Statistic::TopWeights))
    saved.push_back(Statistic::Top);
  return saved;
}

Value AttendGradientOp::getSaved(Statistic statistic) {
  for (auto [each, tensor] : llvm::zip(getSavedStatistics(), getSaved()))
    if (each == statistic)
      return tensor;
  return {};
}

/// Parses `(%a, %b : type, type)`, or nothing if there are no operands.
static ParseResult parseTensors(OpAsmParser &parser, OperationState &state, int32_t &count,
                                SmallVectorImpl<Type> &types) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseOperandList(operands) || parser.parseColonTypeList(types) ||
      parser.parseRParen())
    return failure();
  count = operands.size();
  return parser.resolveOperands(operands, types, location, state.operands);
}

static void printTensors(OpAsmPrinter &printer, StringRef name, OperandRange tensors) {
  if (!tensors.empty())
    printer << ' ' << name << '(' << tensors << " : " << tensors.getTypes() << ')';
}

ParseResult AttendGradientOp::parse(OpAsmParser &parser, OperationState &state) {
  int32_t segments[6] = {};
  if (parseSpace(parser, state, segments))
    return failure();
  StringRef names[] = {"cotangents", "saved", "of"};
  for (auto [number, name] : llvm::enumerate(names)) {
    SmallVector<Type> types;
    if (succeeded(parser.parseOptionalKeyword(name)) && parseTensors(parser, state, segments[3 + number], types))
      return failure();
    if (name == "of")
      state.addTypes(types);
  }
  if (parseFormulas(parser, state) || parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(segments));
  return success();
}

void AttendGradientOp::print(OpAsmPrinter &printer) {
  printSpace(printer, *this);
  printTensors(printer, "cotangents", getCotangents());
  printTensors(printer, "saved", getSaved());
  printTensors(printer, "of", getOf());
  printFormulas(printer, *this);
}

//===-------------------------------------------- reduce ------------------------------------------------------===//

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  std::string combine;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&combine))
    return failure();
  auto symbol = symbolizeCombine(combine);
  if (!symbol)
    return parser.emitError(location, "unknown reduction '")
           << combine << "', expected " << namesUpTo<Combine>(getMaxEnumValForCombine());
  state.addAttribute("combine", CombineAttr::get(builder.getContext(), *symbol));
  SmallVector<OpAsmParser::Argument> arguments;
  int32_t count = 0;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("in") ||
      parseIndexOperands(parser, state, count))
    return failure();
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = builder.getIndexType();
  Type type;
  if (parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  state.addTypes(type);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyCombine(getCombine()) << " (" << getBody().getArguments() << ") in (" << getSizes()
          << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"combine"});
  printer << " : " << getResult().getType();
}

//===------------------------------------------ scatter_add ---------------------------------------------------===//

ParseResult ScatterAddOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  int32_t sizes = 0, inits = 0;
  SmallVector<Type> types;
  SMLoc location;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("in") ||
      parseIndexOperands(parser, state, sizes) || parser.parseKeyword("into") || parser.getCurrentLocation(&location) ||
      parseTensors(parser, state, inits, types))
    return failure();
  if (inits != 1)
    return parser.emitError(location, "expected one tensor to add to");
  for (OpAsmParser::Argument &argument : arguments)
    argument.type = parser.getBuilder().getIndexType();
  state.addTypes(types);
  return failure(parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(state.attributes));
}

void ScatterAddOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") in (" << getSizes() << ") into(" << getInit() << " : "
          << getInit().getType() << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}
