#include "frontends/tokenizer/PreTokenizer.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

namespace attnc::tokenizer {

//===- Delimiters -------------------------------------------------------------------------------------------------===//

void PartCollector::add(Range part, bool isDelimiter) {
  bool isExtension = false;
  switch (behavior) {
  case SplitBehavior::Isolated:
    return append(part);
  case SplitBehavior::Removed:
    if (!isDelimiter)
      append(part);
    return;
  case SplitBehavior::MergedWithPrevious:
    isExtension = isDelimiter && !isLastDelimiter;
    break;
  case SplitBehavior::MergedWithNext:
    isExtension = !isDelimiter && isLastDelimiter;
    break;
  case SplitBehavior::Contiguous:
    isExtension = isDelimiter == isLastDelimiter;
    break;
  }
  if (last && isExtension) {
    last->end = part.end;
  } else {
    if (last)
      append(*last);
    last = part;
  }
  isLastDelimiter = isDelimiter;
}

void PartCollector::finish() {
  if (last)
    append(*last);
  last.reset();
  isLastDelimiter = false;
}

static SplitBehavior readBehavior(const JsonEntry &entry) {
  return SplitBehavior(entry.oneOf({"Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"}));
}

namespace {

/// Splits each piece by `eachPart(piece, memory, visit)`, which visits its parts as Regex::eachPart does.
template <typename EachPart>
void splitPieces(Pieces &pieces, SplitBehavior behavior, MatchMemory &memory, EachPart eachPart) {
  std::vector<Range> ranges;
  ranges.reserve(pieces.ranges.size() + pieces.text.size() / 4);
  PartCollector collector(behavior, ranges);
  for (Range range : pieces.ranges) {
    eachPart(pieces[range], memory, [&](Range part, bool isDelimiter) {
      collector.add({range.begin + part.begin, range.begin + part.end}, isDelimiter);
    });
    collector.finish();
  }
  pieces.ranges = std::move(ranges);
}

class SplitByPattern : public PreTokenizer {
public:
  SplitByPattern(Regex pattern, SplitBehavior behavior, bool isInverted)
      : pattern(std::move(pattern)), behavior(behavior), isInverted(isInverted) {}

