//===- Fault.h - record of the first error of an interpretation ---------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace attnc::reference {

/// The first error of a run of the oracle. Functions that fail call at() and return its result, so the first call has
/// the cause.
class Fault {
public:
  /// Records "LOCATION: NAME OF OP: WHAT", such as "gpt.attn:31:14: attn.attend: ...", unless an error is recorded.
  /// LOCATION is omitted if the op has no location in a file. Always returns failure.
  llvm::LogicalResult at(mlir::Operation *op, const llvm::Twine &what);
  /// The recorded message; empty if there is none.
  const std::string &message() const { return text; }

private:
  std::string text;
};

} // namespace attnc::reference
