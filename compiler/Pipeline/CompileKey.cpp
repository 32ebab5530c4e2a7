#include "compiler/Pipeline/CompileKey.h"
#include "compiler/Json/InputBuffer.h"

namespace attnc {

namespace {

/// Writes fields with their lengths, so that equal texts have equal fields.
class KeyWriter {
public:
  void add(llvm::StringRef field) { text += (llvm::Twine(field.size()) + ":" + field).str(); }
  void add(int64_t number) { add(llvm::StringRef(std::to_string(number))); }
  /// The size of a list or the presence of a value, then what it contains.
  template <typename List, typename Add> void addAll(const List &list, Add addOne) {
    add(int64_t(std::size(list)));
    for (const auto &each : list)
      addOne(each);
  }
  template <typename Number> void addOptional(const std::optional<Number> &value) {
    add(value ? static_cast<int64_t>(*value) : -1);
  }
  /// The path, which warnings contain, and the content. A file that can't be read counts as an empty one: the compile
  /// then ends with an error, and is not cached.
  void addFile(const std::string &path) {
    add(llvm::StringRef(path));
    if (path.empty())
      return;
    auto file = readInputFile(path);
    add(file ? (*file)->getBuffer() : llvm::StringRef());
    if (!file)
      llvm::consumeError(file.takeError());
  }

  std::string text;
};

} // namespace

static void addOptions(KeyWriter &key, const CompileOptions &options) {
  // The binding names all members, so that the build fails here when there is a new one. Not part of the key:
  //   - target, prefix: the job has them in resolved form
  //   - settings, fineTuning, and some members of writer: the imported module has their effect
  //   - weights, allowExtra, dump: such a compile is not cached
  //   - cache, objectAlone, reproducerDirectory: they do not change the object
  const auto &[input, target, prefix, settings, fineTuning, writer, streams, entries, studied, kernelNames, weights,
               allowExtra, overrides, script, tuning, at, memoryBudget, emitter, precision, debugLines, raises,
               requireFused, records, numbersOps, cache, objectAlone, dump, reproducerDirectory] = options;
  auto addText = [&](const std::string &text) { key.add(llvm::StringRef(text)); };
  addText(input);
  key.add(int64_t(writer.has_value()));
  if (writer) {
    const auto &[entry, file, choice, atMost, isResumed, drafts, isVerified] = *writer;
    addText(entry);
    for (int64_t number : {int64_t(isResumed), drafts, int64_t(isVerified)})
      key.add(number);
  }
  key.addAll(entries, addText);
  addText(studied);
  key.addOptional(kernelNames);
  key.addAll(overrides, [&](const Override &each) {
    const auto &[what, name, value, origin] = each;
    for (const std::string &text : {what, name, value, origin})
      addText(text);
  });
  key.addFile(script);
  key.addFile(tuning);
  key.addAll(at, [&](const auto &size) {
    addText(size.first);
    key.add(size.second);
  });
  key.addOptional(memoryBudget);
  key.addOptional(emitter);
  key.add(static_cast<int64_t>(precision));
  for (bool flag : {streams, debugLines, raises, requireFused, records, numbersOps})
    key.add(int64_t(flag));
}

std::string compileKey(llvm::StringRef module, const Job &job) {
  KeyWriter key;
  key.add(module);
  key.add(llvm::StringRef(job.made.program.prefix));
  key.add(llvm::StringRef(job.target.cpu));
  key.add(llvm::StringRef(job.target.features));
  key.addAll(job.target.images, [&](const std::string &image) { key.add(llvm::StringRef(image)); });
  addOptions(key, job.options);
  return std::move(key.text);
}

} // namespace attnc
