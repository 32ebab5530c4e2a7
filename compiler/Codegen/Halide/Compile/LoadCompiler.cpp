// Loads the library that contains Halide when the first stage is compiled.
#include "compiler/Codegen/Halide/Compile/Bitcode.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <dlfcn.h>

namespace attnc::halide {

/// The library is part of the installation: bin/attnc and lib/attnc-halide.so. An absolute path, so that no library of
/// another version is found.
static std::string pathOfLibrary() {
  llvm::SmallString<128> path(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "lib", "attnc-halide.so");
  return path.str().str();
}

/// Returns the function of the library. Ends the program if the installation is incomplete: other emitters would
/// generate slower code, and objects with code by Halide could not be verified.
static decltype(&attncCompileStage) openLibrary() {
  void *library = dlopen(pathOfLibrary().c_str(), RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "attncCompileStage") : nullptr;
  if (!symbol) {
    llvm::errs() << "attnc: error: can't load Halide, which is a part of the installation: " << dlerror() << "\n";
    std::exit(1);
  }
  return reinterpret_cast<decltype(&attncCompileStage)>(symbol);
}

static decltype(&attncCompileStage) stageCompiler() {
  static const auto compile = openLibrary();
  return compile;
}

void loadHalide() { stageCompiler(); }

Bitcode compileStage(const Stage &stage, const Schedule &schedule, const Machine &machine, unsigned arguments,
                     const std::string &symbol) {
  Bitcode result;
  stageCompiler()(stage, schedule, machine, arguments, symbol, result);
  return result;
}

} // namespace attnc::halide
