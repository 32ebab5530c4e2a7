#include "compiler/Reference/Fault.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace attnc::reference;

LogicalResult Fault::at(Operation *op, const Twine &what) {
  if (!text.empty())
    return failure();
  llvm::raw_string_ostream stream(text);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ':' << place.getLine() << ':' << place.getColumn() << ": ";
  stream << op->getName() << ": " << what;
  return failure();
}
