//===- CrashNote.h - the message of a process that crashes ------------------------------------------------------===//
//
// A crash leaves a process whose heap may be corrupt and whose allocator may hold its lock: nothing in it can go on.
// The signal handler therefore makes system calls alone. It writes a message and a file, both composed before the
// crash, and ends the process:
//
//   installCrashHandler();                                        // once, in main
//   CrashNote note("attnc: error: the compiler failed in phase 'fuse'\n");
//   note.keep({"out/gpt.reproducer.mlir"}, "// attnc failed ...\n", module);
//
// Handled are the signals by which the kernel and the C library report a fault of the program: SIGSEGV, SIGBUS, SIGILL,
// SIGFPE, SIGABRT, SIGTRAP and SIGSYS.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// Installs the handlers, and a signal stack for the calling thread.
void installCrashHandler();

/// Ends the process as a crash does, with the first line of `reason` in place of the signal's name.
[[noreturn]] void endByCrash(std::string_view reason);
/// Ends the process with status 1 and a line about memory.
[[noreturn]] void endOutOfMemory();

/// A stack for signal handlers of the calling thread, which an overflow of the thread's own stack leaves usable. It
/// lies in the object: as a variable of the thread's first function, above all that can overflow.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  alignas(16) char memory[1 << 16];
};

/// What a crash says, what it keeps, and the status that it ends with, while this lives. The innermost note counts;
/// notes begin and end on one thread.
class CrashNote {
public:
  explicit CrashNote(std::string message = "", int status = 2);
  ~CrashNote();
  CrashNote(const CrashNote &) = delete;
  CrashNote &operator=(const CrashNote &) = delete;

  /// Replaces the message, whole lines, and the status.
  void say(std::string message, int status = 2);
  /// Replaces the file to keep: the first of `paths` that can be written gets `head`, a comment that names the signal,
  /// and `body`, which the caller holds. An older file stays until all of it is written, beside it as
  /// PATH.<16 random hexadecimal digits>.part; what has that name already is neither followed nor replaced.
  void keep(std::vector<std::string> paths, std::string head, std::string_view body);

  /// The same in a form that a signal handler may read.
  struct Plain;

private:
  void publish();

  std::string message, head;
  std::vector<std::string> paths, temporaries;
  std::string_view body;
  std::unique_ptr<Plain> plain;
};

/// Functions of an object that was loaded into the process: a crash in one of them names it and the object's file.
class LoadedCode {
public:
  struct Function {
    uintptr_t begin, end;
    std::string name;
  };
  LoadedCode(std::string file, std::vector<Function> functions);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  const std::string &fileName() const { return file; }
  /// The loaded code that holds an address, and its function; null where none does. A signal handler may call it.
  static const LoadedCode *at(uintptr_t place, const Function *&function);

private:
  const std::string file;
  const std::vector<Function> functions;
  LoadedCode *next;
};

} // namespace attnc
