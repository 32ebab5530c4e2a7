// attnc pack: writes the weights that kernels read to a file, which commands and programs map and share.
#include "attn/packed.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Call/WeightsOption.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/command-line/Command.h"

using namespace llvm;

namespace attnc {

namespace {
struct PackOptions {
  SourceOptions source;
  std::vector<std::string> weights;
  std::string output;
  int64_t threads = 0;
};
} // namespace

static Error pack(const PackOptions &options, const attn_model &model) {
  if (model.loaded_count == 0)
    return createStringError(options.source.input() + ": the model has no parameters to pack");
  Runner runner(model);
  if (Error error = runner.start(options.threads))
    return error;
  if (Error error = runner.loadWeights(options.weights, 0, 0))
    return error;
  attn_status status;
  return toError(attn_weights_save_packed(runner.context.weights, options.output.c_str(), &status), status);
}

static ExitCode pack(const PackOptions &options) {
  ExitCode exitCode = ExitCode::Success;
  std::optional<LoadedModel> loaded = options.source.load(exitCode);
  return loaded ? report(pack(options, loaded->model())) : exitCode;
}

void addPack(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<PackOptions>();
  CLI::App *command =
      addCommand(app, "pack", "Write the weights in the order in which kernels read them, to be mapped");
  options->source.addTo(*command, SourceOptions::Takes::ModelsAndObjects);
  addWeightsOption(*command, "--weights", options->weights, "The weights");
  options->source.takeWeights(*command, options->weights);
  command->add_option("-o,--output", options->output, "The file of packed weights")->type_name("FILE")->required();
  command->add_option("--threads", options->threads, "Number of threads; 0: one for each processor")
      ->capture_default_str();
  command->footer("Example:\n  attnc pack Llama-3.2-1B --precision bf16 -o Llama-3.2-1B/packed.safetensors\n"
                  "  attnc generate Llama-3.2-1B --precision bf16 --weights Llama-3.2-1B/packed.safetensors "
                  "--prompt \"In the beginning\"");
  command->callback([options, &exitCode] {
    if (options->weights.empty())
      throw CLI::RequiredError("--weights");
    exitCode = pack(*options);
  });
}

} // namespace attnc
