#include "dialects/Attn/Attn.h"
#include "dialects/Attn/EnumNames.h"
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
    return parser.emitError(location, "unknown normaliser '")
           << normaliser << "', expected " << namesUpTo<Normaliser>(getMaxEnumValForNormaliser());
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
  if (parser.parseKeyword("yields") || parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseStatistic))
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
