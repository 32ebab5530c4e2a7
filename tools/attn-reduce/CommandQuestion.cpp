#include "tools/attn-reduce/CommandQuestion.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <poll.h>

namespace attnc::reduce {

/// The exit code of attnc for an internal error, and the smallest exit code of a shell whose command a signal ended.
static constexpr int compilersFault = 2, firstOfSignals = 129;

bool Criteria::holdFor(const Ending &ending) const {
  if (succeeds && (ending.ranOut || ending.signal != 0 || ending.exitCode != 0))
    return false;
  bool isCrash = ending.signal != 0 || ending.exitCode == compilersFault || ending.exitCode >= firstOfSignals;
  if (crashes && (ending.ranOut || !isCrash))
    return false;
  if (hangs && !ending.ranOut)
    return false;
  return !prints || ending.output.find(*prints) != std::string::npos;
}

std::string Criteria::text() const {
  std::vector<std::string> wanted;
  if (succeeds)
    wanted.push_back("end with 0");
  if (crashes)
    wanted.push_back("crash");
  if (hangs)
    wanted.push_back("exceed its time");
  if (prints)
    wanted.push_back("print '" + *prints + "'");
  return llvm::join(wanted, " and ");
}

llvm::Expected<std::unique_ptr<CommandQuestion>> CommandQuestion::create(Options options,
                                                                         const Interruption &interruption) {
  std::unique_ptr<CommandQuestion> question(new CommandQuestion(std::move(options), interruption));
  for (size_t job = 0; job < question->options.jobs; ++job) {
    std::string folder = question->folder(job);
    if (std::error_code code = llvm::sys::fs::create_directory(folder))
      return llvm::createStringError("can't make " + folder + ": " + code.message());
    for (const std::string &path : question->options.besides)
      if (std::error_code code = llvm::sys::fs::create_link(path, folder + "/" + llvm::sys::path::filename(path).str()))
        return llvm::createStringError("can't link to " + path + ": " + code.message());
  }
  return question;
}

std::string CommandQuestion::folder(size_t job) const { return options.workFolder + "/" + std::to_string(job); }

llvm::Expected<ChildProcess> CommandQuestion::start(size_t job, const std::string &text) {
  std::string path = folder(job) + "/" + options.fileName;
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  file << text;
  file.close();
  if (code || file.has_error()) {
    code = code ? code : file.error();
    file.clear_error();
    return llvm::createStringError("can't write " + path + ": " + code.message());
  }
  std::vector<std::string> command = options.command;
  for (std::string &word : command)
    word = word == fileWord ? path : word == folderWord ? folder(job) : word;
  return ChildProcess::start(command, folder(job) + ".output", options.limits);
}

llvm::Expected<Ending> CommandQuestion::endingOf(const std::string &text) {
  llvm::Expected<ChildProcess> child = start(0, text);
  if (!child)
    return child.takeError();
  running.push_back({0, 0, std::move(*child)});
  auto ended = waitForAny();
  if (ended == running.end()) {
    running.clear();
    return llvm::createStringError("interrupted");
  }
  Ending ending = end(*ended);
  running.erase(ended);
  return ending;
}

Ending CommandQuestion::end(Running &each) {
  Ending ending = each.child.end();
  std::string place = folder(each.folder);
  for (const auto &[path, word] : {std::pair{place + "/" + options.fileName, fileWord}, std::pair{place, folderWord}})
    for (size_t at = 0; (at = ending.output.find(path, at)) != std::string::npos;)
      ending.output.replace(at, path.size(), word);
  return ending;
}

std::list<CommandQuestion::Running>::iterator CommandQuestion::waitForAny() {
  while (true) {
    std::vector<pollfd> watched;
    int64_t patience = INT64_MAX;
    for (const Running &each : running) {
      watched.push_back({each.child.waitable(), POLLIN, 0});
      patience = std::min<int64_t>(patience, each.child.left().count());
    }
    watched.push_back({interruption.waitable(), POLLIN, 0});
    poll(watched.data(), watched.size(), int(std::min<int64_t>(patience + 1, 1000)));
    if (watched.back().revents != 0)
      return running.end();
    size_t i = 0;
    for (auto each = running.begin(); each != running.end(); ++each, ++i)
      if (watched[i].revents != 0 || each->child.left().count() == 0)
        return each;
  }
}

bool CommandQuestion::startNext(const Texts &texts, size_t &next) {
  if (isOver)
    return false;
  std::optional<std::string> text = texts();
  if (!text)
    return false;
  size_t job = 0;
  while (llvm::any_of(running, [&](const Running &each) { return each.folder == job; }))
    ++job;
  llvm::Expected<ChildProcess> child = start(job, *text);
  if (!child) {
    isOver = true;
    error = llvm::joinErrors(std::move(error), child.takeError());
    return false;
  }
  running.push_back({next++, job, std::move(*child)});
  return true;
}

std::optional<size_t> CommandQuestion::first(const Texts &texts) {
  size_t next = 0;
  std::optional<size_t> found;
  bool isMore = true;
  while (true) {
    while (!found && isMore && running.size() < options.jobs)
      isMore = startNext(texts, next);
    if (running.empty())
      return found;
    auto ended = waitForAny();
    if (ended == running.end()) {
      isOver = true;
      running.clear();
      return std::nullopt;
    }
    bool holds = options.criteria.holdFor(end(*ended));
    if (holds && (!found || ended->number < *found))
      found = ended->number;
    running.erase(ended);
    if (found)
      running.remove_if([&](const Running &each) { return each.number > *found; });
  }
}

} // namespace attnc::reduce
