// The first error of an interpretation, as a message with a source location: "gpt.attn:31:14: attn.attend: ...".
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace attnc::reference {

class Fault {
public:
  /// Records the message with the location and name of `op`, unless an earlier error is recorded; returns failure.
  llvm::LogicalResult at(mlir::Operation *op, const llvm::Twine &what);
  const std::string &message() const { return text; }

private:
  std::string text;
};

} // namespace attnc::reference
