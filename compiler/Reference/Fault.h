// The first thing that went wrong in an interpretation, as a person reads it: "gpt.attn:31:14: subscript 7 of ...".
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace attnc::reference {

class Fault {
public:
  /// Notes the place of `op` and what happened there; always failure.
  llvm::LogicalResult at(mlir::Operation *op, const llvm::Twine &what);
  const std::string &message() const { return text; }

private:
  std::string text;
};

} // namespace attnc::reference
