// Creates the folder that scripts/gpu-check packs into one file for a machine with a device.
#include "benchmarks/device/Pack.h"
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

int main(int count, char **arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  bool hasOnly = words.size() == 5 && words[3] == "--only";
  if (words.size() != 3 && !hasOnly) {
    std::fputs("device-pack CASES ROOT FOLDER [--only TEXT]     checks of models whose path has TEXT, times of cases "
               "whose name has it\n",
               stderr);
    return 2;
  }
  try {
    attnc::device::pack(words[0], words[1], words[2], hasOnly ? words[4] : "");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "device-pack: %s\n", error.what());
    return 1;
  }
  return 0;
}
