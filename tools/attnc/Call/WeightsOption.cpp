#include "tools/attnc/Call/WeightsOption.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace attnc {

CLI::Option *addWeightsOption(CLI::App &command, const std::string &name, std::vector<std::string> &paths,
                              const std::string &purpose) {
  return command
      .add_option(name, paths,
                  purpose + ": a .safetensors file, the index of its shards, or a folder with either or with an "
                            "adapter;\nseveral are read as one, in which the last tensor of a name counts")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

std::string folderOfWeights(ArrayRef<std::string> weights) {
  if (weights.empty())
    return "";
  StringRef first = weights.front(), folder = sys::fs::is_directory(first) ? first : sys::path::parent_path(first);
  return folder.empty() ? "." : folder.str();
}

} // namespace attnc
