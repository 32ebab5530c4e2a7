#include "compiler/Narrow/Narrow.h"
#include "llvm/ADT/StringExtras.h"

namespace attnc {

using Kind = StorageChoice::Kind;

/// Names of the intermediates of all entry points, the weights and the states: each once.
static llvm::SmallVector<std::string> namesOf(llvm::ArrayRef<StorageChoice> choices, Kind kind, bool isNarrow,
                                              llvm::StringRef reason = "") {
  llvm::SmallVector<std::string> names;
  for (const StorageChoice &choice : choices) {
    bool isPerEntry = choice.kind == Kind::State || choice.kind == Kind::Entry;
    std::string name = isPerEntry ? choice.what + " of " + choice.entry : choice.what;
    if (choice.kind == kind && choice.isNarrow == isNarrow && choice.reason == reason &&
        !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return names;
}

static constexpr std::pair<Kind, llvm::StringLiteral> kinds[] = {
    {Kind::Weight, "weights"}, {Kind::State, "caches"}, {Kind::Intermediate, "tensors between kernels"}};

void printStorage(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element, llvm::raw_ostream &out) {
  out << "stored in " << element << ":\n";
  for (auto [kind, title] : kinds)
    if (llvm::SmallVector<std::string> names = namesOf(choices, kind, true); !names.empty())
      out << "  " << title << ": " << llvm::join(names, ", ") << '\n';
  llvm::SmallVector<std::string> reasons;
  for (const StorageChoice &choice : choices)
    if (!choice.isNarrow && !llvm::is_contained(reasons, choice.reason))
      reasons.push_back(choice.reason);
  if (!reasons.empty())
    out << "stored in f32:\n";
  for (const std::string &reason : reasons) {
    llvm::SmallVector<std::string> names;
    for (Kind kind : {Kind::Entry, Kind::Weight, Kind::State, Kind::Intermediate})
      llvm::append_range(names, namesOf(choices, kind, false, reason));
    out << "  " << reason << ": " << llvm::join(names, ", ") << '\n';
  }
}

std::string storageSummary(llvm::ArrayRef<StorageChoice> choices, llvm::StringRef element) {
  llvm::SmallVector<std::string> counts;
  for (auto [kind, title] : kinds)
    if (size_t count = namesOf(choices, kind, true).size())
      counts.push_back((title + " (" + llvm::Twine(count) + ")").str());
  size_t wideCount = llvm::count_if(choices, [](const StorageChoice &choice) { return !choice.isNarrow; });
  return "stored in " + element.str() + ": " + (counts.empty() ? "nothing" : llvm::join(counts, ", ")) +
         "; stored in f32: " + std::to_string(wideCount) + "; `attnc explain --all` lists them with reasons";
}

} // namespace attnc
