// Loads the library that contains Halide when the first stage is compiled.
#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include <dlfcn.h>

namespace attnc::halide {

namespace {

/// The loaded library: either `compile` or `error` is null or empty.
struct StageCompilerLibrary {
  decltype(&attncCompileStage) compile = nullptr;
  std::string error;

  StageCompilerLibrary() {
    // The dynamic linker searches the program's run path.
    void *library = dlopen("attnc-halide.so", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "attncCompileStage") : nullptr;
    if (symbol)
      compile = reinterpret_cast<decltype(compile)>(symbol);
    else
      error = dlerror();
  }
};

} // namespace

Bitcode compileStage(const Stage &stage, const Schedule &schedule, const Machine &machine, unsigned arguments,
                     const std::string &symbol) {
  static const StageCompilerLibrary library;
  Bitcode result;
  if (library.compile)
    library.compile(stage, schedule, machine, arguments, symbol, result);
  else
    result.error = "can't load Halide: " + library.error;
  return result;
}

} // namespace attnc::halide
