// attnc machine: measures the parameters of the cost model, and stores them in a file.
#include "compiler/Predict/Machine.h"
#include "compiler/Emit/OutputFiles.h"
#include "tools/attnc/Call/Runner.h"
#include "tools/attnc/Commands.h"
#include "tools/command-line/Command.h"
#include "tools/machine/MeasureMachine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace attnc {

static Error measureMachine(const std::string &given) {
  std::string path = given.empty() ? defaultMachinePath() : given;
  if (path.empty())
    return createStringError("there is no home directory for the file; give a path: -o machine.json");
  attn_pool *pool = nullptr;
  attn_status status;
  if (Error error = toError(attn_pool_create(1, &pool, &status), status))
    return error;
  Machine machine = machine::measure(attn_pool_executor(pool));
  attn_pool_destroy(pool);
  outs() << machineText(machine);
  if (path == "-")
    return Error::success();
  if (Error error = OutputFiles::replace(path, machineText(machine)))
    return error;
  errs() << "attnc: written to " << path << '\n';
  return Error::success();
}

void addMachine(CLI::App &app, ExitCode &exitCode) {
  auto path = std::make_shared<std::string>();
  CLI::App *command =
      addCommand(app, "machine", "Measure the parameters of the cost model: rates, bandwidths, latencies");
  command
      ->add_option("-o,--output", *path,
                   "The file to write; `-` only prints it ($ATTN_MACHINE, or ~/.config/attnc/machine.json)")
      ->type_name("FILE");
  command->footer("Run it while the machine is idle.\n\nExample:\n  attnc machine -o machine.json");
  command->callback([path, &exitCode] { exitCode = report(measureMachine(*path)); });
}

} // namespace attnc
