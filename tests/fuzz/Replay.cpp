// Runs a fuzz target over the files of a folder and over reproducible mutations of them, without libFuzzer, so that
// every preset fuzzes a little.
//
//   replay FOLDER MUTATIONS-A-FILE
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

/// xorshift64
class Random {
public:
  size_t below(size_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return bound == 0 ? 0 : state % bound;
  }

private:
  uint64_t state = 88172645463325252;
};

void run(const std::string &text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size());
}

/// Removes, copies in or repeats a piece of text, or replaces one byte.
void mutate(std::string &text, const std::vector<std::string> &files, Random &random) {
  bool isBinary = text.find('\0') != std::string::npos;
  size_t at = random.below(text.size()), length = random.below(24);
  const std::string &other = files[random.below(files.size())];
  switch (random.below(4)) {
  case 0:
    text.erase(std::min(at, text.size()), length);
    break;
  case 1: {
    size_t from = random.below(other.size());
    text.insert(at, other.substr(from, length));
    break;
  }
  case 2:
    text.insert(at, text.substr(at, length));
    break;
  default:
    if (!text.empty())
      text[at] = isBinary ? static_cast<char>(random.below(256)) : "(){}[]<>=+-*/@',.:;#\"\n x0"[random.below(25)];
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return EXIT_FAILURE;
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const auto &path : paths) {
    std::ifstream stream(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  Random random;
  for (const std::string &file : files) {
    run(file);
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
      std::string text = file;
      for (size_t count = 1 + random.below(3); count > 0; --count)
        mutate(text, files, random);
      run(text);
    }
  }
  return files.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
