#include "compiler/Diagnostics/CrashNote.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <sys/random.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

namespace attnc {

namespace {

struct Signal {
  int number;
  const char *name;
};
constexpr Signal signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"},
    {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},
};

struct Bytes {
  const char *begin = "";
  size_t count = 0;
};

Bytes bytesOf(std::string_view text) { return {text.data(), text.size()}; }

} // namespace

struct CrashNote::Plain {
  static constexpr size_t mostPaths = 4;
  Bytes message, head, body;
  Bytes paths[mostPaths];       ///< zero-terminated
  Bytes temporaries[mostPaths]; ///< temporary names, zero-terminated
  size_t pathCount = 0;
  int status = 2;
  const Plain *outer = nullptr;
};

static std::atomic<const CrashNote::Plain *> innermost = nullptr;
static std::atomic<LoadedCode *> loaded = nullptr;

//===------------------------------------------ in the handler -------------------------------------------------===//

static bool writeAll(int file, Bytes bytes) {
  while (bytes.count > 0) {
    ssize_t count = write(file, bytes.begin, bytes.count);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes.begin += count;
    bytes.count -= size_t(count);
  }
  return true;
}

static void print(Bytes bytes) { writeAll(STDERR_FILENO, bytes); }
static void print(std::string_view text) { print(bytesOf(text)); }

/// Writes the file atomically: afterwards the path has the whole text or its old content. Replaces only regular files.
static bool save(const char *path, const char *temporary, const CrashNote::Plain &note, std::string_view reason) {
  struct stat old;
  if (lstat(path, &old) == 0 ? !S_ISREG(old.st_mode) : errno != ENOENT)
    return false;
  int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  bool isWritten = writeAll(file, note.head) && writeAll(file, bytesOf("// it crashed: ")) &&
                   writeAll(file, bytesOf(reason)) && writeAll(file, bytesOf("\n")) && writeAll(file, note.body);
  isWritten &= close(file) == 0;
  isWritten = isWritten && rename(temporary, path) == 0;
  if (!isWritten)
    unlink(temporary);
  return isWritten;
}

static void keepFile(const CrashNote::Plain &note, std::string_view reason) {
  for (size_t number = 0; number < note.pathCount; ++number)
    if (save(note.paths[number].begin, note.temporaries[number].begin, note, reason)) {
      print("  the reproducer is ");
      print(note.paths[number]);
      print("\n");
      return;
    }
  if (note.pathCount > 0)
    print("  the reproducer could not be saved\n");
}

const LoadedCode *LoadedCode::at(uintptr_t place, const Function *&function) {
  for (const LoadedCode *code = loaded; code; code = code->next)
    for (const Function &each : code->functions)
      if (each.begin <= place && place < each.end) {
        function = &each;
        return code;
      }
  return nullptr;
}

/// Ends the process by SIGALRM if a write blocks for ever, e.g. on a pipe without a reader.
static void limitTime() {
  constexpr unsigned seconds = 10;
  signal(SIGALRM, SIG_DFL);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  alarm(seconds);
}

/// If several threads crash at the same time, the first one handles the crash and the others wait.
static void enter() {
  static std::atomic_flag isEntered;
  if (isEntered.test_and_set())
    while (true)
      pause();
  limitTime();
}

[[noreturn]] static void endByNote(std::string_view reason) {
  const CrashNote::Plain *note = innermost;
  if (!note || note->message.count == 0) {
    print("attnc: error: attnc crashed (");
    print(reason);
    print("); this is a bug in attnc\n");
    _exit(note ? note->status : 2);
  }
  print(note->message);
  keepFile(*note, reason);
  _exit(note->status);
}

static uintptr_t placeOf(void *context) {
#ifdef __x86_64__
  return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
#else
  (void)context;
  return 0;
#endif
}

static void handleSignal(int number, siginfo_t *, void *context) {
  enter();
  const char *name = "a signal";
  for (const Signal &each : signals)
    if (each.number == number)
      name = each.name;
  const LoadedCode::Function *function = nullptr;
  if (const LoadedCode *code = LoadedCode::at(placeOf(context), function)) {
    print("attnc: error: the code of ");
    print(code->fileName());
    print(" crashed in `");
    print(function->name);
    print("` (");
    print(name);
    print(")\n  this is a bug in attnc, unless the object was changed: `attnc verify` compares it with its record\n");
    _exit(2);
  }
  endByNote(name);
}

//===--------------------------------------- outside the handler -----------------------------------------------===//

void installCrashHandler() {
  static SignalStack ofMainThread;
  struct sigaction action = {};
  action.sa_sigaction = handleSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask); // a crash in the handler ends the process at once
  for (const Signal &each : signals)
    sigaction(each.number, &action, nullptr);
  std::set_terminate([] { std::abort(); }); // the default handler prints the exception's type
}

void endByCrash(std::string_view reason) {
  enter();
  endByNote(reason.substr(0, reason.find('\n')));
}

void endOutOfMemory() {
  enter();
  print("attnc: error: there is not enough memory\n");
  _exit(1);
}

SignalStack::SignalStack() {
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof(memory);
  sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

CrashNote::CrashNote(std::string message, int status) : message(std::move(message)), plain(std::make_unique<Plain>()) {
  plain->status = status;
  plain->outer = innermost;
  publish();
}

CrashNote::~CrashNote() { innermost = plain->outer; }

void CrashNote::say(std::string text, int newStatus) {
  innermost = plain->outer;
  message = std::move(text);
  plain->status = newStatus;
  publish();
}

/// An unpredictable name in the same folder, different from that of a process with the same id in another container.
static std::string temporaryFor(const std::string &path) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = uint64_t(getpid());
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return path + "." + digits + ".part";
}

void CrashNote::keep(std::vector<std::string> files, std::string comment, std::string_view text) {
  innermost = plain->outer;
  paths = std::move(files);
  temporaries.clear();
  for (const std::string &path : paths)
    temporaries.push_back(temporaryFor(path));
  head = std::move(comment);
  body = text;
  publish();
}

void CrashNote::publish() {
  plain->message = bytesOf(message);
  plain->head = bytesOf(head);
  plain->body = bytesOf(body);
  plain->pathCount = std::min(paths.size(), Plain::mostPaths);
  for (size_t number = 0; number < plain->pathCount; ++number) {
    plain->paths[number] = bytesOf(paths[number]);
    plain->temporaries[number] = bytesOf(temporaries[number]);
  }
  innermost = plain.get();
}

/// Protects the list of loaded objects against concurrent changes; the signal handler reads the list without it.
static std::mutex listMutex;

LoadedCode::LoadedCode(std::string file, std::vector<Function> functions)
    : file(std::move(file)), functions(std::move(functions)) {
  std::lock_guard lock(listMutex);
  next = loaded;
  loaded = this;
}

LoadedCode::~LoadedCode() {
  std::lock_guard lock(listMutex);
  if (loaded == this) {
    loaded = next;
    return;
  }
  LoadedCode *before = loaded;
  while (before->next != this)
    before = before->next;
  before->next = next;
}

} // namespace attnc
