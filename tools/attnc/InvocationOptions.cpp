#include "tools/attnc/Commands.h"
#include "tools/attnc/Invocation.h"

namespace attnc {

void addInvocationOptions(CLI::App &command, InvocationOptions &options) {
  command.add_option("--entry", options.entry, "The entry point; may be left out where there is one");
  command.add_option("--input", options.inputs, "NAME=FILE.npy, NAME=FILE.safetensors:TENSOR, NAME=random, NAME=random:BOUND, NAME=zeros or NAME=iota")
      ->type_name("NAME=VALUES");
  command.add_option("--dim", options.dims, "NAME=SIZE: a dynamic dimension that no file tells")->type_name("NAME=SIZE");
  command.add_option("--weights", options.weights, "A .safetensors file; without one, weights are drawn from --seed");
  command.add_flag("--allow-extra", options.allowExtra, "Leave alone what the weights file holds besides the parameters");
  command.add_option("--seed", options.seed, "For weights and inputs that are drawn")->capture_default_str();
  command.add_option("--threads", options.threads, "Threads; 0 is one for each processor")->capture_default_str();
}

} // namespace attnc
