#include "compiler/Pipeline/Job.h"
#include "compiler/Codegen/Interface/RequestedEmitter.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Emit/OutputFiles.h"
#include "compiler/Emitters/Emitters.h"
#include "compiler/Schedule/Strategy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <utility>

using namespace mlir;

namespace attnc {

static int64_t milliseconds() {
  using namespace std::chrono;
  return duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::string placeOf(Location location) {
  std::string place;
  location->walk([&](Location each) {
    auto file = dyn_cast<FileLineColLoc>(each);
    if (!file)
      return WalkResult::advance();
    place =
        (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) + ":" + llvm::Twine(file.getColumn())).str();
    return WalkResult::interrupt();
  });
  return place;
}

/// "gpt.attn:31:14: error: ...", the format of the checker's messages.
static std::string textOf(mlir::Diagnostic &diagnostic) {
  static constexpr llvm::StringLiteral severities[] = {"note", "warning", "error", "remark"};
  std::string place = placeOf(diagnostic.getLocation());
  return (place.empty() ? "" : place + ": ") +
         (severities[static_cast<int>(diagnostic.getSeverity())] + ": " + diagnostic.str()).str();
}

/// `auto` is `cpu` if tensors are 16-bit: Halide has no 16-bit elements, `cpu` makes sums over windows matrix products.
static EmitterPreference preferenceOf(const CompileOptions &options) {
  bool isNarrow = storedElement(options.precision).has_value();
  std::optional<EmitterPreference> said = options.emitter;
  if (!said) {
    if (auto overridden = emitterOverride(options.overrides))
      said = *overridden;
    else
      llvm::consumeError(overridden.takeError()); // refuseFusions() reports this error
  }
  EmitterPreference preference = said.value_or(EmitterPreference::Auto);
  return isNarrow && preference == EmitterPreference::Auto ? EmitterPreference::Cpu : preference;
}

Job::Job(const CompileOptions &options, Compilation &made, llvm::raw_ostream &messages)
    : options(options), made(made), messages(messages), preference(preferenceOf(options)),
      emitters(createEmitters(preference)), handler(&made.context,
                                                    [this](mlir::Diagnostic &diagnostic) {
                                                      reported.push_back(textOf(diagnostic));
                                                      return success();
                                                    }),
      started(milliseconds()) {}

void Job::warnTaken(const Emitter &by) {
  warn(reported.back() + "; the " + std::string(by.name()) + " emitter compiles it\n");
}

Verdict EmitterChoice::verdict() const {
  return emitter            ? Verdict::yes()
         : refusals.empty() ? Verdict::no("there is no emitter for this target")
                            : Verdict::no(refusals.back().second);
}

EmitterChoice Job::emitterOf(func::FuncOp kernel, const Emitter *failed) const {
  EmitterChoice choice;
  bool mayBeAsked = !failed;
  for (const std::unique_ptr<Emitter> &emitter : emitters) {
    bool isNext = std::exchange(mayBeAsked, mayBeAsked || emitter.get() == failed);
    if (!isNext || !emitter->makesCodeFor(target) || !mayTake(*emitter, kernel))
      continue;
    Verdict verdict = emitter->supports(kernel, target);
    if (verdict) {
      choice.emitter = emitter.get();
      break;
    }
    choice.refusals.emplace_back(emitter->name(), verdict.reason);
  }
  return choice;
}

void Job::begin(Phase next) {
  phase = next;
  if (milliseconds() - started >= 1000 && llvm::sys::Process::StandardErrIsDisplayed()) {
    shown = true;
    messages << "\r\x1b[K" << options.input << ": " << nameOf(phase) << (phase == Phase::Emit ? "\n" : "");
    messages.flush();
  }
  updateCrashNote();
}

bool Job::userError(const llvm::Twine &message) {
  messages << (shown ? "\n" : "") << printableLines(message.str()) << "\n";
  outcome = Outcome::UserError;
  return false;
}

void Job::warn(llvm::StringRef text) {
  if (text.empty() || isTrial)
    return;
  messages << (shown ? "\n" : "") << printableLines(text);
  warnings += text;
}

/// The message for a failed or crashed phase.
std::string Job::failureMessage() const {
  std::string text;
  if (isRepeated)
    text = options.input + ": section " + moduleSection.str() + " can't be compiled again: phase '" +
           nameOf(phase).str() + "' fails; expected the module from which the object was compiled";
  else
    text =
        "the compiler failed in phase '" + nameOf(phase).str() + "'; this is a bug in attnc, not in " + options.input;
  return "attnc: error: " + text + "\n";
}

bool Job::internalError(llvm::StringRef reason) {
  outcome = isRepeated ? Outcome::UserError : Outcome::InternalError;
  messages << (shown ? "\n" : "") << failureMessage();
  if (isRepeated)
    return false;
  if (!reason.empty())
    reported.push_back(reason.str());
  // Falls back to the working directory if the reproducer directory does not exist.
  llvm::Expected<std::string> saved = saveReproducer(options.reproducerDirectory);
  if (!saved) {
    llvm::consumeError(saved.takeError());
    saved = saveReproducer("");
  }
  if (saved)
    messages << "  the reproducer is " << *saved << "\n";
  else
    messages << "  the reproducer could not be saved: " << llvm::toString(saved.takeError()) << "\n";
  return false;
}

void Job::remember() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  made.module->print(stream, flags.enableDebugInfo());
  remember(std::move(text));
}

void Job::remember(std::string text) {
  crashNote.keep({}, "", "");
  content = std::move(text);
  updateCrashNote();
}

/// Prepares the message and the reproducer of internalError() at this point of the compile, for a crash.
void Job::updateCrashNote() {
  crashNote.say((shown ? "\n" : "") + failureMessage(), int(isRepeated ? Outcome::UserError : Outcome::InternalError));
  std::vector<std::string> paths;
  if (!isRepeated)
    paths = {reproducerIn(options.reproducerDirectory), reproducerIn("")};
  crashNote.keep(std::move(paths), reproducerHead(), content);
}

/// The comment lines of a reproducer, before the module.
std::string Job::reproducerHead() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "// attnc failed in phase '" << nameOf(phase) << "' on " << options.input << ", target " << options.target
         << "\n";
  for (const auto &[name, value] : options.settings)
    stream << "// --set " << name << "=" << value << "\n";
  for (const std::string &lines : reported)
    for (llvm::StringRef line : llvm::split(lines, '\n'))
      stream << "// " << line << "\n";
  return text;
}

std::string Job::reproducerIn(llvm::StringRef directory) const {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, made.program.prefix + ".reproducer.mlir");
  return std::string(path);
}

llvm::Expected<std::string> Job::saveReproducer(llvm::StringRef directory) {
  if (!directory.empty() && !llvm::sys::fs::is_directory(directory))
    return llvm::createStringError(directory + ": No such directory");
  std::string path = reproducerIn(directory);
  if (llvm::Error error = OutputFiles::replace(path, reproducerHead() + content))
    return error;
  return path;
}

bool Job::dumps(Phase ended, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (options.dump != ended)
    return false;
  llvm::raw_string_ostream stream(made.dump);
  print(stream);
  return true;
}

} // namespace attnc
