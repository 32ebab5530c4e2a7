#include "compiler/Pipeline/CachedObject.h"
#include "compiler/Pipeline/CompileKey.h"
#include "llvm/IR/Module.h"

namespace attnc {

/// Objects with embedded weights are as large as the weights, and are used once.
static bool usesCache(const Job &job) {
  return !job.options.cache.empty() && !job.options.dump && job.options.weights.empty() && job.embedded.empty();
}

CachedObject::CachedObject(Job &job) : job(job), isUsed(usesCache(job)), cache(job.options.cache) {}

bool CachedObject::findCompiled() {
  if (!isUsed)
    return false;
  job.warnings.clear(); // those of the front end are printed by each compile
  compileName = ObjectCache::nameOfCompile(compileKey(job.remembered(), job));
  if (!job.options.objectAlone)
    return false;
  std::optional<CachedCompile> found = cache.findCompile(compileName);
  if (!found)
    return false;
  job.made.object = cache.find(found->object);
  if (job.made.object.empty())
    return false;
  job.warn(found->warnings);
  return true;
}

bool CachedObject::loadObject(const LlvmCode &code) {
  if (!isUsed)
    return false;
  objectName = ObjectCache::nameFor(*code.module, job.host);
  job.made.object = cache.find(objectName);
  return isStored = !job.made.object.empty();
}

void CachedObject::store() {
  if (objectName.empty() || job.outcome != Outcome::Done)
    return;
  llvm::Error error = isStored ? llvm::Error::success() : cache.store(objectName, job.made.object);
  if (!error)
    error = cache.storeCompile(compileName, {objectName, job.warnings});
  if (error)
    job.warn("attnc: warning: the object is not cached: " + llvm::toString(std::move(error)) + "\n");
}

} // namespace attnc
