#include "tools/attnc/Train/AttentionMaps.h"
#include "tools/attnc/Call/EntryResults.h"
#include "tools/attnc/Tensors/TextFile.h"
#include "tools/attnc/Train/SampleEntry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

Error checkMaps(const attn_model &model, const attn_entry_info &step, const TrainingData &data,
                const MapOptions &options) {
  if (options.entry.empty())
    return Error::success();
  std::optional<std::vector<int32_t>> tokens = options.text ? data.tokensOf(*options.text) : std::nullopt;
  if (options.text && !tokens)
    return createStringError("--map-text is for data that are one file of bytes or words; for other data, name a "
                             "held-out sample by --map-sample");
  if (options.text && tokens->empty())
    return createStringError("--map-text is empty, expected at least one byte or word");
  auto number =
      findSampleEntry(model, step, options.entry,
                      "write `export " + options.entry + " = attention(f)`, where f is the function to look at");
  if (!number)
    return number.takeError();
  const attn_entry_info &maps = model.entries[*number];
  for (int32_t result = maps.input_count; result < maps.input_count + maps.result_count; ++result)
    if (maps.tensors[result].dtype != ATTN_F32 || maps.tensors[result].rank < 2)
      return createStringError(
          formatv("'{0}' returns '{1}', which is not a map of queries and keys", maps.name, maps.tensors[result].name));
  return Error::success();
}

/// The inputs for the text of the options, or for one held-out row.
static std::vector<HostTensor> sampleOf(const TrainingData &data, BatchShape shape, const MapOptions &options,
                                        int64_t longest) {
  if (options.text) {
    std::vector<int32_t> text = *data.tokensOf(*options.text);
    HostTensor tokens(ATTN_I32, {1, std::min<int64_t>(int64_t(text.size()), longest)});
    std::copy_n(text.begin(), tokens.count(), tokens.integers());
    return data.complete({tokens, tokens});
  }
  std::optional<Batch> batch = data.heldOutBatch({1, std::min(shape.sequence, longest)}, options.sample);
  return batch ? std::move(batch->inputs) : std::vector<HostTensor>();
}

/// The texts of the positions of a row of tokens, a value of input `number` of the training step.
static std::vector<std::string> tokensOf(const HostTensor &row, const TrainingData &data, int32_t number) {
  std::vector<std::string> tokens;
  const Vocabulary *vocabulary = data.vocabularyOf(number);
  for (int32_t token : ArrayRef(row.integers(), row.count())) {
    bool isLetter = data.isText() && token < 128 && isPrint(char(token));
    if (vocabulary)
      tokens.push_back(token == vocabulary->end() ? "" : vocabulary->textOf(token));
    else if (data.isOfLines(number))
      tokens.push_back(token == 0 ? "" : character(token));
    else
      tokens.push_back(isLetter ? std::string(1, char(token)) : fmt::format("{}", token));
  }
  return tokens;
}

/// The heads of a result [..., queries, keys]. "3.0" in `wanted` selects a head by its indices in leading dimensions of
/// more than one element.
static void addHeads(const std::string &name, const HostTensor &result, ArrayRef<std::string> wanted,
                     const ShadeMap &tokens, std::vector<ShadeMap> &heads) {
  int64_t rank = int64_t(result.shape.size()), keys = result.shape[rank - 1], queries = result.shape[rank - 2];
  int64_t count = queries * keys == 0 ? 0 : result.count() / (queries * keys);
  for (int64_t head = 0; head < count; ++head) {
    SmallVector<std::string> indices;
    int64_t rest = head;
    for (int64_t dimension = rank - 3; dimension >= 0; rest /= result.shape[dimension--])
      if (result.shape[dimension] > 1)
        indices.insert(indices.begin(), std::to_string(rest % result.shape[dimension]));
    if (!wanted.empty() && !is_contained(wanted, join(indices, ".")))
      continue;
    ShadeMap map = tokens;
    map.name = indices.empty() ? name : name + "[" + join(indices, ", ") + "]";
    map.rows = queries;
    map.columns = keys;
    map.values.assign(result.floats() + head * queries * keys, result.floats() + (head + 1) * queries * keys);
    heads.push_back(std::move(map));
  }
}

Expected<AttentionMaps> readMaps(const attn_model &model, Trainer &trainer, const TrainingData &data, BatchShape shape,
                                 const MapOptions &options, int64_t longest) {
  AttentionMaps maps;
  if (options.entry.empty())
    return maps;
  int64_t number = attn_find_entry(&model, options.entry.c_str());
  const attn_entry_info &entry = model.entries[number];
  std::vector<HostTensor> sample = sampleOf(data, shape, options, longest);
  if (sample.empty() && inputsBeforeKey(entry) > 0)
    return createStringError(formatv("there is no held-out sample {0} to draw maps of", options.sample));
  std::vector<HostTensor> inputs = inputsOfSample(entry, trainer.step(), sample);
  auto results = trainer.run(number, inputs, options.sample);
  if (!results)
    return results.takeError();
  ShadeMap ofResult; // names of rows and columns, without weights
  auto tokensAlong = [&](const attn_size_info &size) {
    for (int32_t input = 0; input < inputsBeforeKey(entry); ++input) {
      const attn_tensor_info &info = entry.tensors[input];
      int32_t number = inputNumber(trainer.step(), info.name);
      bool isSame = info.rank > 0 && attn_size_dimension(&size) >= 0 &&
                    attn_size_dimension(&size) == attn_size_dimension(&info.shape[info.rank - 1]);
      if (isSame && data.isOfTokens(number))
        return tokensOf(inputs[input], data, number);
    }
    return std::vector<std::string>();
  };
  for (auto [position, result] : enumerate(*results)) {
    const attn_tensor_info &info = resultsOf(entry)[position];
    ofResult.rowNames = tokensAlong(info.shape[info.rank - 2]);
    ofResult.columnNames = tokensAlong(info.shape[info.rank - 1]);
    addHeads(info.name, result, options.heads, ofResult, maps.heads);
  }
  if (maps.heads.empty())
    return createStringError(
        formatv("'{0}' has no head {1}; heads are written as 3.0, by the indices before queries and keys", entry.name,
                join(options.heads, ", ")));
  for (int32_t input = 0; input < inputsBeforeKey(entry); ++input) {
    int32_t number = inputNumber(trainer.step(), entry.tensors[input].name);
    bool isOfRows = !data.isSequence(); // in a sequence, targets repeat the tokens before them
    if (data.isOfTokens(number) && (isOfRows || maps.texts.empty())) {
      const Vocabulary *vocabulary = data.vocabularyOf(number);
      bool areWords = vocabulary && !vocabulary->tokenizerFile();
      std::string text = join(tokensOf(inputs[input], data, number), areWords ? " " : "");
      maps.texts.push_back(StringRef(text).rtrim(' ').str());
    }
  }
  return maps;
}

} // namespace attnc
