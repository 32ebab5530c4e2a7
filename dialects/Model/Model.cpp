#include "dialects/Model/Model.h"
#include "dialects/Model/CheckpointName.h"
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
  return attnc::model::checkpointNameAt(getCheckpoint(), indices);
}
