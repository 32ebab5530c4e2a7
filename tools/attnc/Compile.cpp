// attnc compile: a model file becomes an object, a header and a description.
#include "compiler/Emit/Header.h"
#include "compiler/Emit/Json.h"
#include "compiler/Emit/Link.h"
#include "compiler/Emit/OutputFiles.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/CompileOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

namespace {

struct Outputs {
  CompileOptions compile;
  std::string directory = ".", phase, depfile;
  bool shared = false, archive = false;
};

} // namespace

void addCompileOptions(CLI::App &command, CompileOptions &options) {
  command.add_option("model", options.input, "The model (.attn), or a module as --emit=import prints it (.mlir)")
      ->required();
  command.add_option("--target", options.target, "native, x86-64-v3, x86-64-v4, or a processor")->capture_default_str();
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&options](const std::vector<std::string> &settings) {
            for (const std::string &setting : settings) {
              auto [name, value] = llvm::StringRef(setting).split('=');
              if (name.empty() || value.empty())
                throw CLI::ValidationError("--set", "'" + setting + "' is not NAME=VALUE");
              options.settings.emplace_back(name.str(), value.str());
            }
          },
          "NAME=VALUE: a hyperparameter of the model")
      ->type_name("NAME=VALUE")
      ->take_all();
  command.add_option("--prefix", options.prefix, "What the names in object and header begin with (the file's name)")
      ->check([](const std::string &prefix) -> std::string {
        bool good = !prefix.empty() && !llvm::isDigit(prefix[0]) &&
                    llvm::all_of(prefix, [](char c) { return llvm::isAlnum(c) || c == '_'; });
        return good ? "" : "'" + prefix + "' is no C identifier";
      });
  command
      .add_option_function<std::vector<std::string>>(
          "--schedule",
          [&options](const std::vector<std::string> &settings) {
            for (const std::string &text : settings) {
              llvm::Expected<ScheduleSetting> setting = parseScheduleSetting(text);
              if (!setting)
                throw CLI::ValidationError("--schedule", llvm::toString(setting.takeError()));
              options.schedule.push_back(std::move(*setting));
            }
          },
          "KERNEL.KEY=VALUE: a choice about a kernel, such as logits_attend_0.tile_kv=128")
      ->type_name("KERNEL.KEY=VALUE")
      ->take_all();
  command
      .add_option_function<std::string>(
          "--schedule-file",
          [&options](const std::string &path) {
            auto file = llvm::MemoryBuffer::getFile(path);
            if (!file)
              throw CLI::ValidationError("--schedule-file", "can't read " + path + ": " + file.getError().message());
            auto settings = parseScheduleFile(path, (*file)->getBuffer());
            if (!settings)
              throw CLI::ValidationError("--schedule-file", llvm::toString(settings.takeError()));
            // What the command line says wins over the file.
            options.schedule.insert(options.schedule.begin(), settings->begin(), settings->end());
          },
          "Such choices, one a line")
      ->type_name("FILE");
  command.add_flag("--require-fused", options.requireFused,
                   "Make it an error to hold a tensor of all pairs of positions");
}

static llvm::Error writeOutputs(const Outputs &options, Compilation &made) {
  llvm::SmallString<128> base(options.directory);
  llvm::StringRef stem = llvm::sys::path::stem(options.compile.input);
  llvm::sys::path::append(base, stem);
  auto path = [&](const char *suffix) { return (base + suffix).str(); };
  llvm::StringRef object(made.object.data(), made.object.size());
  std::string source = llvm::sys::path::filename(options.compile.input).str();
  OutputFiles files;
  if (llvm::Error error = files.write(path(".o"), object))
    return error;
  std::string objectFile = files.lastTemporary();
  if (llvm::Error error = files.write(path(".h"), headerText(made.program, source)))
    return error;
  if (llvm::Error error = files.write(path(".json"), jsonText(made.program, source)))
    return error;
  if (!options.depfile.empty())
    if (llvm::Error error = files.write(options.depfile, dependencyRule(path(".o"), made.inputs)))
      return error;
  if (options.archive) {
    llvm::Expected<std::string> archive = archiveOf(object, (stem + ".o").str());
    if (!archive)
      return archive.takeError();
    if (llvm::Error error = files.write(path(".a"), *archive))
      return error;
  }
  if (options.shared) {
    llvm::Expected<std::string> library = files.reserve(path(".so"));
    if (!library)
      return library.takeError();
    if (llvm::Error error = linkShared(objectFile, *library, (stem + ".so").str()))
      return error;
  }
  return files.commit();
}

static ExitCode run(Outputs &options) {
  if (!options.phase.empty())
    options.compile.dump = phaseNamed(options.phase);
  options.compile.reproducerDirectory = options.directory;
  Compilation made;
  Outcome outcome = compile(options.compile, made, llvm::errs());
  if (outcome != Outcome::Done)
    return static_cast<ExitCode>(outcome);
  if (options.compile.dump) {
    llvm::outs() << made.dump;
    return ExitCode::Success;
  }
  return report(writeOutputs(options, made));
}

void addCompile(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<Outputs>();
  CLI::App *command = app.add_subcommand("compile", "Compile a model to an object, a C header and a json description");
  addCompileOptions(*command, options->compile);
  command->add_option("-o,--output", options->directory, "The directory to write to")->capture_default_str();
  std::string names;
  std::vector<std::string> known;
  for (const PhaseInfo &phase : phases()) {
    known.push_back(phase.name.str());
    names += ("\n  " + phase.name + ": " + phase.makes).str();
  }
  command->add_option("--emit", options->phase, "Print what a phase made, and write nothing:" + names)
      ->check(CLI::IsMember(known))
      ->type_name("PHASE");
  command->add_option("--depfile", options->depfile, "Write a make rule with the files that were read");
  command->add_option("--embed-weights", options->compile.weights,
                      "Keep the weights of a .safetensors file in the object");
  command->add_flag("-g,--debug-lines", options->compile.debugLines,
                    "Keep the model's lines in the object, for debuggers and profilers");
  command->add_flag("--shared", options->shared, "Make a shared library too");
  command->add_flag("--archive", options->archive, "Make a static library too");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
