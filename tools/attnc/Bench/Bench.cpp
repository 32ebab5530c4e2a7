// attnc bench: times an entry point of a compiled object, kernel by kernel, in place.
#include "compiler/Diagnostics/Printable.h"
#include "tools/attnc/Call/Invocation.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Call/Measurement.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Messages/Printing.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attnc {

namespace {
struct BenchOptions {
  std::string object, kernel;
  InvocationOptions invocation;
  int repetitions = 5;
  bool json = false;
};
} // namespace

static void printTable(const Invocation &call, const std::vector<Profile::Line> &kernels, double seconds, int runs) {
  printTo(stdout, "{}: {:.3f} ms, median of {} runs, {} threads, arena {} bytes\n", printable(call.entry->name),
          1e3 * seconds, runs, call.runner.context.executor->workers, call.runner.context.arena_bytes);
  printTo(stdout, "  {:<32} {:<8} {:>8} {:>11} {:>7}\n", "kernel", "kind", "launches", "ms", "share");
  for (const Profile::Line &line : kernels)
    printTo(stdout, "  {:<32} {:<8} {:>8} {:>11.3f} {:>6.1f}%\n", printable(line.name), printable(line.kind),
            line.launches / runs, 1e3 * median(line.seconds), 100 * median(line.seconds) / seconds);
}

static void printJson(const Invocation &call, const std::vector<Profile::Line> &kernels, double seconds, int runs) {
  json::OStream out(outs(), 2);
  out.object([&] {
    out.attribute("entry", call.entry->name);
    out.attribute("milliseconds", 1e3 * seconds);
    out.attribute("threads", call.runner.context.executor->workers);
    out.attribute("arena_bytes", call.runner.context.arena_bytes);
    out.attributeArray("kernels", [&] {
      for (const Profile::Line &line : kernels)
        out.object([&] {
          out.attribute("name", line.name);
          out.attribute("kind", line.kind);
          out.attribute("launches", line.launches / runs);
          out.attribute("milliseconds", 1e3 * median(line.seconds));
        });
    });
  });
  outs() << "\n";
}

static Error bench(const BenchOptions &options) {
  if (StringRef(options.object).ends_with(".attn") || StringRef(options.object).ends_with(".mlir"))
    return createStringError(formatv("{0} is not an object; compile it first: attnc compile {0}", options.object));
  auto loaded = LoadedModel::fromFile(options.object);
  if (!loaded)
    return loaded.takeError();
  const attn_model &model = loaded->model();
  if (model.device)
    return createStringError(formatv("{0} is code for {1}: bench times the kernels of processors", options.object,
                                     model.device->images[0].target));
  auto call = Invocation::create(model, options.invocation);
  if (!call)
    return call.takeError();
  auto measured = measure(**call, {options.repetitions});
  if (!measured)
    return measured.takeError();
  std::vector<Profile::Line> kernels;
  std::vector<std::string> names;
  for (const Profile::Line &line : measured->kernels) {
    names.push_back(line.name);
    if (options.kernel.empty() || line.name == options.kernel)
      kernels.push_back(line);
  }
  if (kernels.empty() && !options.kernel.empty())
    return createStringError(formatv("entry point '{0}' runs no kernel `{1}`{2}", (*call)->entry->name, options.kernel,
                                     whatThereIs(options.kernel, names)));
  (options.json ? printJson : printTable)(**call, kernels, measured->seconds, measured->runs);
  return Error::success();
}

void addBench(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<BenchOptions>();
  options->invocation.fillMissing = true;
  CLI::App *command = addCommand(app, "bench", "Time an entry point of a compiled object by kernel");
  command->add_option("object", options->object, "A compiled object, such as out/gpt2.o")->required();
  command->add_option("--kernel", options->kernel, "Time only this kernel");
  command->add_option("--repetitions", options->repetitions, "Runs, of which the median is reported")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  options->invocation.addTo(*command);
  command->footer("Missing inputs are random.\n\n"
                  "Example:\n  attnc bench out/gpt2.o --entry logits --dim batch=1 --dim seq=256");
  command->callback([options, &exitCode] { exitCode = report(bench(*options)); });
}

} // namespace attnc
