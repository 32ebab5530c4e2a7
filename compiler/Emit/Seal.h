//===- Seal.h - a hash by which an object knows damage ------------------------------------------------------------===//
//
// The section `.attn.seal` of an object holds a hash of all other bytes of the file. Commands that execute an object
// compare it first: a file that was cut, copied in part, or changed by accident or by another tool is refused. The seal
// is no signature: who changes an object on purpose can seal it again. Linkers leave the section out.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace attnc {

inline constexpr llvm::StringLiteral sealSection = ".attn.seal";

/// Adds the section, with room for the hash, to what becomes the object.
void addSeal(llvm::Module &code);
/// Writes the hash into the object that was made of it.
llvm::Error seal(llvm::MutableArrayRef<char> object);
/// The error is a phrase about the file.
llvm::Error checkSeal(llvm::StringRef object);

} // namespace attnc
