//===- PreTokenizer.h - splitting of text into pieces -------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Normalizer.h"

namespace attnc::tokenizer {

/// A text and the ranges of its pieces, in order. The ranges need not cover the text.
struct Pieces {
  std::string text;
  std::vector<Range> ranges;
  bool isStart = true; ///< the text is the start of the text to encode

  std::string_view operator[](Range range) const {
    return std::string_view(text).substr(range.begin, range.end - range.begin);
  }
};

/// A piece is split at delimiters: matches of an expression, or characters of a class. This enumeration tells what
/// happens to a delimiter: it is a piece of its own, it is removed, it is part of the piece before or after it, or
/// adjacent delimiters are one piece.
enum class SplitBehavior { Isolated, Removed, MergedWithPrevious, MergedWithNext, Contiguous };

/// Appends the ranges of one piece to a list, part by part.
class PartCollector {
public:
  PartCollector(SplitBehavior behavior, std::vector<Range> &ranges) : behavior(behavior), ranges(ranges) {}
  /// Adds the next part, which is a delimiter or a text between delimiters.
  void add(Range part, bool isDelimiter);
  /// Ends the piece. The next part belongs to another piece.
  void finish();

private:
  void append(Range part) {
    if (!part.empty())
      ranges.push_back(part);
  }

  SplitBehavior behavior;
  std::vector<Range> &ranges;
  std::optional<Range> last; ///< a part that later ones may extend
  bool isLastDelimiter = false;
};

class PreTokenizer {
public:
  virtual ~PreTokenizer() = default;
  /// Reads the entry `pre_tokenizer`; null for null.
  static std::unique_ptr<PreTokenizer> read(const JsonEntry &entry);

  /// Splits each piece, and may rewrite the text. Each piece is not empty, before and after.
  virtual void split(Pieces &pieces, MatchMemory &memory) const = 0;

  /// Whether the last step replaces bytes by characters (ByteAlphabet.h), with nothing after it.
  virtual bool endsInByteAlphabet() const { return false; }
  /// Omits this step, for a model that takes bytes. Requires endsInByteAlphabet().
  virtual void keepBytes() {}
};

/// ByteLevel: splits by the expression of GPT-2 if `use_regex` is true, then replaces bytes by characters. With
/// `add_prefix_space`, a piece that does not begin with a space gets one.
std::unique_ptr<PreTokenizer> readByteLevel(const JsonEntry &entry);
/// Metaspace: replaces spaces by U+2581, and splits before each of them. `prepend_scheme` adds one at the start of each
/// piece (always), of the text alone (first), or not (never), unless there is one.
std::unique_ptr<PreTokenizer> readMetaspace(const JsonEntry &entry);

} // namespace attnc::tokenizer
