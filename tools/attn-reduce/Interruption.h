//===- Interruption.h - signals that end a reduction in order ---------------------------------------------------===//
//
// SIGINT, SIGTERM and SIGHUP would leave the folder of candidates, and what commands have started, behind. They are
// held back, and the search asks for them: then it ends its commands and its folder, and only then the process.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <csignal>

namespace attnc::reduce {

class Interruption {
public:
  /// In front of all that starts threads or handles signals. A signal that is ignored stays so.
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  /// Readable when one has come (signalfd(2)); below 0 where that can't be known.
  int waitable() const { return descriptor; }
  bool hasCome() const;
  /// Ends the process by the signal that has come.
  [[noreturn]] void end() const;

  /// In a child, between fork and exec: its command is to be ended by signals as any other.
  static void forget();

private:
  sigset_t signals;
  int descriptor = -1;
};

} // namespace attnc::reduce
