#include "compiler/Codegen/Halide/Compile/StageCompiler.h"
#include "llvm/ADT/STLExtras.h"

namespace attnc::halide {

StageCompiler::~StageCompiler() {
  std::unique_lock lock(mutex);
  isEnding = true;
  compileOnThisThread(lock);
  lock.unlock();
  changed.notify_all();
  thread.join();
}

/// Compiles entries until the end of this object; runs on the background thread.
void StageCompiler::compileAll() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || compiled < entries.size(); });
    if (compiled == entries.size())
      return;
    compileNext(lock);
  }
}

/// Compiles the next entry, without the lock meanwhile: other threads do not change its request, and read its code only
/// after `compiled` has counted it.
void StageCompiler::compileNext(std::unique_lock<std::mutex> &lock) {
  Entry &next = entries[compiled];
  lock.unlock();
  const StageRequest &request = next.request;
  next.code = compileStage(request.stage, request.schedule, request.machine, request.arguments, request.symbol);
  lock.lock();
  ++compiled;
  changed.notify_all();
}

/// Compiles all entries if there is no background thread.
void StageCompiler::compileOnThisThread(std::unique_lock<std::mutex> &lock) {
  while (!hasThread && compiled < entries.size())
    compileNext(lock);
}

void StageCompiler::start() {
  if (hasThread)
    return;
  loadHalide(); // on this thread, because it changes the environment
  hasThread = thread.start([this] { compileAll(); }).empty();
}

/// The number of the entry of a request, which is added if there is none. Requires the lock.
size_t StageCompiler::numberOf(StageRequest request) {
  auto found = llvm::find_if(entries, [&](const Entry &each) {
    return each.request.arguments == request.arguments && each.request.machine == request.machine &&
           each.request.stage == request.stage && each.request.schedule == request.schedule;
  });
  if (found != entries.end())
    return found - entries.begin();
  entries.push_back({std::move(request), {}});
  changed.notify_all();
  return entries.size() - 1;
}

void StageCompiler::request(StageRequest request) {
  start();
  std::lock_guard lock(mutex);
  numberOf(std::move(request));
}

Bitcode StageCompiler::codeOf(StageRequest request) {
  start();
  std::unique_lock lock(mutex);
  size_t number = numberOf(std::move(request));
  compileOnThisThread(lock);
  changed.wait(lock, [&] { return number < compiled; });
  return entries[number].code;
}

} // namespace attnc::halide
