#include "tools/attnc/Explain/ExplainedJson.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace attnc {

template <class Elements, class Write>
static void writeObjects(json::OStream &out, StringRef key, const Elements &elements, Write write) {
  out.attributeArray(key, [&] {
    for (const auto &element : elements)
      out.object([&] { write(element); });
  });
}

/// Pairs as objects with these two keys.
template <class Pairs>
static void writePairs(json::OStream &out, StringRef key, const Pairs &pairs, StringRef first, StringRef second) {
  writeObjects(out, key, pairs, [&](const auto &pair) {
    out.attribute(first, pair.first);
    out.attribute(second, pair.second);
  });
}

static void writeKernel(json::OStream &out, const ExplainedKernel &kernel) {
  out.attribute("name", kernel.name);
  out.attribute("kind", kernel.kind);
  out.attribute("emitter", kernel.emitter);
  out.attribute("model_paths", json::Array(kernel.modelPaths));
  out.attribute("fused", json::Array(kernel.fused));
  writePairs(out, "schedule", kernel.schedule, "key", "value");
  out.attribute("places", json::Array(kernel.places));
  writePairs(out, "predictions", kernel.predictions, "emitter", "seconds");
  out.attribute("kept_sum", kernel.isKeptSum);
  writePairs(out, "refusals", kernel.refusals, "emitter", "reason");
}

static void writeCost(json::OStream &out, const ExplainedCost &cost) {
  out.attribute("flops", cost.flops);
  if (cost.keptFlops)
    out.attribute("kept_flops", *cost.keptFlops);
  out.attribute("bytes_read", cost.bytesRead);
  out.attribute("bytes_written", cost.bytesWritten);
  out.attribute("intensity", cost.intensity());
}

static void writeTime(json::OStream &out, const std::optional<ExplainedTime> &time) {
  if (!time)
    return;
  out.attributeObject("predicted", [&] {
    out.attribute("seconds", time->seconds);
    out.attribute("launch_seconds", time->launch);
    out.attribute("compute_seconds", time->compute);
    out.attribute("memory_seconds", time->memory);
    out.attribute("instructions", time->instructions);
    out.attribute("bound", time->bound);
  });
}

static void writeEdge(json::OStream &out, const ExplainedEdge &edge) {
  if (edge.from)
    out.attribute("from", int64_t(*edge.from));
  if (edge.to)
    out.attribute("to", int64_t(*edge.to));
  if (!edge.name.empty())
    out.attribute("name", edge.name);
  out.attribute("bytes", edge.bytes);
  out.attribute("carried", edge.isCarried);
  out.attribute("parameter", edge.isParameter);
}

static void writeMask(json::OStream &out, const MaskBlocks &mask) {
  if (!mask.problem.empty())
    return out.attribute("problem", mask.problem);
  out.attribute("queries", mask.queries);
  out.attribute("keys", mask.keys);
  out.attribute("block_queries", mask.blockQueries);
  out.attribute("block_keys", mask.blockKeys);
  out.attributeArray("kept", [&] {
    for (int64_t row = 0; row < mask.rows; ++row)
      out.value(json::Array(ArrayRef(mask.kept).slice(row * mask.columns, mask.columns)));
  });
}

static void writeLaunch(json::OStream &out, const ExplainedModel &model, const ExplainedLaunch &launch) {
  out.attribute("kernel", model.kernels[launch.kernel].name);
  out.attribute("model_path", launch.modelPath);
  out.attribute("step", int64_t(launch.step));
  out.attribute("times", launch.times);
  if (launch.loop)
    out.attribute("loop", int64_t(*launch.loop));
  writeCost(out, launch.cost);
  writeTime(out, launch.predicted);
  if (launch.mask)
    out.attributeObject("mask", [&] { writeMask(out, *launch.mask); });
}

