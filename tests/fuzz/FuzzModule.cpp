// Fuzzes modules up to the plan: an arbitrary text gives a plan or a message. A phase may reject a module that parses,
// because the module can break the phase's preconditions; no phase may crash.
//
// A compile creates a context with all dialects, which takes a hundred times as long as parsing. So a text is parsed in
// a longer-lived context, and one in fifty of the texts that do not parse is compiled for its message.
#include "compiler/Pipeline/Compile.h"
#include "compiler/Pipeline/ScanModule.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>

using namespace attnc;

static void require(bool condition) {
  if (!condition)
    abort();
}

/// Returns the name of this process's file, which each text overwrites.
static const std::string &path() {
  static const std::string name = "fuzz-module-" + std::to_string(getpid()) + ".mlir";
  static int registered = std::atexit([] { unlink(name.c_str()); });
  (void)registered;
  return name;
}

/// Returns true if MLIR parses the text; the lexer reads the terminating zero.
static bool parses(const std::string &text) {
  constexpr size_t mostTexts = 1000; // a context stores the names of its texts
  static std::unique_ptr<Compilation> kept;
  static size_t texts = 0;
  if (texts++ % mostTexts == 0)
    kept = std::make_unique<Compilation>();
  mlir::ScopedDiagnosticHandler silence(&kept->context, [](mlir::Diagnostic &) { return mlir::success(); });
  return bool(mlir::parseSourceString<mlir::ModuleOp>(text, &kept->context));
}

static bool isWorthCompiling(const std::string &text) {
  return llvm::xxh3_64bits(text) % 50 == 0 || (!scanModule(text) && parses(text));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!isWorthCompiling(text))
    return 0;
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(path(), code);
    require(!code);
    stream << text;
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
