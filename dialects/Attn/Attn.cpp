#include "dialects/Attn/Attn.h"
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

SmallVector<Statistic> AttendOp::getStatistics() {
  SmallVector<Statistic> statistics;
  for (Attribute name : getYields())
    statistics.push_back(*symbolizeStatistic(statisticName(name)));
  return statistics;
}

Value AttendOp::getResultFor(Statistic statistic) {
  for (auto [each, result] : llvm::zip(getStatistics(), getResults()))
    if (each == statistic)
      return result;
  return {};
}

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

ParseResult AttendOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  std::string normaliser;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&normaliser))
    return failure();
  auto symbol = symbolizeNormaliser(normaliser);
  if (!symbol)
    return parser.emitError(location, "unknown normaliser '") << normaliser << "', expected softmax or ratio";
  state.addAttribute("normaliser", NormaliserAttr::get(builder.getContext(), *symbol));
  int32_t segments[3] = {0, 0, 0};
  if (parser.parseKeyword("outer") || parseIndexOperands(parser, state, segments[0]) || parser.parseKeyword("keys") ||
      parseIndexOperands(parser, state, segments[1]) || parser.parseKeyword("values") ||
      parseIndexOperands(parser, state, segments[2]))
    return failure();
  state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  SmallVector<Attribute> yields;
  auto parseStatistic = [&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    yields.push_back(builder.getStringAttr(name));
    return success();
  };
  if (parser.parseKeyword("yields") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseStatistic))
    return failure();
  state.addAttribute("yields", builder.getArrayAttr(yields));
  for (StringRef name : {"score", "mask", "weight", "value"}) {
    Region *region = state.addRegion();
    if (succeeded(parser.parseOptionalKeyword(name)) && parseRegionWithIndices(parser, *region))
      return failure();
  }
  return failure(parser.parseOptionalAttrDict(state.attributes) || parser.parseColonTypeList(state.types));
}

void AttendOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyNormaliser(getNormaliser()) << " outer(" << getOuterSizes() << ") keys(" << getKeySizes()
          << ") values(" << getValueSizes() << ") yields [";
  llvm::interleaveComma(getYields(), printer, [&](Attribute name) { printer << statisticName(name); });
  printer << "]";
  StringRef names[] = {"score", "mask", "weight", "value"};
  for (auto [name, region] : llvm::zip(names, getOperation()->getRegions())) {
    if (region.empty())
      continue;
    printer << ' ' << name;
    printRegionWithIndices(printer, region);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"normaliser", "yields", "operandSegmentSizes"});
  printer << " : ";
  llvm::interleaveComma(getResultTypes(), printer);
}

static LogicalResult verifyRegion(AttendOp op, Region &region, StringRef name, unsigned indices, Type leading,
                                  Type yielded) {
  if (region.empty())
    return success();
  SmallVector<Type> expected;
  if (leading)
    expected.push_back(leading);
  expected.append(indices, IndexType::get(op.getContext()));
  if (TypeRange(region.getArgumentTypes()) != TypeRange(expected))
    return op.emitOpError() << name << " region takes " << region.getNumArguments() << " arguments, expected "
                            << expected.size() << " (outer and key indices"
                            << (name == "value" ? ", then value indices)" : leading ? " after the weight)" : ")");
  Type found = region.front().getTerminator()->getOperand(0).getType();
  if (found != yielded)
    return op.emitOpError() << name << " region yields " << found << ", expected " << yielded;
  return success();
}

LogicalResult AttendOp::verify() {
  if (getNumKeys() == 0)
    return emitOpError("has no key dimension");
  Type f32 = Float32Type::get(getContext()), i1 = IntegerType::get(getContext(), 1);
  unsigned pairs = getNumOuter() + getNumKeys();
  if (failed(verifyRegion(*this, getScore(), "score", pairs, {}, f32)) ||
      failed(verifyRegion(*this, getMask(), "mask", pairs, {}, i1)) ||
      failed(verifyRegion(*this, getWeight(), "weight", pairs, f32, f32)) ||
      failed(verifyRegion(*this, getValue(), "value", pairs + getNumValues(), {}, f32)))
    return failure();
  if (getYields().size() != getNumResults())
    return emitOpError() << "yields " << getYields().size() << " statistics but has " << getNumResults() << " results";
  for (auto [attribute, result] : llvm::zip(getYields(), getResults())) {
    auto name = dyn_cast<StringAttr>(attribute);
    auto statistic = name ? symbolizeStatistic(name.getValue()) : std::nullopt;
    if (!statistic)
      return emitOpError() << "yields unknown statistic " << attribute << ", expected value, weights or lse";
    int64_t rank = getNumOuter();
    if (*statistic == Statistic::Value)
      rank += getNumValues();
    if (*statistic == Statistic::Weights)
      rank += getNumKeys();
    if (cast<RankedTensorType>(result.getType()).getRank() != rank)
      return emitOpError() << "result " << attribute << " is " << result.getType() << ", expected rank " << rank;
    if (*statistic == Statistic::Value && getValue().empty())
      return emitOpError("yields a value but has no value region");
  }
  if (auto layout = getValueLayout()) {
    SmallVector<int64_t> sorted(*layout);
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, getNumOuter() + getNumValues())))
      return emitOpError("value_layout is not a permutation of the outer and value dimensions");
  }
  return success();
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
    return parser.emitError(location, "unknown reduction '") << combine << "', expected add, mul, max or min";
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
  printer << ' ' << stringifyCombine(getCombine()) << " (" << getBody().getArguments() << ") in (" << getSizes() << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"combine"});
  printer << " : " << getResult().getType();
}

LogicalResult ReduceOp::verify() {
  if (getBody().getNumArguments() != getSizes().size())
    return emitOpError() << "has " << getBody().getNumArguments() << " indices but " << getSizes().size() << " sizes";
  Type found = getBody().front().getTerminator()->getOperand(0).getType();
  if (found != getResult().getType())
    return emitOpError() << "yields " << found << " but results in " << getResult().getType();
  return success();
}
