//===- CommandQuestion.h - interestingness test by a command ------------------------------------------------------===//
//
// CommandQuestion writes a candidate (a reduced text) to a file and runs a command on this file. The candidate is
// interesting if the command's ending meets the criteria. Up to `jobs` commands run in parallel. Each job has a folder
// of its own for its candidate; the candidate's file has the name of the user's file.
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
  bool succeeds = false; ///< the command exits with code 0 within its time limit
  /// A signal ends the command within its time limit, or the exit code means a crash: 2, an internal error of attnc, or
  /// 129 and above, a shell's code for a signal.
  bool crashes = false;
  bool hangs = false;                ///< the command exceeds its time limit (Ending::ranOut)
  std::optional<std::string> prints; ///< `Ending::output`, in which placeholders replace paths, contains this text

  bool isEmpty() const { return !succeeds && !crashes && !hangs && !prints; } ///< no criterion is set
  bool holdFor(const Ending &ending) const;                                   ///< all criteria hold; true if isEmpty()
  /// The criteria as a phrase for messages: "crash and print 'x'".
  std::string text() const;
};

/// The interestingness test of attn-reduce. Its member functions are called by one thread, one call at a time.
class CommandQuestion : public Question {
public:
  /// Placeholders of the candidate's path and of its folder's path. In `command`, a placeholder is a whole word, which
  /// the path replaces. In the output, a placeholder replaces each occurrence of the path.
  static constexpr const char *fileWord = "{}", *folderWord = "{folder}";

  struct Options {
    std::vector<std::string> command; ///< words, with placeholders; the first one is the program
    Criteria criteria;                ///< not used by endingOf()
    Limits limits;                    ///< of each command
    size_t jobs = 1;                  ///< largest number of commands that run at a time; at least 1
    std::string fileName;             ///< name of a candidate's file in its job's folder
    std::string workFolder;           ///< an existing folder that nothing else uses; the caller removes it
    /// Absolute paths of files and folders, linked into each job's folder under their last names. These names must be
    /// different, and other than `fileName`.
    std::vector<std::string> besides;
  };
  /// Creates the folders `workFolder`/0, 1, ... of the jobs, and the symbolic links to `besides` in each. An error if
  /// one of these cannot be created. `interruption` must outlive the result.
  static llvm::Expected<std::unique_ptr<CommandQuestion>> create(Options options, const Interruption &interruption);

  /// Null also after an interruption. If a command could not run (see takeError()), only earlier candidates can be the
  /// result. After either, later calls run nothing and return null.
  std::optional<size_t> first(const Texts &texts) override;
  /// Runs the command on `text` in the folder of job 0, waits, and returns its ending, with placeholders in the output.
  /// An error if its files or its process cannot be created, or after an interruption. Exit code 127 if the program
  /// does not exist.
  llvm::Expected<Ending> endingOf(const std::string &text);
  /// The error that kept first() from running a command, moved out; success if there is none, also after an
  /// interruption.
  llvm::Error takeError() { return std::move(error); }

  ~CommandQuestion() override { llvm::consumeError(std::move(error)); }

private:
  /// A running command.
  struct Running {
    size_t number; ///< number of its text among the texts of first()
    size_t folder; ///< number of its job, which is the name of its folder
    ChildProcess child;
  };
  CommandQuestion(Options options, const Interruption &interruption)
      : options(std::move(options)), interruption(interruption) {}
  std::string folder(size_t job) const; ///< path of the job's folder
  /// Writes `text` to the job's file, and starts the command on this file.
  llvm::Expected<ChildProcess> start(size_t job, const std::string &text);
  /// Waits until a command of `running` ends or exceeds its time; returns running.end() after an interruption.
  std::list<Running>::iterator waitForAny();
  /// Returns the ending of a command, with placeholders in the output. Kills the command if it still runs.
  Ending end(Running &each);
  /// Starts a command on the next text, in a free job's folder. `next` is the number of this text, and is incremented.
  /// Returns false if there is no text, or if the command could not run.
  bool startNext(const Texts &texts, size_t &next);

  Options options;
  const Interruption &interruption;
  std::list<Running> running;
  llvm::Error error = llvm::Error::success();
  bool isOver = false; ///< after an error or an interruption; no more commands run
};

} // namespace attnc::reduce
