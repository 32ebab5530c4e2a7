#include "tools/attnc/Data/DataOptions.h"
#include "tools/attnc/Options/Validators.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

void DataOptions::addTo(CLI::App &command) {
  aboutData.push_back(
      command.add_option("--data", data, "A text file, read as bytes, tokens (.npy), or input=FILE for each input")
          ->type_name("FILE"));
  command
      .add_option(
          "--input", inputs,
          "An input that is the same in all batches: a file (FILE.npy, FILE.safetensors:TENSOR), or a number if "
          "its rank is 0")
      ->type_name("NAME=VALUE");
  aboutData.push_back(command.add_option("--batch", shape.batch, "Number of rows in a batch")
                          ->capture_default_str()
                          ->check(atLeast(1)));
  aboutData.push_back(command.add_option("--seq", shape.sequence, "Number of tokens in a row")
                          ->capture_default_str()
                          ->check(atLeast(1)));
}

Error DataOptions::checkNoData(const attn_entry_info &entry) const {
  for (const CLI::Option *option : aboutData)
    if (option->count() > 0)
      return createStringError(formatv("{0} has no effect: '{1}' has no inputs from data; the model determines the "
                                       "number of its samples",
                                       option->get_name(), entry.name));
  return Error::success();
}

void InferenceOptions::addTo(CLI::App &command) {
  DataOptions::addTo(command);
  command.add_option("--weights", weights, "A .safetensors file of parameters")->type_name("FILE");
  command.add_option("--seed", seed, "Seed of draws and of parameters that are not given")->capture_default_str();
  command.add_option("--threads", threads, "Number of threads; 0: one for each processor")->capture_default_str();
}

} // namespace attnc
