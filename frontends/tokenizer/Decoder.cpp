#include "frontends/tokenizer/Decoder.h"
#include "frontends/tokenizer/ByteAlphabet.h"
#include "frontends/tokenizer/Metaspace.h"
#include "frontends/tokenizer/Normalizer.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>

namespace attnc::tokenizer {

/// `text` with each occurrence of `from` replaced by `to`.
static std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (size_t at; !from.empty() && (at = text.find(from)) != text.npos;) {
    result += text.substr(0, at);
    result += to;
    text.remove_prefix(at + from.size());
  }
  return result += text;
}

/// Removes spaces in front of English punctuation and contractions.
static std::string cleaned(std::string text) {
  static constexpr std::pair<const char *, const char *> rules[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (auto [from, to] : rules)
    text = replaced(text, from, to);
  return text;
}

static std::string joined(const std::vector<std::string> &tokens) {
  std::string result;
  for (const std::string &token : tokens)
    result += token;
  return result;
}

namespace {

class ByteLevelDecoder : public Decoder {
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    std::string bytes;
    for (const std::string &token : tokens)
      bytes += bytesOfCharacters(token).value_or(token);
    tokens = {repaired(bytes)};
  }
};

class WordPieceDecoder : public Decoder {
public:
  WordPieceDecoder(std::string prefix, bool isCleaned) : prefix(std::move(prefix)), isCleaned(isCleaned) {}
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0)
        tokens[i] = tokens[i].starts_with(prefix) ? tokens[i].substr(prefix.size()) : " " + tokens[i];
      if (isCleaned)
        tokens[i] = cleaned(tokens[i]);
    }
  }

private:
  std::string prefix;
  bool isCleaned;
};

class MetaspaceDecoder : public Decoder {
public:
  explicit MetaspaceDecoder(MetaspaceSettings settings) : settings(std::move(settings)) {}
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      bool isRemoved = i == 0 && settings.scheme != PrependScheme::Never;
      tokens[i] = replaced(tokens[i], settings.replacement, isRemoved ? "" : " ");
    }
  }

private:
  MetaspaceSettings settings;
};

class BpeDecoder : public Decoder {
public:
  explicit BpeDecoder(std::string suffix) : suffix(std::move(suffix)) {}
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    for (size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = replaced(tokens[i], suffix, i + 1 < tokens.size() ? " " : "");
  }

private:
  std::string suffix;
};

/// Connectionist temporal classification: repeated tokens are one, and the padding token separates equal tokens.
class CtcDecoder : public Decoder {
public:
  CtcDecoder(std::string pad, std::string delimiter, bool isCleaned)
      : pad(std::move(pad)), delimiter(std::move(delimiter)), isCleaned(isCleaned) {}
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (std::string &token : tokens) {
      token = replaced(token, pad, "");
      if (isCleaned)
        token = replaced(cleaned(token), delimiter, " ");
    }
  }

private:
  std::string pad, delimiter;
  bool isCleaned;
};

/// Tokens <0x00> to <0xFF> become their bytes. If adjacent ones are not UTF-8, each of them becomes U+FFFD.
class ByteFallbackDecoder : public Decoder {
  static int digit(char digit) {
    if (digit >= '0' && digit <= '9')
      return digit - '0';
    char lower = char(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }
  static int byteOf(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>')
      return -1;
    int high = digit(token[3]), low = digit(token[4]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
  }
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    std::vector<std::string> result;
    std::string bytes;
    auto flush = [&] {
      if (isUtf8(bytes))
        result.push_back(bytes);
      else
        result.insert(result.end(), bytes.size(), std::string(replacementCharacter));
      bytes.clear();
    };
    for (std::string &token : tokens) {
      if (int byte = byteOf(token); byte >= 0) {
        bytes += char(uint8_t(byte));
        continue;
      }
      if (!bytes.empty())
        flush();
      result.push_back(std::move(token));
    }
    if (!bytes.empty())
      flush();
    tokens = std::move(result);
  }
};

class FuseDecoder : public Decoder {
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override { tokens = {joined(tokens)}; }
};

/// Removes up to `start` and `stop` occurrences of a character at the start and the end of each token.
class StripDecoder : public Decoder {
public:
  StripDecoder(char32_t codePoint, int64_t start, int64_t stop) : start(start), stop(stop) {
    appendCharacter(content, codePoint);
  }
  void decode(std::vector<std::string> &tokens, MatchMemory &) const override {
    for (std::string &token : tokens) {
      std::string_view rest = token;
      for (int64_t i = 0; i < start && rest.starts_with(content); ++i)
        rest.remove_prefix(content.size());
      for (int64_t i = 0; i < stop && rest.ends_with(content); ++i)
        rest.remove_suffix(content.size());
      token = std::string(rest);
    }
  }

private:
  std::string content;
  int64_t start, stop;
};

class ReplaceDecoder : public Decoder {
public:
  explicit ReplaceDecoder(std::unique_ptr<Normalizer> normalizer) : normalizer(std::move(normalizer)) {}
  void decode(std::vector<std::string> &tokens, MatchMemory &memory) const override {
    for (std::string &token : tokens)
      normalizer->normalize(token, memory);
  }

private:
  std::unique_ptr<Normalizer> normalizer;
};

class DecoderSequence : public Decoder {
public:
  std::vector<std::unique_ptr<Decoder>> parts;
  void decode(std::vector<std::string> &tokens, MatchMemory &memory) const override {
    for (const auto &part : parts)
      part->decode(tokens, memory);
  }
};

} // namespace

static std::unique_ptr<Decoder> readDecoder(const JsonEntry &entry, int depth) {
  if (entry.isNull())
    return nullptr;
  switch (entry["type"].oneOf({"ByteLevel", "WordPiece", "Metaspace", "BPEDecoder", "CTC", "ByteFallback", "Fuse",
                               "Strip", "Replace", "Sequence"})) {
  case 0:
    return std::make_unique<ByteLevelDecoder>();
  case 1:
    return std::make_unique<WordPieceDecoder>(entry["prefix"].text(), entry["cleanup"].flag());
  case 2:
    return std::make_unique<MetaspaceDecoder>(readMetaspaceSettings(entry));
  case 3:
    return std::make_unique<BpeDecoder>(entry["suffix"].text());
  case 4:
    return std::make_unique<CtcDecoder>(entry["pad_token"].text(), entry["word_delimiter_token"].text(),
                                        entry["cleanup"].flag());
  case 5:
    return std::make_unique<ByteFallbackDecoder>();
  case 6:
    return std::make_unique<FuseDecoder>();
  case 7:
    return std::make_unique<StripDecoder>(entry["content"].character(), entry["start"].integer(0, INT32_MAX),
                                          entry["stop"].integer(0, INT32_MAX));
  case 8:
    return std::make_unique<ReplaceDecoder>(Normalizer::read(entry));
  }
  if (depth == deepestSequence)
    entry.failWith("found more than " + std::to_string(deepestSequence) + " nested sequences");
  auto sequence = std::make_unique<DecoderSequence>();
  for (const JsonEntry &part : entry["decoders"].elements())
    if (auto decoder = readDecoder(part, depth + 1))
      sequence->parts.push_back(std::move(decoder));
  return sequence;
}

std::unique_ptr<Decoder> Decoder::read(const JsonEntry &entry) { return readDecoder(entry, 0); }

} // namespace attnc::tokenizer
