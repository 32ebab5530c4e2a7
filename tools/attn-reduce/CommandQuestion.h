//===- CommandQuestion.h - texts shown to a command -------------------------------------------------------------===//
//
// A text is written to a file, a command is run on it, and what looks interesting in how that ends is what was asked
// for. Several run at once; each file has a folder of its own and the name that the user's file has.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/ChildProcess.h"
#include "tools/attn-reduce/Interruption.h"
#include "tools/attn-reduce/Question.h"

#include <list>

namespace attnc::reduce {

/// What is looked for; all that is set has to hold.
struct Criteria {
  bool succeeds = false;             ///< it ends with 0
  bool crashes = false;              ///< a signal ends it, or it says that the fault is the compiler's
  bool hangs = false;                ///< its time runs out
  std::optional<std::string> prints; ///< this is part of what it prints, but for the place of the file

  bool isEmpty() const { return !succeeds && !crashes && !hangs && !prints; }
  bool holdFor(const Ending &ending) const;
  /// "crash and print 'x'"
  std::string text() const;
};

class CommandQuestion : public Question {
public:
  /// Where in `command` the file's path belongs, and that of its folder.
  static constexpr const char *fileWord = "{}", *folderWord = "{folder}";

  struct Options {
    std::vector<std::string> command;
    Criteria criteria;
    Limits limits;
    size_t jobs = 1;
    std::string fileName;             ///< that the file has in its folder
    std::string workFolder;           ///< exists, and is ours
    std::vector<std::string> besides; ///< files and folders that the file wants to find beside it
  };
  /// Makes a folder for each job.
  static llvm::Expected<std::unique_ptr<CommandQuestion>> create(Options options, const Interruption &interruption);

  std::optional<size_t> first(const Texts &texts) override;
  /// How the command ends for one text, or that there was an interruption; what it prints has `fileWord` and
  /// `folderWord` in favour of their places.
  llvm::Expected<Ending> endingOf(const std::string &text);
  /// What kept a command from being run, once; none where that was an interruption.
  llvm::Error takeError() { return std::move(error); }

  ~CommandQuestion() override { llvm::consumeError(std::move(error)); }

private:
  struct Running {
    size_t number; ///< of its text
    size_t folder;
    ChildProcess child;
  };
  CommandQuestion(Options options, const Interruption &interruption)
      : options(std::move(options)), interruption(interruption) {}
  std::string folder(size_t job) const;
  llvm::Expected<ChildProcess> start(size_t job, const std::string &text);
  /// Waits until one has ended or its time is over; none where that was interrupted.
  std::list<Running>::iterator waitForAny();
  /// Ends a command that has ended or is to end.
  Ending end(Running &each);
  /// Starts what there is room for; `next` counts texts. Says whether there was one.
  bool startNext(const Texts &texts, size_t &next);

  Options options;
  const Interruption &interruption;
  std::list<Running> running;
  llvm::Error error = llvm::Error::success();
  bool isOver = false; ///< it has failed, or was interrupted: nothing is run any more
};

} // namespace attnc::reduce
