#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Options/Validators.h"

namespace attnc {

void DataOptions::addTo(CLI::App &command) {
  command.add_option("--data", data, "As for train: a text file, tokens (.npy), or input=FILE for each input")
      ->required()
      ->type_name("FILE");
  command.add_option("--weights", weights, "A .safetensors file of parameters")->type_name("FILE");
  command.add_option("--batch", shape.batch, "Number of rows in a batch")->capture_default_str()->check(atLeast(1));
  command.add_option("--seq", shape.sequence, "Number of tokens in a row")->capture_default_str()->check(atLeast(1));
  command.add_option("--seed", seed, "Seed of draws and of parameters that are not given")->capture_default_str();
  command.add_option("--threads", threads, "Number of threads; 0: one for each processor")->capture_default_str();
}

} // namespace attnc
