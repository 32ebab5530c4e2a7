// attnc compile: compiles a model file to an object, a header and a description.
#include "compiler/Emit/Header.h"
#include "compiler/Emit/Json.h"
#include "compiler/Emit/Link.h"
#include "compiler/Emit/OutputFiles.h"
#include "compiler/Pipeline/ModelName.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "tools/attnc/Call/WeightsOption.h"
#include "tools/attnc/Commands.h"
#include "tools/attnc/Options/AssemblerOption.h"
#include "tools/attnc/Options/SourceOptions.h"
#include "tools/command-line/Command.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

namespace {

struct Outputs {
  SourceOptions source;
  AssemblerOption assembler;
  std::vector<std::string> weights;
  std::string directory = ".", phase, depfile;
  bool shared = false, archive = false;
};

} // namespace

static llvm::Error writeOutputs(const Outputs &options, Compilation &made) {
  llvm::SmallString<128> base(options.directory);
  const std::string &prefix = options.source.compile.prefix;
  std::string stem = prefix.empty() ? stemOf(options.source.input()) : prefix;
  llvm::sys::path::append(base, stem);
  auto path = [&](const char *suffix) { return (base + suffix).str(); };
  llvm::StringRef object(made.object.data(), made.object.size());
  std::string source = llvm::sys::path::filename(options.source.input()).str();
  OutputFiles files;
  if (llvm::Error error = files.write(path(".o"), object))
    return error;
  std::string objectFile = files.lastTemporary();
  if (llvm::Error error = files.write(path(".h"), headerText(made.program, source)))
    return error;
  if (llvm::Error error =
          files.write(path(".json"), jsonText(made.program, source, options.assembler.resourcesOf(made.program))))
    return error;
  if (!options.depfile.empty())
    if (llvm::Error error = files.write(options.depfile, dependencyRule(path(".o"), made.inputs)))
      return error;
  if (options.archive) {
    llvm::Expected<std::string> archive = archiveOf(object, stem + ".o");
    if (!archive)
      return archive.takeError();
    if (llvm::Error error = files.write(path(".a"), *archive))
      return error;
  }
  if (options.shared) {
    llvm::Expected<std::string> library = files.reserve(path(".so"));
    if (!library)
      return library.takeError();
    if (llvm::Error error = linkShared(objectFile, *library, stem + ".so"))
      return error;
  }
  return files.commit();
}

/// An option about output files that has no effect because --emit writes none; empty if there is none.
static llvm::StringRef optionWithoutUse(const Outputs &options) {
  bool isBeforeObject = *phaseNamed(options.phase) < Phase::Optimise;
  return options.shared                    ? "--shared"
         : options.archive                 ? "--archive"
         : !options.depfile.empty()        ? "--depfile"
         : options.assembler.isGiven()     ? "--ptxas"
         : !isBeforeObject                 ? ""
         : !options.weights.empty()        ? "--embed-weights"
         : !options.source.compile.records ? "--no-record"
                                           : "";
}

static ExitCode run(Outputs &options) {
  CompileOptions compileOptions = options.source.compile;
  compileOptions.reproducerDirectory = options.directory;
  compileOptions.weights = options.weights;
  if (!options.phase.empty()) {
    compileOptions.dump = phaseNamed(options.phase);
    if (llvm::StringRef option = optionWithoutUse(options); !option.empty())
      return refuse((option + " has no effect with --emit=" + options.phase + ", which writes no object").str());
  }
  llvm::Expected<Target> target = Target::resolve(compileOptions.target);
  if (llvm::Error error = target ? options.assembler.checkUse(*target) : target.takeError())
    return report(std::move(error));
  // Never destroyed: the process ends next, and the destruction of large modules takes time.
  static Compilation &made = *new Compilation;
  Outcome outcome = compile(compileOptions, made, llvm::errs());
  if (outcome != Outcome::Done)
    return static_cast<ExitCode>(outcome);
  if (compileOptions.dump) {
    llvm::outs() << made.dump;
    return ExitCode::Success;
  }
  return report(writeOutputs(options, made));
}

void addCompile(CLI::App &app, ExitCode &exitCode) {
  auto options = std::make_shared<Outputs>();
  CLI::App *command = addCommand(app, "compile", "Compile a model to an object, a C header and a JSON description");
  options->source.addTo(*command, SourceOptions::Takes::Models);
  options->source.takeTraining(*command);
  command->add_option("-o,--output", options->directory, "The directory to write to; created if it is missing")
      ->type_name("DIRECTORY")
      ->capture_default_str();
  std::string names;
  std::vector<std::string> known;
  for (const PhaseInfo &phase : phases()) {
    known.push_back(phase.name.str());
    names += ("\n  " + phase.name + ": " + phase.makes).str();
  }
  command->add_option("--emit", options->phase, "Print the result of a phase, and write no files:" + names)
      ->check(CLI::IsMember(known))
      ->type_name("PHASE");
  options->assembler.addTo(*command);
  command->add_option("--depfile", options->depfile, "Write a make rule with the files that were read")
      ->type_name("FILE");
  CLI::Option *weights =
      addWeightsOption(*command, "--embed-weights", options->weights, "Weights to store in the object");
  command
      ->add_flag("--allow-extra", options->source.compile.allowExtra,
                 "Ignore tensors of that file that are not parameters")
      ->needs(weights);
  command->add_flag("-g,--debug-lines", options->source.compile.debugLines,
                    "Store source lines in the object, for debuggers and profilers");
  command->add_flag("!--no-record", options->source.compile.records,
                    "Store no compile record in the object; `attnc verify` needs it");
  command->add_flag("--stream", options->source.compile.streams,
                    "Add the loops by which `attnc generate` streams text and holds conversations");
  command->add_flag("--shared", options->shared, "Also make a shared library");
  command->add_flag("--archive", options->archive, "Also make a static library");
  command->footer("Example:\n  attnc compile examples/gpt2/gpt2.attn -o out --target x86-64-v3");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace attnc
