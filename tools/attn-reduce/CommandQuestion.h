//===- CommandQuestion.h - interestingness test by a command ----------------------------------------------------===//
//
// A candidate is written to a file and a command is run on it. The candidate is interesting if the command's ending
// meets the criteria. Up to `jobs` commands run in parallel. Each job has a folder of its own for the candidate's file,
// which has the name of the user's file.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attn-reduce/ChildProcess.h"
#include "tools/attn-reduce/Interruption.h"
#include "tools/attn-reduce/Question.h"

#include <list>

namespace attnc::reduce {

/// Criteria of an interesting candidate; all criteria that are set must hold.
struct Criteria {
  bool succeeds = false;             ///< the exit code is 0
  bool crashes = false;              ///< a signal ends the command, or the exit code means an internal error
  bool hangs = false;                ///< the command exceeds its time limit (Ending::ranOut)
  std::optional<std::string> prints; ///< the output contains this text; Ending has the output with placeholders

  bool isEmpty() const { return !succeeds && !crashes && !hangs && !prints; }
  bool holdFor(const Ending &ending) const;
  /// The criteria as a phrase for messages: "crash and print 'x'".
  std::string text() const;
};

class CommandQuestion : public Question {
public:
  /// Placeholders for the paths of the file and of its folder: whole words of `command`, and any part of the output.
  static constexpr const char *fileWord = "{}", *folderWord = "{folder}";

  struct Options {
    std::vector<std::string> command; ///< words, with placeholders; the first one is the program
    Criteria criteria;
    Limits limits;
    size_t jobs = 1;                  ///< largest number of commands that run at a time
    std::string fileName;             ///< name of the file in its folder
    std::string workFolder;           ///< an existing folder that nothing else uses; the caller removes it
    std::vector<std::string> besides; ///< paths of files and folders that the file needs beside it, as links
  };
  /// Creates a folder for each job.
  static llvm::Expected<std::unique_ptr<CommandQuestion>> create(Options options, const Interruption &interruption);

  std::optional<size_t> first(const Texts &texts) override;
  /// Runs the command on one text and returns its ending; an error if it cannot run, or after an interruption. In its
  /// output, the paths of file and folder are replaced by `fileWord` and `folderWord`.
  llvm::Expected<Ending> endingOf(const std::string &text);
  /// The error that prevented a command from running; moved out by the call. Success after an interruption.
  llvm::Error takeError() { return std::move(error); }

  ~CommandQuestion() override { llvm::consumeError(std::move(error)); }

private:
  struct Running {
    size_t number; ///< number of its text
    size_t folder;
    ChildProcess child;
  };
  CommandQuestion(Options options, const Interruption &interruption)
      : options(std::move(options)), interruption(interruption) {}
  std::string folder(size_t job) const;
  llvm::Expected<ChildProcess> start(size_t job, const std::string &text);
  /// Waits until a command ends or exceeds its time; returns end() after an interruption.
  std::list<Running>::iterator waitForAny();
  /// Collects the ending of a command, and kills the command if it still runs.
  Ending end(Running &each);
  /// Starts commands while there are free jobs and texts; `next` counts texts. Returns whether one was started.
  bool startNext(const Texts &texts, size_t &next);

  Options options;
  const Interruption &interruption;
  std::list<Running> running;
  llvm::Error error = llvm::Error::success();
  bool isOver = false; ///< after an error or an interruption; no more commands run
};

} // namespace attnc::reduce
