#include "tools/attnc/Call/InvocationOptions.h"

namespace attnc {

void InvocationOptions::addTo(CLI::App &command) {
  command.add_option("--entry", entry, "The entry point; may be left out where there is one");
  command
      .add_option("--input", inputs,
                  "A file (FILE.npy, FILE.safetensors:TENSOR), `zeros`, `iota` (0, 1, 2, ...), `random`, or "
                  "`random:BOUND` (integers below it)")
      ->type_name("NAME=VALUES");
  command.add_option("--dim", dims, "The size of a dimension that no file tells, such as --dim seq=128")
      ->type_name("NAME=SIZE");
  command.add_option("--weights", weights, "A .safetensors file; without one, weights are drawn from --seed")
      ->type_name("FILE");
  command.add_flag("--allow-extra", allowExtra, "Leave alone what the weights file holds besides the parameters");
  command.add_option("--seed", seed, "For weights and inputs that are drawn")->capture_default_str();
  command.add_option("--threads", threads, "Threads; 0 is one for each processor")->capture_default_str();
}

} // namespace attnc