  void split(Pieces &pieces, MatchMemory &memory) const override {
    splitPieces(pieces, behavior, memory, [&](std::string_view piece, MatchMemory &memory, auto visit) {
      pattern.eachPart(piece, memory, [&](Range part, bool isMatch) { visit(part, isMatch != isInverted); });
    });
  }

private:
  Regex pattern;
  SplitBehavior behavior;
  bool isInverted;
};

/// Splits at each character of a class.
template <typename IsDelimiter> class SplitByClass : public PreTokenizer {
public:
  SplitByClass(IsDelimiter isDelimiter, SplitBehavior behavior) : isDelimiter(isDelimiter), behavior(behavior) {}

  void split(Pieces &pieces, MatchMemory &memory) const override {
    splitPieces(pieces, behavior, memory, [&](std::string_view piece, MatchMemory &, auto visit) {
      size_t begin = 0; // of the part that does not end yet
      for (size_t at = 0; at < piece.size();) {
        Character character = characterAt(piece, at);
        if (isDelimiter(character.codePoint)) {
          if (begin < at)
            visit(Range{begin, at}, false);
          begin = at + character.bytes;
          visit(Range{at, begin}, true);
        }
        at += character.bytes;
      }
      if (begin < piece.size())
        visit(Range{begin, piece.size()}, false);
    });
  }

private:
  IsDelimiter isDelimiter;
  SplitBehavior behavior;
};

/// Whitespace: the pieces are sequences of word characters, and sequences of other characters; white space is removed.
class WordsAndMarks : public PreTokenizer {
public:
  void split(Pieces &pieces, MatchMemory &) const override {
    std::vector<Range> ranges;
    for (Range range : pieces.ranges) {
      Kind last = Kind::Space;
      for (size_t at = range.begin; at < range.end;) {
        Character character = characterAt(pieces.text, at);
        Kind kind = kindOf(character.codePoint);
        if (kind != Kind::Space && kind == last)
          ranges.back().end = at + character.bytes;
        else if (kind != Kind::Space)
          ranges.push_back({at, at + character.bytes});
        last = kind;
        at += character.bytes;
      }
    }
    pieces.ranges = std::move(ranges);
  }

private:
  enum class Kind { Word, Mark, Space };
  static Kind kindOf(char32_t codePoint) {
    return isWordCharacter(codePoint) ? Kind::Word : isWhitespace(codePoint) ? Kind::Space : Kind::Mark;
  }
};

class FixedLength : public PreTokenizer {
public:
  explicit FixedLength(int64_t length) : length(length) {}
  void split(Pieces &pieces, MatchMemory &) const override {
    std::vector<Range> ranges;
    for (Range range : pieces.ranges)
      for (size_t begin = range.begin, end = begin; begin < range.end; begin = end) {
        for (int64_t count = 0; count < length && end < range.end; ++count)
          end += characterBytes(pieces.text[end]);
        ranges.push_back({begin, end});
      }
    pieces.ranges = std::move(ranges);
  }

private:
  int64_t length; ///< in characters
};

class PreTokenizerSequence : public PreTokenizer {
public:
  std::vector<std::unique_ptr<PreTokenizer>> parts;
  void split(Pieces &pieces, MatchMemory &memory) const override {
    for (const auto &part : parts)
      part->split(pieces, memory);
  }
  bool endsInByteAlphabet() const override { return !parts.empty() && parts.back()->endsInByteAlphabet(); }
  void keepBytes() override { parts.back()->keepBytes(); }
};

} // namespace

//===- Reading ----------------------------------------------------------------------------------------------------===//

template <typename IsDelimiter>
static std::unique_ptr<PreTokenizer> splitByClass(IsDelimiter isDelimiter, SplitBehavior behavior) {
  return std::make_unique<SplitByClass<IsDelimiter>>(isDelimiter, behavior);
}

static std::unique_ptr<PreTokenizer> readPreTokenizer(const JsonEntry &entry, int depth) {
  if (entry.isNull())
    return nullptr;
  auto sequence = std::make_unique<PreTokenizerSequence>();
  switch (entry["type"].oneOf({"BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Digits", "FixedLength",
                               "Metaspace", "Punctuation", "Split", "Whitespace", "WhitespaceSplit", "Sequence"})) {
  case 0:
    sequence->parts.push_back(splitByClass(isWhitespace, SplitBehavior::Removed));
    sequence->parts.push_back(splitByClass(isPunctuation, SplitBehavior::Isolated));
    return sequence;
  case 1:
    return readByteLevel(entry);
  case 2: {
    char32_t delimiter = entry["delimiter"].character();
    return splitByClass([=](char32_t codePoint) { return codePoint == delimiter; }, SplitBehavior::Removed);
  }
  case 3:
    return splitByClass(isNumeric,
                        entry["individual_digits"].flag() ? SplitBehavior::Isolated : SplitBehavior::Contiguous);
  case 4:
    return std::make_unique<FixedLength>(entry["length"].isNull() ? 5 : entry["length"].integer(1, INT32_MAX));
  case 5:
    return readMetaspace(entry);
  case 6:
    return splitByClass(isPunctuation,
                        entry["behavior"].isNull() ? SplitBehavior::Isolated : readBehavior(entry["behavior"]));
  case 7:
    return std::make_unique<SplitByPattern>(readPattern(entry["pattern"]), readBehavior(entry["behavior"]),
                                            entry["invert"].flagOr(false));
  case 8:
    return std::make_unique<WordsAndMarks>();
  case 9:
    return splitByClass(isWhitespace, SplitBehavior::Removed);
  }
  if (depth == deepestSequence)
    entry.failWith("found more than " + std::to_string(deepestSequence) + " nested sequences");
  for (const JsonEntry &part : entry["pretokenizers"].elements())
    if (auto preTokenizer = readPreTokenizer(part, depth + 1))
      sequence->parts.push_back(std::move(preTokenizer));
  return sequence;
}

std::unique_ptr<PreTokenizer> PreTokenizer::read(const JsonEntry &entry) { return readPreTokenizer(entry, 0); }

} // namespace attnc::tokenizer
