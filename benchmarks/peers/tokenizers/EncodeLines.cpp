// encode-lines TOKENIZER FILE [--time | --decode]: writes the ids of each line of FILE, or with --decode the text of
// the ids. With --time, it prints the speed instead: MB per second of processor time, the median of 7 runs.
#include "attn/tokenizer.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

static attn_tokenizer *open(const char *path) {
  attn_tokenizer *tokenizer;
  attn_status status;
  if (attn_tokenizer_open(path, &tokenizer, &status) != ATTN_OK) {
    std::fprintf(stderr, "%s\n", status.message);
    std::exit(1);
  }
  return tokenizer;
}

static std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Encodes a line to `ids`; returns the number of ids.
static size_t encode(const attn_tokenizer *tokenizer, std::string_view line, std::vector<int32_t> &ids) {
  attn_status status;
  size_t count = 0;
  do {
    ids.resize(std::max(count, ids.size()));
    if (attn_tokenizer_encode(tokenizer, line.data(), line.size(), ATTN_SPECIAL_TOKENS, ids.data(), ids.size(), &count,
                              &status) != ATTN_OK) {
      std::fprintf(stderr, "%s\n", status.message);
      std::exit(1);
    }
  } while (count > ids.size());
  return count;
}

/// Prints the text of ids, without special tokens.
static void printText(const attn_tokenizer *tokenizer, const std::vector<int32_t> &ids, size_t count) {
  std::string text;
  size_t bytes = 0;
  do {
    text.resize(bytes);
    attn_tokenizer_decode(tokenizer, ids.data(), count, 0, text.data(), text.size(), &bytes, nullptr);
  } while (bytes > text.size());
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// Pieces of about 10 kB, each of whole lines, which are encoded in one call.
static std::vector<std::string_view> blocksOf(std::string_view text) {
  std::vector<std::string_view> blocks;
  while (!text.empty()) {
    size_t end = text.size() < 10'000 ? text.npos : text.find('\n', 10'000);
    blocks.push_back(text.substr(0, end == text.npos ? end : end + 1));
    text.remove_prefix(blocks.back().size());
  }
  return blocks;
}

/// Each run opens the tokenizer again, outside of the measured time, so that its cache is empty.
static void printSpeed(const char *path, std::string_view text) {
  std::vector<int32_t> ids(1 << 16);
  std::vector<double> seconds;
  for (int run = 0; run < 7; ++run) {
    attn_tokenizer *tokenizer = open(path);
    std::clock_t start = std::clock();
    for (std::string_view block : blocksOf(text))
      encode(tokenizer, block, ids);
    seconds.push_back(double(std::clock() - start) / CLOCKS_PER_SEC);
    attn_tokenizer_close(tokenizer);
  }
  std::ranges::sort(seconds);
  std::printf("%.1f\n", double(text.size()) / 1e6 / seconds[seconds.size() / 2]);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "encode-lines TOKENIZER FILE [--time | --decode]\n");
    return 1;
  }
  std::ifstream file(argv[2], std::ios::binary);
  std::string text = (std::ostringstream() << file.rdbuf()).str();
  if (argc > 3 && !std::strcmp(argv[3], "--time")) {
    printSpeed(argv[1], text);
    return 0;
  }
  attn_tokenizer *tokenizer = open(argv[1]);
  bool isDecoded = argc > 3 && !std::strcmp(argv[3], "--decode");
  std::vector<int32_t> ids(1 << 10);
  for (std::string_view line : linesOf(text)) {
    size_t count = encode(tokenizer, line, ids);
    if (isDecoded)
      printText(tokenizer, ids, count);
    for (size_t i = 0; i < count && !isDecoded; ++i)
      std::printf("%s%d", i ? " " : "", ids[i]);
    std::printf("\n");
  }
  attn_tokenizer_close(tokenizer);
}
