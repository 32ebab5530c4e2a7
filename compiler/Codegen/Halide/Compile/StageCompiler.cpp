#include "compiler/Codegen/Halide/Compile/StageCompiler.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc::halide {

StageCompiler::~StageCompiler() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (!hasThread)
    compileAll();
  thread.join();
}

/// Compiles the entries until the end of this object; runs on the background thread.
void StageCompiler::compileAll() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || compiled < entries.size(); });
    if (compiled == entries.size())
      return;
    Entry &next = entries[compiled];
    lock.unlock(); // other threads do not change the request, and read the code only once isCompiled is set
    const StageRequest &request = next.request;
    next.code = compileStage(request.stage, request.schedule, request.machine, request.arguments, request.symbol);
    lock.lock();
    next.isCompiled = true;
    ++compiled;
    changed.notify_all();
  }
}

/// The entry of the request, which is added if there is none. Requires the lock.
StageCompiler::Entry &StageCompiler::entryOf(StageRequest request) {
  auto found = llvm::find_if(entries, [&](const Entry &each) {
    return each.request.arguments == request.arguments && each.request.machine == request.machine &&
           each.request.stage == request.stage && each.request.schedule == request.schedule;
  });
  if (found != entries.end())
    return *found;
  entries.push_back({std::move(request), {}, false});
  changed.notify_all();
  return entries.back();
}

void StageCompiler::request(StageRequest request) {
  if (!hasThread) {
    loadHalide();                                               // on this thread, because it changes the environment
    hasThread = thread.start([this] { compileAll(); }).empty(); // without a thread, codeOf() compiles
  }
  std::lock_guard lock(mutex);
  entryOf(std::move(request));
}

Bitcode StageCompiler::codeOf(StageRequest wanted) {
  request(wanted);
  std::unique_lock lock(mutex);
  Entry &entry = entryOf(std::move(wanted));
  if (!hasThread) {
    lock.unlock();
    isEnding = true;
    compileAll();
    isEnding = false;
    lock.lock();
  }
  changed.wait(lock, [&] { return entry.isCompiled; });
  return entry.code;
}

} // namespace attnc::halide
