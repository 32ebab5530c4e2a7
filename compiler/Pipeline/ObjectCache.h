//===- ObjectCache.h - objects of earlier compiles in a folder ----------------------------------------------------===//
//
// LLVM's passes and code generator take two thirds of the time of a compile. Commands that execute a model in memory,
// such as `attnc run` and `attnc train`, can store objects in a folder, and then load the object if they compile the
// same code again. The key of an object is a hash of the LLVM IR before LLVM's passes, the target, and the file of the
// program that compiles. An object is therefore the same bytes with and without the cache. Objects have a checksum
// (compiler/Emit/Checksum.h): a damaged file is compiled again.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
}

namespace attnc {

/// The cache in a folder, which several processes can use at once.
class ObjectCache {
public:
  /// The folder is created when the first object is stored.
  explicit ObjectCache(std::string folder) : folder(std::move(folder)) {}

  /// The name of the file for the object that is compiled from `code`, which has not been optimised. Empty if the file
  /// of the program is unknown, so that objects cannot be cached.
  static std::string nameFor(const llvm::Module &code, const Target &target);
  /// Returns the object in the file `name`; empty if there is none, or it is damaged.
  llvm::SmallVector<char, 0> find(llvm::StringRef name) const;
  /// Stores an object atomically. At most every 20 minutes, also removes the objects whose last access is the oldest,
  /// until the folder has at most 1 GiB, and objects without an access for 30 days. An error if the file cannot be
  /// written.
  llvm::Error store(llvm::StringRef name, llvm::ArrayRef<char> object) const;

private:
  std::string pathOf(llvm::StringRef name) const;

  std::string folder;
};

} // namespace attnc
