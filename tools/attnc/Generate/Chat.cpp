#include "tools/attnc/Generate/Chat.h"
#include "tools/attnc/Generate/Stream.h"
#include "tools/attnc/Messages/Printing.h"
#include "llvm/Support/FormatVariadic.h"
#include <iostream>
#include <unistd.h>

using namespace llvm;

namespace attnc {

namespace {

/// The messages of a conversation.
class Conversation {
public:
  Conversation(const TokenizerFile &tokenizer, std::string family, const std::string &system)
      : tokenizer(tokenizer), family(std::move(family)) {
    if (!system.empty())
      messages.push_back({"system", system});
  }
  void add(const char *role, std::string text) { messages.push_back({role, std::move(text)}); }
  /// The tokens up to the next answer, at most `most` (-1: any number). Forgets the oldest messages if there are more.
  Expected<std::vector<int32_t>> tokens(int64_t most);

private:
  const TokenizerFile &tokenizer;
  std::string family;
  std::vector<ChatMessage> messages;
};

} // namespace

Expected<std::vector<int32_t>> Conversation::tokens(int64_t most) {
  while (true) {
    auto all = tokenizer.encodeChat(family, messages);
    if (!all || most < 0 || int64_t(all->size()) <= most)
      return all;
    size_t first = StringRef(messages.front().role) == "system";
    if (messages.size() <= first + 1)
      return createStringError(
          formatv("the message has {0} tokens, but the context has room for {1}", all->size(), most));
    // A message of the user, and its answer.
    messages.erase(messages.begin() + ptrdiff_t(first), messages.begin() + ptrdiff_t(first) + 2);
  }
}

/// Reads a line that is not blank, after a sign in a terminal; false at the end of the input.
static bool readMessage(std::string &line) {
  bool isTerminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  do {
    if (isTerminal) {
      printTo(stdout, "> ");
      std::fflush(stdout);
    }
    if (!std::getline(std::cin, line)) {
      printTo(stdout, "{}", isTerminal ? "\n" : "");
      return false;
    }
  } while (StringRef(line).trim().empty());
  return true;
}

Error chat(const GenerateOptions &options, const Vocabularies &vocabularies, const Vocabulary *vocabulary,
           ArrayRef<int32_t> ends, const WriterModels &models) {
  const TokenizerFile *tokenizer = vocabulary ? vocabulary->tokenizerFile() : nullptr;
  if (!tokenizer)
    return createStringError("--chat needs the tokenizer of a published model; give its folder as the model, or "
                             "--vocabulary tokenizer.json");
  auto family = tokenizer->chatFamily();
  if (!family)
    return family.takeError();
  auto writer = Writer::open(options, vocabularies, models, ends);
  if (!writer)
    return writer.takeError();
  Conversation conversation(*tokenizer, *family, options.system);
  Printer printer({.vocabulary = vocabulary});
  for (std::string line; readMessage(line);) {
    conversation.add("user", line);
    auto tokens = conversation.tokens((*writer)->window());
    if (!tokens)
      return tokens.takeError();
    (*writer)->begin(*tokens, options.count);
    auto answer = printTokens(**writer, printer, options.count);
    if (!answer)
      return answer.takeError();
    conversation.add("assistant", tokenizer->decode(*answer));
  }
  printRates((*writer)->times);
  return Error::success();
}

} // namespace attnc
