#include "dialects/Model/Model.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::model;

/// Parses the sizes of a list of parameters, `[6]`, or nothing for a single parameter.
static ParseResult parseCounts(OpAsmParser &parser, DenseI64ArrayAttr &counts) {
  SmallVector<int64_t> sizes;
  auto parseSize = [&] { return parser.parseInteger(sizes.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalSquare, parseSize))
    return failure();
  counts = parser.getBuilder().getDenseI64ArrayAttr(sizes);
  return success();
}

static void printCounts(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr counts) {
  if (counts && !counts.empty())
    printer << " [" << counts.asArrayRef() << ']';
}

#include "dialects/Model/ModelDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Model/ModelAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Model/ModelOps.cpp.inc"

void ModelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Model/ModelAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Model/ModelOps.cpp.inc"
      >();
}

std::string ParameterOp::getCheckpointName(ArrayRef<int64_t> indices) {
  std::string name = getCheckpoint().str();
  for (auto [number, index] : llvm::enumerate(indices)) {
    std::string placeholder = "{" + std::to_string(number) + "}";
    for (size_t at = name.find(placeholder); at != std::string::npos; at = name.find(placeholder, at))
      name.replace(at, placeholder.size(), std::to_string(index));
  }
  return name;
}
