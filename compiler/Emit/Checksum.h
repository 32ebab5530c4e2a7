//===- Checksum.h - the checksum of an object ---------------------------------------------------------------------===//
//
// The section `.attn.seal` contains a hash of all other bytes of the file. Commands that execute an object compare it
// first, so a file that was truncated, copied partially, or changed by accident or by another tool is refused. It is no
// signature: an intentional change can update the checksum. Linkers drop the section.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace attnc {

inline constexpr llvm::StringLiteral checksumSection = ".attn.seal";

/// Adds the section, with space for the hash, to the LLVM module of the object.
void addChecksum(llvm::Module &code);
/// Writes the hash into the bytes of the object; fails if they have no such section.
llvm::Error writeChecksum(llvm::MutableArrayRef<char> object);
/// Fails if the object lacks the section or has another hash; the error is a phrase about the file: "is damaged, ...".
llvm::Error verifyChecksum(llvm::StringRef object);

} // namespace attnc
