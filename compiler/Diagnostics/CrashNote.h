//===- CrashNote.h - crash handler with a prepared message and reproducer -----------------------------------------===//
//
// After a crash the heap may be corrupt and the allocator may be locked, so the signal handler uses only
// async-signal-safe system calls. It prints a message on stderr, writes a file (the reproducer), and ends the process.
// The compiler prepares both texts before the crash, in a CrashNote:
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

/// Installs the signal handlers, a signal stack for the calling thread, and a std::terminate handler that aborts.
void installCrashHandler();

/// Ends the process as the signal handler does, with the innermost note. The first line of `reason` stands where the
/// handler writes the signal's name: in the file, and in the general message.
[[noreturn]] void endByCrash(std::string_view reason);
/// Prints that there is not enough memory, and ends the process with status 1; notes are ignored.
[[noreturn]] void endOutOfMemory();

/// An alternate signal stack for the calling thread (sigaltstack), during the lifetime of this object. With it, the
/// handler also runs after an overflow of the thread's stack. The memory is in the object, so the object should be a
/// variable of the thread's first function: an overflow then happens in frames far from it.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  alignas(16) char memory[1 << 16];
};

/// Message, file and exit status of a crash, on any thread, during the lifetime of this object. If several notes exist,
/// the handler uses the innermost, the one created last. If its message is empty, the handler prints "attnc: error:
/// attnc crashed (SIGSEGV); this is a bug in attnc" and writes no file. Without a note it does the same, with status 2.
/// All notes must be created and destroyed on one thread, in nested order. If several threads crash, only the first
/// crash is handled. If the handler does not end within 10 seconds, SIGALRM ends the process.
class CrashNote {
public:
  explicit CrashNote(std::string message = "", int status = 2);
  ~CrashNote();
  CrashNote(const CrashNote &) = delete;
  CrashNote &operator=(const CrashNote &) = delete;

  /// Replaces the message, which must consist of whole lines, and the exit status. This note must be the innermost one,
  /// here and for keep().
  void say(std::string message, int status = 2);
  /// Sets the file to write: `head`, a line "// it crashed: SIGSEGV" with the signal or the reason, and `body`, whose
  /// memory must outlive the note. The handler writes the first of `paths` (at most four) that can be written; a path
  /// of anything but a regular file is skipped. After the message, it prints the path, or that there is no file. It
  /// writes PATH.<16 random hexadecimal digits>.part and then renames it, so an older file stays complete. An existing
  /// file or link of the temporary name is not touched. Without paths, no file is written.
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

/// The functions of an object file of a model that the process has loaded into its memory. The handler uses them during
/// the lifetime of this LoadedCode. On x86-64, the message of a crash in one of the functions has the function's name
/// and `file`; the exit status is 2, and notes are ignored.
class LoadedCode {
public:
  struct Function {
    uintptr_t begin, end; ///< addresses in this process; `end` is after the last byte
    std::string name;
  };
  /// `file` is the name of the object file, for the message.
  LoadedCode(std::string file, std::vector<Function> functions);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  const std::string &fileName() const { return file; }
  /// The loaded code that contains the address `place`; sets `function` to the function there. If there is none,
  /// returns null and leaves `function` unchanged. Async-signal-safe.
  static const LoadedCode *at(uintptr_t place, const Function *&function);

private:
  const std::string file;
  const std::vector<Function> functions;
  LoadedCode *next;
};

} // namespace attnc
