// Baseline: byte n-gram model with Witten-Bell smoothing (Witten, Bell 1991; Chen, Goodman 1998, section 2.6),
//
//   p(c | h) = (count(h c) + T(h) p(c | h')) / (count(h) + T(h)),   h' = h without its first byte,
//
// with T(h) the number of different bytes after h; the empty history backs off to the uniform distribution. The model
// counts the first nine tenths of a text and prints the loss on the last tenth, in nats per byte.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <unordered_map>
#include <vector>

namespace {

constexpr int mostBytes = 7; // longest history: history and next byte fit a 64-bit key

struct History {
  uint32_t total = 0, different = 0;
};

class Ngrams {
public:
  explicit Ngrams(const std::vector<unsigned char> &text, size_t trained) {
    for (size_t place = 0; place < trained; ++place)
      for (int length = 0; length <= mostBytes && size_t(length) <= place; ++length) {
        uint64_t history = key(text, place, length);
        History &seen = histories[length][history];
        ++seen.total;
        seen.different += ++counts[length][history << 8 | text[place]] == 1;
      }
  }

  /// Probabilities of the byte at offset `place`, for histories of 0 .. mostBytes bytes.
  void probabilities(const std::vector<unsigned char> &text, size_t place, double (&p)[mostBytes + 1]) const {
    double shorter = 1.0 / 256;
    for (int length = 0; length <= mostBytes; ++length) {
      uint64_t history = key(text, place, length);
      auto seen = histories[length].find(history);
      if (seen != histories[length].end()) {
        auto found = counts[length].find(history << 8 | text[place]);
        double count = found == counts[length].end() ? 0 : found->second;
        shorter = (count + seen->second.different * shorter) / (seen->second.total + seen->second.different);
      }
      p[length] = shorter;
    }
  }

private:
  static uint64_t key(const std::vector<unsigned char> &text, size_t place, int length) {
    uint64_t result = 0;
    for (int i = length; i > 0; --i)
      result = result << 8 | text[place - size_t(i)];
    return result;
  }
  std::unordered_map<uint64_t, History> histories[mostBytes + 1];
  std::unordered_map<uint64_t, uint32_t> counts[mostBytes + 1];
};

} // namespace

int main(int count, char **arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "", std::ios::binary);
  std::vector<unsigned char> text{std::istreambuf_iterator<char>(file), {}};
  if (text.size() < 1000) {
    std::fprintf(stderr, "usage: ngram TEXT (of 1000 bytes at least)\n");
    return 1;
  }
  size_t trained = text.size() / 10 * 9;
  Ngrams ngrams(text, trained);
  double losses[mostBytes + 1] = {}, p[mostBytes + 1];
  for (size_t place = trained; place < text.size(); ++place) {
    ngrams.probabilities(text, place, p);
    for (int length = 0; length <= mostBytes; ++length)
      losses[length] -= std::log(p[length]) / double(text.size() - trained);
  }
  int best = 0;
  for (int length = 1; length <= mostBytes; ++length)
    best = losses[length] < losses[best] ? length : best;
  std::printf("best of n-grams with Witten-Bell smoothing: n = %d, %.4f nats a byte\n", best + 1, losses[best]);
}
