//===- CrashNote.h - crash handler with a prepared message and reproducer ---------------------------------------===//
//
// After a crash the heap may be corrupt and the allocator may be locked, so the signal handler uses only
// async-signal-safe system calls. It writes a message and a file, both prepared before the crash, and ends the process:
//
//   installCrashHandler();                                        // once, in main
//   CrashNote note("attnc: error: the compiler failed in phase 'fuse'\n");
//   note.keep({"out/gpt.reproducer.mlir"}, "// attnc failed ...\n", module);
//
// The handled signals are those by which the kernel and the C library report a program error: SIGSEGV, SIGBUS, SIGILL,
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

/// Ends the process like a crash; the message and the file have the first line of `reason` instead of a signal's name.
[[noreturn]] void endByCrash(std::string_view reason);
/// Ends the process with status 1 and a line about memory.
[[noreturn]] void endOutOfMemory();

/// An alternate signal stack for the calling thread (sigaltstack), which works after an overflow of the thread's stack.
/// The memory is in the object, which should be a variable of the thread's first function, above later stack frames.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  alignas(16) char memory[1 << 16];
};

/// Message, file and exit status of a crash, on any thread, during the lifetime of this object. The innermost note is
/// used; an empty message stands for a general one, and no file is then written. All notes must be created and
/// destroyed on one thread, in nested order.
class CrashNote {
public:
  explicit CrashNote(std::string message = "", int status = 2);
  ~CrashNote();
  CrashNote(const CrashNote &) = delete;
  CrashNote &operator=(const CrashNote &) = delete;

  /// Replaces the message, which must consist of whole lines, and the exit status.
  void say(std::string message, int status = 2);
  /// Sets the file to write. The first of `paths` (at most four) that can be written gets `head`, a comment that names
  /// the signal, and `body`, whose memory must outlive the note. The text is written to PATH.<16 random hexadecimal
  /// digits>.part and then renamed, so an older file stays complete. An existing file or link of the temporary name is
  /// not touched.
  void keep(std::vector<std::string> paths, std::string head, std::string_view body);

  /// The note as plain pointers, which the signal handler may read.
  struct Plain;

private:
  void publish();

  std::string message, head;
  std::vector<std::string> paths, temporaries;
  std::string_view body;
  std::unique_ptr<Plain> plain;
};

/// Functions of an object that the process has loaded, during the lifetime of this object. On x86-64, the message of a
/// crash in one of them has its name and the object's file name; notes are ignored.
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
  /// The loaded code that contains an address, and in `function` its function; null if there is none, and `function` is
  /// unchanged. Async-signal-safe.
  static const LoadedCode *at(uintptr_t place, const Function *&function);

private:
  const std::string file;
  const std::vector<Function> functions;
  LoadedCode *next;
};

} // namespace attnc
