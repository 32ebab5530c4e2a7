#include "tools/attnc/Generate/TextForm.h"
#include "tools/attnc/Messages/Printing.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace attnc {

TextForm TextForm::of(StringRef text, const Vocabulary *vocabulary) {
  return {text.find_first_not_of("0123456789,") == StringRef::npos && text.contains(','), vocabulary};
}

Expected<std::vector<int32_t>> tokensOf(StringRef text, const Twine &what, TextForm form, Encoding encoding) {
  std::vector<int32_t> tokens;
  if (!form.areNumbers && form.vocabulary) {
    auto encoded = (form.vocabulary->*encoding)(text);
    if (!encoded)
      return createStringError(what + ": " + toString(encoded.takeError()));
    tokens = std::move(*encoded);
  } else if (!form.areNumbers) {
    tokens.assign(text.bytes_begin(), text.bytes_end());
  }
  SmallVector<StringRef> numbers;
  text.split(numbers, ',', -1, /*KeepEmpty=*/false);
  for (StringRef number : form.areNumbers ? ArrayRef(numbers) : ArrayRef<StringRef>()) {
    int32_t token;
    if (number.getAsInteger(10, token))
      return createStringError(what + " has the token " + number + ", which is above 2147483647");
    tokens.push_back(token);
  }
  bool hasOnlyEnd = encoding == &Vocabulary::rowOf && tokens.size() == 1 && !form.areNumbers && form.vocabulary;
  if (tokens.empty() || hasOnlyEnd)
    return createStringError(what + " is empty, expected at least one token");
  return tokens;
}

Expected<std::vector<int32_t>> stopTokens(StringRef text, const Vocabulary *vocabulary) {
  std::vector<int32_t> ends;
  if (vocabulary && vocabulary->tokenizerFile())
    ends = vocabulary->tokenizerFile()->allEnds().vec();
  int32_t number;
  if (text.empty())
    return ends;
  if (!text.getAsInteger(10, number)) {
    ends.push_back(number);
    return ends;
  }
  if (text.find_first_not_of("0123456789") == StringRef::npos)
    return createStringError("--stop " + text + ": is above 2147483647");
  auto tokens = tokensOf(text, "--stop", {.vocabulary = vocabulary}, &Vocabulary::tokensOf);
  if (!tokens)
    return tokens.takeError();
  if (tokens->size() != 1)
    return createStringError(formatv("--stop {0}: found {1} {2}, expected one, or the number of a token", text,
                                     tokens->size(),
                                     !vocabulary                   ? "bytes"
                                     : vocabulary->tokenizerFile() ? "tokens"
                                                                   : "words"));
  if (vocabulary && !vocabulary->tokenizerFile() && tokens->front() == Vocabulary::unknown &&
      text != (*vocabulary)[Vocabulary::unknown])
    return createStringError(formatv(
        "--stop {0}: the vocabulary does not have this word; give a word that it has, or the number of a token", text));
  ends.push_back(tokens->front());
  return ends;
}

/// Prints a byte, with those of its character. Bytes that are not UTF-8 do not wait.
void Printer::printByte(char byte) {
  waiting += byte;
  auto *bytes = reinterpret_cast<const UTF8 *>(waiting.data());
  size_t expected = getNumBytesForUTF8(bytes[0]);
  bool mayContinue = waiting.size() < expected && (waiting.size() == 1 || (uint8_t(byte) & 0xC0) == 0x80);
  if (mayContinue)
    return;
  std::fwrite(waiting.data(), 1, waiting.size(), stdout);
  waiting.clear();
}

void Printer::print(int32_t token) {
  if (form.areNumbers) {
    printTo(stdout, "{} ", token);
  } else if (!form.vocabulary && token > UINT8_MAX) {
    printTo(stdout, "{}<{}>", std::exchange(waiting, ""), token);
  } else if (!form.vocabulary) {
    printByte(char(token));
  } else if (token == form.vocabulary->end()) {
    std::fputc('\n', stdout);
    isLineStart = true;
  } else {
    printTo(stdout, "{}{}", isLineStart ? "" : " ", (*form.vocabulary)[token].str());
    isLineStart = false;
  }
}

void Printer::print(ArrayRef<int32_t> tokens) {
  for (int32_t token : tokens) {
    const char *text = nullptr;
    size_t bytes = 0;
    if (!stream)
      print(token);
    else if (attn_token_stream_add(stream.get(), token, &text, &bytes, nullptr) == ATTN_OK)
      std::fwrite(text, 1, bytes, stdout);
  }
  std::fflush(stdout);
}

void Printer::finish() {
  const char *text = nullptr;
  size_t bytes = 0;
  if (stream && attn_token_stream_finish(stream.get(), &text, &bytes, nullptr) == ATTN_OK)
    std::fwrite(text, 1, bytes, stdout);
  std::fwrite(waiting.data(), 1, waiting.size(), stdout);
  waiting.clear();
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

} // namespace attnc
