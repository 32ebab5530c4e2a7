// Whatever the text, compiling it as a module up to the plan ends: with a plan, or with a message. Phases may refuse a
// module that parses, for it can break what they take on trust; none may crash.
#include "compiler/Pipeline/Compile.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <string>
#include <unistd.h>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// A file of this process, written anew for each text.
static const std::string &path() {
  static const std::string name = "fuzz-module-" + std::to_string(getpid()) + ".mlir";
  static int registered = std::atexit([] { unlink(name.c_str()); });
  (void)registered;
  return name;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(path(), code);
    require(!code);
    stream.write(reinterpret_cast<const char *>(data), size);
  }
  CompileOptions options;
  options.input = path();
  options.prefix = "fuzz";
  options.target = "x86-64-v3";
  options.dump = Phase::Plan;
  options.reproducerDirectory = "";
  Compilation made;
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  Outcome outcome = compile(options, made, stream);
  require(outcome == Outcome::Done ? !made.dump.empty() : !messages.empty());
  return 0;
}
