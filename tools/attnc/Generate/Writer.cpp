#include "tools/attnc/Generate/Writer.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Generate/SpeculativeLoop.h"
#include "tools/attnc/Generate/WholeLoop.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

/// Finds the only whole loop among the entry points that are requested.
static Expected<int64_t> findWholeLoop(const GenerateOptions &options, const attn_model &model) {
  std::string names, steps;
  WriterRequest wanted;
  wanted.entry = options.entry;
  int64_t count = 0, number = -1;
  for (int64_t each = 0; each < model.entry_count; ++each) {
    std::string name = model.entries[each].name;
    if (attn_find_entry(&model, (name + "_prefill").c_str()) >= 0)
      steps += (steps.empty() ? "" : ", ") + name;
    if (!WholeLoop::isLoop(model.entries[each]))
      continue;
    names += (names.empty() ? "" : ", ") + name;
    if (!wanted.names(name))
      continue;
    number = each;
    ++count;
  }
  if (count == 1)
    return number;
  if (count > 1)
    return createStringError(formatv("choose an entry point by --entry: {0}", names));
  if (!names.empty())
    return createStringError(formatv("no entry point '{0}' writes tokens; the model has {1}", options.entry, names));
  if (steps.empty())
    return createStringError(
        "the model has no entry point that writes tokens; write `export next = incremental(logits, "
        "along: seq)` and `export write = decode(next, with: draw, at_most: 64)`");
  if (options.source.isModel())
    return createStringError(formatv("choose an entry point to decode with by --entry: {0}", steps));
  return createStringError(formatv("the object has no entry point that writes tokens; write `export write = "
                                   "decode({0}, with: draw, at_most: 64)`, or give the model (.attn)",
                                   StringRef(steps).split(',').first));
}

/// The name of the only resumed loop of a model; empty if there is none.
static StringRef resumedLoopOf(const attn_model &model) {
  for (int64_t each = 0; each < model.entry_count; ++each)
    if (StringRef name = model.entries[each].name; name.consume_back(ResumedNames::steps))
      return name;
  return "";
}

namespace {
struct LoopChoice {
  StringRef resumed;  ///< name of a resumed loop; empty: none
  int64_t whole = -1; ///< else the number of the entry point of a whole loop
};
} // namespace

static Expected<LoopChoice> findLoop(const GenerateOptions &options, const attn_model &model) {
  StringRef name = resumedLoopOf(model);
  if (!options.source.isObject() && !name.empty()) // the only loop that this command has compiled
    return LoopChoice{name};
  auto number = findWholeLoop(options, model);
  if (!number)
    return number.takeError();
  name = model.entries[*number].name;
  if (attn_find_entry(&model, (name + ResumedNames::steps).str().c_str()) >= 0)
    return LoopChoice{name};
  return LoopChoice{"", *number};
}

/// Reads the inputs and loads the weights.
Error Writer::prepare(ArrayRef<std::string> weights, ArrayRef<int32_t> ends) {
  endTokens = ends.vec();
  if (Error error = readInputs())
    return error;
  if (Error error = runner.start(options.threads))
    return error;
  return runner.loadWeights(weights, 0, options.seed);
}

Expected<std::unique_ptr<Writer>> Writer::openDraft(const GenerateOptions &options, const Vocabularies &vocabularies,
                                                    const attn_model &model, ArrayRef<int32_t> ends) {
  StringRef name = resumedLoopOf(model);
  if (name.empty())
    return createStringError(
        formatv("{0}: can't write drafts: no entry point writes tokens by a sampler", options.draft.input()));
  auto writer = std::make_unique<ResumedLoop>(options, vocabularies, model, name);
  if (Error error = static_cast<Writer &>(*writer).prepare(options.draftWeights, ends))
    return std::move(error);
  return writer;
}

Expected<std::unique_ptr<Writer>> Writer::open(const GenerateOptions &options, const Vocabularies &vocabularies,
                                               const WriterModels &models, ArrayRef<int32_t> ends) {
  auto loop = findLoop(options, models.model);
  if (!loop)
    return loop.takeError();
  std::unique_ptr<Writer> writer;
  if (options.drafts > 0) {
    if (loop->resumed.empty())
      return createStringError("drafted tokens can't be verified: a beam search writes the text");
    std::unique_ptr<Draft> draft = std::make_unique<RepeatedText>();
    if (models.draft) {
      auto smaller = openDraft(options, vocabularies, *models.draft, ends);
      if (!smaller)
        return smaller.takeError();
      draft = std::make_unique<DraftModel>(std::move(*smaller), options.draft.tokensOfWriter(),
                                           options.source.tokensOfWriter());
    }
    writer = std::make_unique<SpeculativeLoop>(options, vocabularies, models.model, loop->resumed, std::move(draft));
  } else if (!loop->resumed.empty()) {
    writer = std::make_unique<ResumedLoop>(options, vocabularies, models.model, loop->resumed);
  } else {
    writer = std::make_unique<WholeLoop>(options, vocabularies, models.model, loop->whole);
  }
  if (Error error = writer->prepare(options.weights, ends))
    return std::move(error);
  return writer;
}

int64_t Writer::window() const { return contextSize < 0 ? -1 : contextSize - atMost + 1; }

int64_t Writer::limitOf(const attn_entry_info &entry, const attn_size_info &size) {
  int64_t dimension = attn_size_dimension(&size);
  return dimension < 0 ? -1 : entry.dimensions[dimension].max;
}

int32_t Writer::seed() const {
  uint32_t words[4];
  attn_random_words(options.seed, 0, uint64_t(draws), words);
  return int32_t(words[0]);
}

/// Begins the next block of tokens with the same seed.
void Writer::beginDraws() {
  draws += drawn > 0;
  drawn = 0;
  skipped = text.size() - (contextSize < 0 ? text.size() : std::min(text.size(), size_t(window())));
}

void Writer::begin(ArrayRef<int32_t> newText, int64_t expected) {
  text = newText.vec();
  begun = text.size();
  expectedTokens = expected;
  isEnded = false;
  beginDraws();
}

Expected<std::vector<int32_t>> Writer::write(int64_t most) {
  if (drawn == atMost)
    beginDraws();
  std::vector<int32_t> written;
  if (Error error = call(std::min(most, atMost - drawn), written))
    return std::move(error);
  drawn += int64_t(written.size());
  if (auto last = std::ranges::find_first_of(written, endTokens); last != written.end()) {
    written.erase(last, written.end());
    isEnded = true;
  }
  times.tokens += int64_t(written.size());
  append_range(text, written);
  return written;
}

Expected<std::vector<int32_t>> Writer::continueTextOf(const Writer &other, int64_t most) {
  most = std::min(most, atMost);
  text = other.text;
  begun = text.size();
  expectedTokens = other.expectedTokens;
  draws = other.draws;
  drawn = other.drawn;
  skipped = other.skipped;
  if (contextSize >= 0) { // of a model with a smaller context
    most = std::min(most, contextSize);
    skipped = std::max(int64_t(skipped), int64_t(text.size()) + most - 1 - contextSize);
  }
  isEnded = false;
  std::vector<int32_t> written;
  if (Error error = call(most, written))
    return std::move(error);
  return written;
}

} // namespace attnc
