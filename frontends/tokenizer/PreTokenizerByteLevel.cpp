#include "frontends/tokenizer/ByteAlphabet.h"
#include "frontends/tokenizer/PreTokenizer.h"

namespace attnc::tokenizer {

static constexpr char gpt2Pattern[] = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {
class ByteLevel : public PreTokenizer {
public:
  explicit ByteLevel(const JsonEntry &entry)
      : hasPrefixSpace(entry["add_prefix_space"].flagOr(true)), isSplit(entry["use_regex"].flagOr(true)),
        expression(gpt2Pattern) {}

  void split(Pieces &pieces, MatchMemory &memory) const override {
    if (hasPrefixSpace)
      addSpaces(pieces);
    if (isSplit)
      splitWords(pieces, memory);
    if (!areBytesKept)
      replaceBytes(pieces);
  }

  bool endsInByteAlphabet() const override { return true; }
  void keepBytes() override { areBytesKept = true; }

private:
  /// Rewrites the text of the pieces: `append(text, piece)` appends the new text of a piece.
  template <typename Append> static void rewrite(Pieces &pieces, Append append) {
    std::string text;
    for (Range &range : pieces.ranges) {
      size_t begin = text.size();
      append(text, pieces[range]);
      range = {begin, text.size()};
    }
    pieces.text = std::move(text);
  }

  static void addSpaces(Pieces &pieces) {
    if (pieces.ranges.size() == 1 && pieces[pieces.ranges[0]].starts_with(' '))
      return;
    rewrite(pieces, [](std::string &text, std::string_view piece) {
      if (!piece.starts_with(' '))
        text += ' ';
      text += piece;
    });
  }

  static void replaceBytes(Pieces &pieces) {
    rewrite(pieces, [](std::string &text, std::string_view piece) {
      for (char byte : piece)
        text += characterOfByte(uint8_t(byte));
    });
  }

  void splitWords(Pieces &pieces, MatchMemory &memory) const {
    std::vector<Range> ranges;
    ranges.reserve(pieces.text.size() / 4);
    for (Range range : pieces.ranges)
      expression.eachPart(pieces[range], memory, [&](Range part, bool) {
        if (!part.empty())
          ranges.push_back({range.begin + part.begin, range.begin + part.end});
      });
    pieces.ranges = std::move(ranges);
  }

  bool hasPrefixSpace, isSplit, areBytesKept = false;
  Regex expression;
};
} // namespace

std::unique_ptr<PreTokenizer> readByteLevel(const JsonEntry &entry) { return std::make_unique<ByteLevel>(entry); }

} // namespace attnc::tokenizer
