//===- CachedObject.h - lookups of a compile in the object cache --------------------------------------------------===//
//
// With CompileOptions::cache, a compile looks for its object at two places, in this order:
//
//   after import   findCompiled()   by everything that later phases read (CompileKey.h), if the caller needs the object
//                                   alone. Later phases do not run; their warnings are printed from the cache.
//   after lower    loadObject()     by the LLVM IR. LLVM's passes and code generator do not run.
//
// The front end always runs, so all errors and warnings are those of a compile without the cache.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Backend/Backend.h"
#include "compiler/Pipeline/Job.h"
#include "compiler/Pipeline/ObjectCache.h"

namespace attnc {

/// The lookups of one compile. The functions are called in the order of their declaration.
class CachedObject {
public:
  explicit CachedObject(Job &job);
  /// Returns whether an equal compile has stored its object, and then stores the object in Compilation::object, and
  /// prints the warnings of the equal compile. Must follow import, whose module is the content of a reproducer.
  bool findCompiled();
  /// Returns whether the cache has the object that is compiled from `code`, the result of translateCode, and then
  /// stores the object in Compilation::object.
  bool loadObject(const LlvmCode &code);
  /// Stores Compilation::object, unless it is from the cache, and that this compile results in it. Warns if that fails.
  /// Does nothing if loadObject() has not been called, or if the compile failed after it.
  void store();

private:
  Job &job;
  bool isUsed;
  ObjectCache cache;
  std::string compileName, objectName; ///< names in the cache; empty before they are known
  bool isStored = false;               ///< the cache has the object
};

} // namespace attnc
