#include "compiler/Pipeline/Import.h"
#include "compiler/Diagnostics/Render.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Pipeline/CheckModule.h"
#include "compiler/Pipeline/ModelName.h"
#include "compiler/Pipeline/ScanModule.h"
#include "frontends/attn/Check/Check.h"
#include "frontends/attn/Check/Print.h"
#include "frontends/attn/Import/Import.h"
#include "frontends/attn/Parse/Parse.h"
#include "frontends/attn/Parse/Print.h"
#include "frontends/checkpoint/Checkpoint.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace attnc {

/// A diagnostic of MLIR's parser, without its advice to users of MLIR's tools.
static std::string inOurWords(llvm::StringRef text) {
  auto [problem, advice] = text.split(". If this is intended, ");
  llvm::StringRef expected = advice.empty() ? "" : "; expected attn, model, linalg, tensor, arith, math, scf or func";
  return (problem.rtrim() + expected).str();
}

static bool checkText(Job &job, llvm::StringRef text) {
  std::optional<UnparsablePlace> found = scanModule(text);
  if (!found)
    return true;
  llvm::StringRef before = text.take_front(found->place);
  size_t column = before.size() - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
  return job.userError(job.options.input + ":" + llvm::Twine(before.count('\n') + 1) + ":" + llvm::Twine(column) +
                       ": error: " + found->what);
}

/// Reads a module in the form that `import` produces, written by hand or by another tool.
static bool importMlir(Job &job, std::unique_ptr<llvm::MemoryBuffer> file) {
  job.begin(Phase::Import);
  if (!job.options.settings.empty())
    return job.refuse(job.options.input + " has no hyperparameters: --set is for models (.attn)");
  if (job.options.dump && *job.options.dump < Phase::Import)
    return job.refuse(job.options.input + " begins at phase 'import': --emit=" + nameOf(*job.options.dump) +
                      " is for models (.attn)");
  if (!checkText(job, file->getBuffer()))
    return false;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  job.made.module = parseSourceFile<ModuleOp>(sources, &job.made.context);
  if (!job.made.module)
    return job.userError(llvm::join(llvm::map_range(job.diagnostics(), inOurWords), "\n"));
  std::string fault = faultOfModule(*job.made.module, job.options.input);
  return fault.empty() || job.userError(fault);
}

/// The files of the model on disk: `first`, and those that it uses. Files of the prelude are embedded in the compiler.
static std::vector<std::string> filesRead(const SourceManager &sources, const std::string &first) {
  std::vector<std::string> paths = {first};
  for (FileId id = 1; id < sources.size(); ++id)
    if (sources.file(id).origin() == SourceOrigin::Disk)
      paths.push_back(sources.file(id).name());
  return paths;
}

/// Imports a model file, whose messages have the path `name`. `path` is the file that the text was read or made from.
static bool importModel(Job &job, const std::string &name, const std::string &path, llvm::StringRef text) {
  SourceManager sources;
  FileId file = sources.add(name, text.str());
  DiagnosticEngine diagnostics(sources);
  auto refused = [&] { return job.userError(llvm::StringRef(render(diagnostics)).rtrim()); };

  // For a dump only: the checker parses the file again, with the files that it imports.
  if (job.options.dump == Phase::Parse) {
    job.begin(Phase::Parse);
    ast::File tree = parseFile(sources, file, diagnostics);
    job.dumps(Phase::Parse, [&](llvm::raw_ostream &out) { out << print(tree); });
    return diagnostics.hasErrors() ? refused() : false;
  }

  job.begin(Phase::Check);
  CheckOptions checkOptions;
  checkOptions.settings = job.options.settings;
  checkOptions.writer = job.options.writer;
  std::unique_ptr<typed::Program> program = checkFile(sources, file, diagnostics, checkOptions);
  job.made.inputs = filesRead(sources, path);
  if (!program)
    return refused();
  job.warn(render(diagnostics));
  if (job.dumps(Phase::Check, [&](llvm::raw_ostream &out) { out << typed::print(*program); }))
    return false;

  job.begin(Phase::Import);
  ImportFailure failure;
  job.made.module = importProgram(*program, job.made.program.prefix, sources, job.made.context, failure);
  if (job.made.module)
    return true;
  job.remember(failure.message + "\n" + failure.ir);
  return job.internalError();
}

/// The source text of a model as comment lines of a module.
static std::string asComments(llvm::StringRef source) {
  std::string text;
  for (llvm::StringRef line : llvm::split(source, '\n'))
    text += ("// " + line + "\n").str();
  return text;
}

/// Imports the model that a checkpoint's config.json describes.
static bool importFolder(Job &job) {
  const std::string &folder = job.options.input;
  llvm::Expected<ImportedCheckpoint> checkpoint = importCheckpoint(folder, job.options.fineTuning);
  if (!checkpoint)
    return job.refuse(llvm::toString(checkpoint.takeError()));
  job.remember(asComments(checkpoint->text));
  for (const std::string &warning : checkpoint->warnings)
    job.warn("attnc: warning: " + warning + "\n");
  return importModel(job, stemOf(folder) + ".attn", configPath(folder), checkpoint->text);
}

bool import(Job &job) {
  const std::string &path = job.options.input;
  if (isCheckpoint(path))
    return importFolder(job);
  auto file = readInputFile(path);
  if (!file)
    return job.refuse("can't read " + path + ": " + llvm::toString(file.takeError()));
  job.made.inputs = {path};
  bool isModule = llvm::StringRef(path).ends_with(".mlir");
  job.remember(isModule ? (*file)->getBuffer().str() : asComments((*file)->getBuffer()));
  if (isModule)
    return importMlir(job, std::move(*file));
  if (llvm::StringRef(path).ends_with(".attn"))
    return importModel(job, path, path, (*file)->getBuffer());
  return job.refuse(path +
                    " is neither a model (.attn), nor a module (.mlir), nor the folder of a published checkpoint");
}

} // namespace attnc
