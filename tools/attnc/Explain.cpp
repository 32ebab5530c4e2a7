// attnc explain: the kernels of a model, what was fused into them, what was not, why, and the bytes that costs.
#include "compiler/Fuse/Explanation.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/SourceOptions.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

static ExitCode run(CompileOptions options) {
  options.dump = Phase::Fuse;
  Compilation made;
  Outcome outcome = compile(options, made, llvm::errs());
  if (outcome == Outcome::Done)
    printExplanation(*made.module, llvm::outs());
  return static_cast<ExitCode>(outcome);
}

void addExplain(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<SourceOptions>();
  CLI::App *command = app.add_subcommand("explain", "Print what was fused, what was not, why, and the bytes it costs");
  options->addTo(*command, SourceOptions::Takes::Models);
  command->footer("Example:\n  attnc explain examples/gpt2/gpt2.attn --set layers=2");
  command->callback([options, &exitCode] { exitCode = run(options->compile); });
}

} // namespace attnc
