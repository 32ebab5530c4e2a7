// attnc verify: checks that an object is the compile of its record, and that its statements about memory hold.
#include "compiler/Verify/Verify.h"
#include "compiler/Diagnostics/CrashNote.h"
#include "compiler/Diagnostics/LargeStack.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Pipeline/Compile.h"
#include "compiler/Verify/ObjectSections.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Commands.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

namespace {

std::string counted(size_t count, const char *what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Verifies one object and collects the faults, each with its subject. The file may contain anything: its sections are
/// read as bytes, and their content is checked. Only the object that is compiled again is linked and called, once it is
/// known to be equal to the file.
class Verification {
public:
  explicit Verification(std::string path) : path(std::move(path)) {}
  ExitCode run();

private:
  std::string path;
  std::unique_ptr<MemoryBuffer> file;
  Compilation made;
  verify::Certificate certificate;
  std::vector<verify::EntryFindings> findings;
  std::vector<std::string> faults;

  Error open();
  Expected<RecordedModule> readRecord();
  StringRef weights() const;
  void compare();
  Error checkMemory();
  Error checkArena();
  ExitCode print(const RecordedOptions &options) const;
};

Error Verification::open() {
  auto read = readInputFile(path);
  if (!read)
    return createStringError("can't read " + path + ": " + toString(read.takeError()));
  file = std::move(*read);
  return Error::success();
}

/// Returns the recorded module, and sets `certificate`, which describes it.
Expected<RecordedModule> Verification::readRecord() {
  auto refuse = [&](const Twine &text) { return createStringError(path + ": " + text); };
  Expected<StringRef> module = verify::sectionOf(file->getBuffer(), moduleSection);
  Expected<StringRef> stated = verify::sectionOf(file->getBuffer(), certificateSection);
  if (!module || !stated) {
    std::string reason = toString(module ? stated.takeError() : module.takeError());
    consumeError(stated ? Error::success() : stated.takeError());
    return refuse(reason + "; verify needs an object that `attnc compile` wrote without --no-record");
  }
  Expected<std::string> text = decompressed(*stated), bytecode = decompressed(*module);
  if (!text || !bytecode) {
    StringRef section = text ? moduleSection : certificateSection;
    std::string reason = toString(text ? bytecode.takeError() : text.takeError());
    consumeError(bytecode ? Error::success() : bytecode.takeError());
    return refuse("section " + section + " " + reason);
  }
  Expected<verify::Certificate> parsed = verify::Certificate::parse(*text);
  if (!parsed)
    return refuse("section " + certificateSection + " " + toString(parsed.takeError()));
  certificate = std::move(*parsed);
  if (certificate.compiler != compilerVersion())
    return refuse("attnc " + certificate.compiler + " compiled it, but this is attnc " + compilerVersion() +
                  "; verify it with that version");
  if (std::string found = fingerprintOf(*bytecode); found != certificate.module)
    return refuse("section " + moduleSection + " has the fingerprint " + found + ", but the certificate has " +
                  certificate.module);
  // MLIR's reader may crash on bytes that are no bytecode.
  CrashNote note("attnc: error: " + path + ": section " + moduleSection.str() + ": it can't be read\n", userError);
  std::optional<Expected<RecordedModule>> recorded;
  if (std::string error = runOnLargeStack([&] { recorded.emplace(readModule(*bytecode, made.context)); });
      !error.empty())
    return createStringError(error);
  if (!*recorded)
    return refuse("section " + moduleSection + ": " + toString(recorded->takeError()));
  return std::move(*recorded);
}

/// The embedded weights, which are data that no statement describes; empty if there are none.
StringRef Verification::weights() const {
  Expected<StringRef> found = verify::sectionOf(file->getBuffer(), weightsSection);
  if (found)
    return *found;
  consumeError(found.takeError());
  return "";
}

/// Compares the file with the object that the recorded module is compiled to.
void Verification::compare() {
  StringRef again(made.object.data(), made.object.size());
  for (const std::string &difference : verify::differences(file->getBuffer(), again))
    faults.push_back("compiled again, the object differs: " + difference);
}

Error Verification::checkMemory() {
  CrashNote note(
      fmt::format("{}: error: section {} can't be checked: it describes another module\n", path, certificateSection),
      userError);
  auto verify = [&] { findings = verify::verifyMemory(*made.module, certificate); };
  if (std::string error = runOnLargeStack(verify); !error.empty())
    return createStringError(error);
  for (const verify::EntryFindings &entry : findings)
    for (const std::string &fault : entry.faults)
      faults.push_back(fmt::format("entry point '{}': {}", entry.name, fault));
  return Error::success();
}

/// Checks the function that returns the bytes of an arena. It is called only if the file is equal to the object that
/// was compiled here. The function runs on any processor.
Error Verification::checkArena() {
  if (!faults.empty())
    return Error::success();
  StringRef object(made.object.data(), made.object.size());
  Expected<LoadedModel> linked = LoadedModel::fromObject(MemoryBuffer::getMemBuffer(object, path, false));
  if (!linked)
    return linked.takeError();
  for (const attn_entry_info &info : ArrayRef(linked->model().entries, linked->model().entry_count)) {
    auto stated = find_if(certificate.entries, [&](const auto &entry) { return entry.name == info.name; });
    auto function = made.module->lookupSymbol<mlir::func::FuncOp>(info.name);
    auto dimensions = function->getAttrOfType<mlir::ArrayAttr>(mlir::model::dimensionsAttrName);
    for (const std::vector<int64_t> &sizes : verify::sampleSizes(dimensions)) {
      int64_t bytes = stated->arenaBytes.evaluate(sizes), answer = info.arena_bytes(sizes.data(), sizes.back());
      bool isTooLarge = bytes == std::numeric_limits<int64_t>::max() && answer == -1;
      if (answer != bytes && !isTooLarge)
        faults.push_back(
            fmt::format("entry point '{}': its arena function returns {} bytes, but the certificate has {}", info.name,
                        answer, bytes));
    }
  }
  return Error::success();
}

static void printEntry(const verify::EntryFindings &entry) {
  outs() << fmt::format("  {}: {} in {} of the arena; every reader finds its value; the slots fit at {}\n", entry.name,
                        counted(entry.values, "value"), counted(entry.slots, "slot"),
                        entry.isProved ? "all sizes" : fmt::format("{} sizes", entry.sizesTried));
  if (entry.pairs.empty())
    outs() << "    it computes no scores\n";
  else if (entry.allPairs.empty())
    outs() << fmt::format("    no tensor in memory grows as {}\n", entry.pairs);
  for (const verify::AllPairsStorage &storage : entry.allPairs)
    outs() << fmt::format("    @{} materialises {} bytes, of the order of {}, as the certificate states\n",
                          storage.kernel, storage.bytes, entry.pairs);
}

ExitCode Verification::print(const RecordedOptions &options) const {
  for (const std::string &fault : faults)
    errs() << printableLines(path + ": error: " + fault) << "\n";
  if (!faults.empty())
    return ExitCode::UserError;
  StringRef target = StringRef(options.target).split(':').first;
  outs() << fmt::format("{}: compiled again for {}: the same {} bytes\n", path,
                        made.program.images.empty() ? target.str() : options.target, made.object.size());
  for_each(findings, printEntry);
  return ExitCode::Success;
}

ExitCode Verification::run() {
  if (Error error = open())
    return report(std::move(error));
  Expected<RecordedModule> recorded = readRecord();
  if (!recorded)
    return report(recorded.takeError());
  RecordedOptions options = recorded->options;
  Outcome outcome = compileAgain(path, std::move(*recorded), weights(), made, errs());
  if (outcome != Outcome::Done)
    return static_cast<ExitCode>(outcome);
  compare();
  if (Error error = checkMemory())
    return report(std::move(error));
  if (Error error = checkArena())
    return report(std::move(error));
  return print(options);
}

} // namespace

void addVerify(CLI::App &app, ExitCode &exitCode) {
  auto path = std::make_shared<std::string>();
  CLI::App *command =
      addCommand(app, "verify", "Compile an object's record again, compare the bytes, and check the memory plan");
  command->add_option("object", *path, "A compiled object (.o)")->required();
  command->footer("Example:\n  attnc verify out/gpt2.o");
  command->callback([path, &exitCode] { exitCode = Verification(*path).run(); });
}

} // namespace attnc
