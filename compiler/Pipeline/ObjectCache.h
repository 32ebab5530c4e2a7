//===- ObjectCache.h - objects of earlier compiles in a folder ----------------------------------------------------===//
//
// LLVM's passes and code generator take two thirds of the time of a compile. Commands that execute a model in memory,
// such as `attnc run` and `attnc train`, can store objects in a folder, and then load the object if they compile the
// same code again. The key of an object is a hash of the LLVM IR before LLVM's passes, the target, and the file of the
// program that compiles. An object is therefore the same bytes with and without the cache. Objects have a checksum
// (compiler/Emit/Checksum.h): a damaged file is compiled again.
//
// A record of a compile is a small file with the name of the object that the compile resulted in. Its key is a hash of
// everything that determines the object (CompileKey.h), and of the file of the program. CachedObject.h uses both.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Target/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace llvm {
class Module;
}

namespace attnc {

struct CachedCompile {
  std::string object;   ///< name of the object's file in the cache
  std::string warnings; ///< of the phases after import
};

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
  /// Stores an object or a record atomically. At most every 20 minutes, also removes the files whose last access is the
  /// oldest, until the folder has at most 1 GiB, and files without an access for 30 days. An error if the file cannot
  /// be written.
  llvm::Error store(llvm::StringRef name, llvm::ArrayRef<char> content) const;

  /// The name of the file for the record of the compile with the key `key`. Empty as for nameFor().
  static std::string nameOfCompile(llvm::StringRef key);
  /// Returns the record in the file `name`; null if there is none, or it is damaged.
  std::optional<CachedCompile> findCompile(llvm::StringRef name) const;
  /// Stores a record, as store() does.
  llvm::Error storeCompile(llvm::StringRef name, const CachedCompile &compile) const;

private:
  std::string pathOf(llvm::StringRef name) const;

  std::string folder;
};

} // namespace attnc
