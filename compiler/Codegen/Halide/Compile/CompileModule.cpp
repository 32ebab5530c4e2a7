#include "compiler/Codegen/Halide/Compile/CompileModule.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace attnc::halide {

namespace H = Halide;

/// Clears the environment variables HL_..., which change the code of Halide and its LLVM, and sets one: without SLP
/// vectorisation, addresses remain separate numbers rather than lanes of vectors, so that one can be an offset from
/// another. Runs when the library is loaded, because stages are compiled on another thread than the one that reads the
/// environment.
[[gnu::constructor]] static void settleEnvironment() {
  std::vector<std::string> names;
  for (char **each = environ; *each; ++each)
    if (std::string_view(*each).starts_with("HL_"))
      names.emplace_back(*each, std::strcspn(*each, "="));
  for (const std::string &name : names)
    unsetenv(name.c_str());
  setenv("HL_LLVM_ARGS", "-vectorize-slp=false", /*overwrite=*/1);
}

namespace {

/// Halide writes bitcode only to files. This file is unlinked at once, so it is removed however the process ends.
/// Halide's LLVM aborts the process if a write fails, as on a full disk or beyond `ulimit -f`; the file is therefore
/// opened only if there is room for far more than a kernel's bitcode. Halide truncates the file first, so the room is
/// not reserved.
class File {
public:
  static constexpr off_t room = 4 << 20;

  File() {
    const char *folder = std::getenv("TMPDIR");
    std::string name = fmt::format("{}/attnc-halide-XXXXXX", folder && *folder ? folder : "/tmp");
    descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (!isOpen())
      return;
    unlink(name.c_str());
    int fault;
    do
      fault = posix_fallocate(descriptor, 0, room);
    while (fault == EINTR);
    if (fault) {
      close(std::exchange(descriptor, -1));
      errno = fault;
    }
  }
  ~File() {
    if (isOpen())
      close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool isOpen() const { return descriptor >= 0; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor); }

private:
  int descriptor = -1;
};

} // namespace

H::Target targetOf(const Machine &machine) {
  H::Target target(machine.target);
  for (H::Target::Feature feature : {H::Target::NoRuntime, H::Target::NoAsserts, H::Target::NoBoundsQuery,
                                     H::Target::LargeBuffers, H::Target::StrictFloat})
    target.set_feature(feature);
  return target;
}

Bitcode compileModule(const Machine &machine, const std::vector<uint8_t> &calls, const std::string &symbol,
                      const std::function<H::Module(const H::Target &)> &make) {
  File file;
  if (!file.isOpen())
    return {{}, fmt::format("can't create a temporary file: {}", std::strerror(errno)), symbol};
  try {
    H::Module module = make(targetOf(machine));
    if (!calls.empty())
      module.append(H::ExternalCode::bitcode_wrapper(module.target(), calls, "operations"));
    module.compile({{H::OutputFileType::bitcode, file.path()}});
  } catch (const H::Error &error) {
    return {{}, error.what(), symbol};
  }
  Bitcode code;
  code.symbol = symbol;
  std::ifstream written(file.path(), std::ios::binary);
  code.bytes.assign(std::istreambuf_iterator<char>(written), {});
  if (code.bytes.empty())
    code.error = "no bitcode was written";
  return code;
}

} // namespace attnc::halide
