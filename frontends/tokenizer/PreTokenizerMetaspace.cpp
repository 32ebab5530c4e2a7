#include "frontends/tokenizer/Metaspace.h"
#include "frontends/tokenizer/PreTokenizer.h"
#include "frontends/tokenizer/Utf8.h"

namespace attnc::tokenizer {

MetaspaceSettings readMetaspaceSettings(const JsonEntry &entry) {
  MetaspaceSettings settings;
  appendCharacter(settings.replacement, entry["replacement"].isNull() ? 0x2581 : entry["replacement"].character());
  const JsonEntry scheme = entry["prepend_scheme"];
  settings.scheme = scheme.isNull() ? PrependScheme::Always : PrependScheme(scheme.oneOf({"always", "first", "never"}));
  if (!entry["add_prefix_space"].flagOr(true)) {
    if (!scheme.isNull() && settings.scheme != PrependScheme::Never)
      scheme.fail("never, as add_prefix_space is false");
    settings.scheme = PrependScheme::Never;
  }
  settings.isSplit = entry["split"].flagOr(true);
  return settings;
}

namespace {
class Metaspace : public PreTokenizer {
public:
  explicit Metaspace(const JsonEntry &entry) : settings(readMetaspaceSettings(entry)) {}

  void split(Pieces &pieces, MatchMemory &) const override {
    std::string text;
    std::vector<Range> ranges;
    text.reserve(pieces.text.size() + pieces.text.size() / 2 + settings.replacement.size());
    for (Range range : pieces.ranges)
      splitPiece(pieces[range], pieces.isStart && range.begin == 0, text, ranges);
    pieces.text = std::move(text);
    pieces.ranges = std::move(ranges);
  }

private:
  void splitPiece(std::string_view piece, bool isFirst, std::string &text, std::vector<Range> &ranges) const {
    const std::string &mark = settings.replacement;
    bool isPrepended = settings.scheme == PrependScheme::Always || (settings.scheme == PrependScheme::First && isFirst);
    size_t begin = text.size();
    if (isPrepended && !piece.starts_with(' ') && !piece.starts_with(mark))
      text += mark;
    for (size_t at = 0; at < piece.size();) {
      bool isSpace = piece[at] == ' ', isMark = isSpace || piece.substr(at).starts_with(mark);
      if (isMark && settings.isSplit && text.size() > begin) {
        ranges.push_back({begin, text.size()});
        begin = text.size();
      }
      if (isMark)
        text += mark;
      else
        text += piece[at];
      at += isSpace || !isMark ? 1 : mark.size();
    }
    ranges.push_back({begin, text.size()});
  }

  MetaspaceSettings settings;
};
} // namespace

std::unique_ptr<PreTokenizer> readMetaspace(const JsonEntry &entry) { return std::make_unique<Metaspace>(entry); }

} // namespace attnc::tokenizer
