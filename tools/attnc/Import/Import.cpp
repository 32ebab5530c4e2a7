// attnc import: writes the model file of a published checkpoint.
#include "compiler/Emit/OutputFiles.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Options/FineTuningOptions.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

namespace {

struct ImportOptions {
  std::string folder, output;
  FineTuning tuning;
};

} // namespace

static ExitCode run(const ImportOptions &options) {
  llvm::Expected<ImportedCheckpoint> checkpoint = importCheckpoint(options.folder, options.tuning);
  if (!checkpoint)
    return report(checkpoint.takeError());
  for (const std::string &warning : checkpoint->warnings)
    warn(warning);
  if (!options.output.empty())
    return report(OutputFiles::replace(options.output, checkpoint->text));
  llvm::outs() << checkpoint->text;
  return ExitCode::Success;
}

void addImport(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App *command = addCommand(app, "import", "Write the model file of a published checkpoint");
  command->add_option("folder", options->folder, "The folder of the checkpoint, with config.json")->required();
  command->add_option("-o,--output", options->output, "The model file; standard output if not given")
      ->type_name("FILE");
  command->add_flag("--train", options->tuning.trains, "Add the entry points `loss` and `train` for fine-tuning");
  addAdapterOptions(*command, options->tuning);
  command->footer("Example:\n  attnc import Llama-3.2-1B -o llama.attn");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
