//===- Checksum.h - the checksum of an object ---------------------------------------------------------------------===//
//
// The section `.attn.seal` of an object file contains a 128-bit hash of all other bytes of the file. Commands that
// execute an object call verifyChecksum() first. They reject a file that was truncated, copied partially, or changed by
// accident or by another tool. The checksum is no signature: an intentional change can update it. Linkers drop the
// section.
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

/// Adds the section, with zeros in place of the hash, to the LLVM module of the object before it is compiled.
void addChecksum(llvm::Module &code);
/// Writes the hash into `object`, the complete bytes of the object file; fails if they lack the section, or are no
/// 64-bit little-endian ELF file.
llvm::Error writeChecksum(llvm::MutableArrayRef<char> object);
/// Fails if the object lacks the section, has another hash, or is no such ELF file; the error is a phrase about the
/// file: "is damaged, ...".
llvm::Error verifyChecksum(llvm::StringRef object);

} // namespace attnc
