#include "frontends/attn/Check/Modules/CheckpointWord.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

namespace attnc::check {

/// The number of the stacked list in a LinearIndex.
constexpr int64_t stackedList = -1;

/// A sum: a constant, and a factor for each list of equal modules, by its number.
struct LinearIndex {
  int64_t constant = 0;
  std::map<int64_t, int64_t> factors = {};

  bool isStackedIndex() const { return constant == 0 && factors == std::map<int64_t, int64_t>{{stackedList, 1}}; }
};

/// As the dialect `model` writes it: "{0*6+1+#2}", or a number; "[]" for the index in a stacked list.
static std::string rendered(const LinearIndex &index) {
  if (index.factors.empty())
    return std::to_string(index.constant);
  if (index.isStackedIndex())
    return "[]";
  std::string text;
  for (auto [list, factor] : index.factors)
    text += (text.empty() ? "" : "+") + std::to_string(list) + (factor == 1 ? "" : "*" + std::to_string(factor));
  if (index.constant != 0)
    text += "+#" + std::to_string(index.constant);
  return "{" + text + "}";
}

/// Returns the number of characters up to the brace that closes the one at the start of `text`; 0 if there is none.
static size_t lengthOfBraces(std::string_view text) {
  int depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return 0;
}

/// A whole number of up to six digits; null for other text.
static std::optional<int64_t> numberIn(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool isNumber = error == std::errc() && end == text.data() + text.size() && text.size() <= 6 && number >= 0;
  return isNumber ? std::optional(number) : std::nullopt;
}

static std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

static std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at; (at = text.find(separator)) != std::string_view::npos; text.remove_prefix(at + 1))
    parts.push_back(trimmed(text.substr(0, at)));
  parts.push_back(trimmed(text));
  return parts;
}

namespace {

/// Expands one word.
class Expansion {
public:
  Expansion(std::span<const ListIndex> lists, size_t own, const NumberOfName &numberOf)
      : lists(lists), isUsed(lists.size()), own(own), numberOf(numberOf) {}

  CheckpointWord expand(std::string_view word) {
    while (!word.empty()) {
      size_t length = word.front() == '{' ? lengthOfBraces(word) : 0;
      if (length == 0 || !expandPlaceholder(word.substr(1, length - 2))) {
        result.text += word.front();
        length = 1;
      }
      word.remove_prefix(length);
    }
    for (size_t list = lists.size() - own; list < lists.size(); ++list)
      if (!isUsed[list])
        result.text += (result.text.empty() ? "" : ".") + rendered(indexOf(list));
    return std::move(result);
  }

private:
  LinearIndex indexOf(size_t list) const {
    if (lists[list].kind == ListIndex::Constant)
      return {lists[list].number};
    return {0, {{lists[list].kind == ListIndex::Stacked ? stackedList : lists[list].number, 1}}};
  }

  /// Returns false for text that stands for itself.
  bool expandPlaceholder(std::string_view inner) {
    if (inner.empty()) {
      std::fill(isUsed.end() - ptrdiff_t(own), isUsed.end(), true);
      return own > 0;
    }
    if (std::optional<int64_t> list = numberIn(inner)) {
      if (size_t(*list) >= lists.size())
        return false;
      isUsed[*list] = true;
      result.text += rendered(indexOf(*list));
      return true;
    }
    if (inner.find('{') == std::string_view::npos) {
      // An object would read it as a placeholder.
      if (inner.find_first_not_of("0123456789*+#") == std::string_view::npos)
        result.problem = fmt::format("`{{{}}}` has no index in braces", inner);
      return false;
    }
    LinearIndex sum;
    for (std::string_view term : split(inner, '+'))
      addTerm(term, sum);
    if (sum.factors.contains(stackedList) && !sum.isStackedIndex())
      result.problem = fmt::format("`{{{}}}` is a sum with the index of a list that data subscripts", inner);
    result.text += rendered(sum);
    return true;
  }

  /// Adds a product of numbers and at most one index of a list of equal modules.
  void addTerm(std::string_view term, LinearIndex &sum) {
    LinearIndex product{1};
    for (std::string_view factor : split(term, '*')) {
      std::optional<LinearIndex> value = valueOf(factor);
      if (!value) {
        result.problem =
            fmt::format("`{}` is neither a number nor one of the lists around the field, {}", factor,
                        lists.empty() ? "which has none" : fmt::format("{{0}} to {{{}}}", lists.size() - 1));
        return;
      }
      if (!value->factors.empty() && !product.factors.empty()) {
        result.problem = fmt::format("`{}` is a product of two indices", term);
        return;
      }
      if (!value->factors.empty())
        std::swap(product, *value);
      product.constant *= value->constant;
      int64_t largest = product.constant;
      for (auto &[list, times] : product.factors)
        largest = std::max(largest, times *= value->constant);
      if (largest > INT32_MAX) {
        result.problem = fmt::format("`{}` exceeds {}", term, INT32_MAX);
        return;
      }
    }
    sum.constant += product.constant;
    for (auto [list, times] : product.factors)
      sum.factors[list] += times;
  }

  std::optional<LinearIndex> valueOf(std::string_view factor) {
    if (std::optional<int64_t> number = numberIn(factor))
      return LinearIndex{*number};
    if (std::optional<int64_t> number = numberOf(std::string(factor)))
      return LinearIndex{*number};
    bool isList = factor.size() > 2 && factor.front() == '{' && factor.back() == '}';
    std::optional<int64_t> list = isList ? numberIn(factor.substr(1, factor.size() - 2)) : std::nullopt;
    if (!list || size_t(*list) >= lists.size())
      return std::nullopt;
    isUsed[*list] = true;
    return indexOf(*list);
  }

  std::span<const ListIndex> lists;
  std::vector<bool> isUsed; ///< by list
  size_t own;
  const NumberOfName &numberOf;
  CheckpointWord result;
};

} // namespace

CheckpointWord expandWord(std::string_view word, std::span<const ListIndex> lists, size_t own,
                          const NumberOfName &numberOf) {
  CheckpointWord expanded = Expansion(lists, own, numberOf).expand(word);
  if (!expanded.problem.empty())
    expanded.text = Expansion(lists, lists.size(), numberOf).expand(fmt::format("wrong{}", lists.size())).text;
  return expanded;
}

} // namespace attnc::check