static void writeStorage(json::OStream &out, const ExplainedStorage &storage) {
  out.attribute("name", storage.name);
  out.attribute("offset", storage.offset);
  out.attribute("bytes", storage.bytes);
  writePairs(out, "live", storage.live, "first", "last");
}

static void writeTotal(json::OStream &out, const ExplainedModel &model, const ExplainedTotal &total) {
  out.attribute("kernel", model.kernels[total.kernel].name);
  out.attribute("launches", total.launches);
  writeCost(out, total.cost);
  writeTime(out, total.predicted);
  if (total.measured) {
    out.attribute("measured_seconds", total.measured->seconds);
    out.attribute("measured_launches", total.measured->launches);
  }
}

static void writeEntry(json::OStream &out, const ExplainedModel &model, const ExplainedEntry &entry) {
  out.attribute("name", entry.name);
  if (!entry.problem.empty())
    out.attribute("problem", entry.problem);
  writePairs(out, "sizes", entry.sizes, "name", "size");
  writeObjects(out, "launches", entry.launches,
               [&](const ExplainedLaunch &launch) { writeLaunch(out, model, launch); });
  writeObjects(out, "loops", entry.loops, [&](const ExplainedLoop &loop) {
    if (loop.iterations)
      out.attribute("turns", *loop.iterations);
    if (loop.within)
      out.attribute("within", int64_t(*loop.within));
  });
  writeObjects(out, "edges", entry.edges, [&](const ExplainedEdge &edge) { writeEdge(out, edge); });
  writeObjects(out, "kernels", entry.totals, [&](const ExplainedTotal &total) { writeTotal(out, model, total); });
  out.attribute("arena_bytes", entry.arenaBytes);
  out.attribute("steps", json::Array(entry.steps));
  writeObjects(out, "arena", entry.arena, [&](const ExplainedStorage &storage) { writeStorage(out, storage); });
  if (entry.measuredSeconds)
    out.attribute("measured_seconds", *entry.measuredSeconds);
  if (!entry.unmeasured.empty())
    out.attribute("unmeasured", entry.unmeasured);
}

static void writeMachine(json::OStream &out, const Machine &machine) {
  out.attribute("name", machine.name);
  out.attribute("origin", machine.origin);
  out.attribute("cores", machine.cores);
  out.attribute("flops_per_second", machine.flops());
  out.attribute("launch_seconds", machine.launch);
  writeObjects(out, "levels", machine.levels, [&](const MemoryLevel &level) {
    out.attribute("name", level.name);
    if (level.bytes != INT64_MAX)
      out.attribute("bytes", level.bytes);
    out.attribute("read_bytes_per_second", level.read);
    out.attribute("read_bytes_per_second_by_all", level.readByAll);
    out.attribute("write_bytes_per_second", level.write);
  });
}

static void writeDecision(json::OStream &out, const ExplainedDecision &decision) {
  out.attribute("made", decision.isMade);
  out.attribute("reason", decision.reason);
  out.attribute("text", decision.text);
  out.attribute("change", decision.change);
  out.attribute("what", decision.what);
  out.attribute("into", decision.into);
  out.attribute("entry", decision.entry);
  out.attribute("bytes", decision.bytes);
  out.attribute("pairs", decision.isOfPairs);
}

void writeJson(const ExplainedModel &model, raw_ostream &stream) {
  json::OStream out(stream, 2);
  out.object([&] {
    out.attribute("source", model.source);
    out.attribute("target", model.target);
    if (model.machine)
      out.attributeObject("machine", [&] { writeMachine(out, *model.machine); });
    writeObjects(out, "kernels", model.kernels, [&](const ExplainedKernel &kernel) { writeKernel(out, kernel); });
    writeObjects(out, "entries", model.entries, [&](const ExplainedEntry &entry) { writeEntry(out, model, entry); });
    writeObjects(out, "decisions", model.decisions,
                 [&](const ExplainedDecision &decision) { writeDecision(out, decision); });
  });
  stream << "\n";
}

} // namespace attnc
