#include "compiler/Diagnostics/Render.h"
#include "compiler/Diagnostics/Utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <tuple>

namespace attnc {
namespace {

/// The shown form of a line, and the shown column of each of its bytes.
struct ShownLine {
  std::string text;
  std::vector<uint32_t> columns; ///< one for each byte, and one for the end
};

ShownLine show(std::string_view line) {
  ShownLine shown;
  uint32_t column = 0;
  for (size_t i = 0; i < line.size();) {
    size_t length = characterLength(line.substr(i));
    bool isControl = length == 1 && (static_cast<unsigned char>(line[i]) < 0x20 || line[i] == 0x7F);
    if (line[i] == '\t')
      shown.text += ' ';
    else if (length == 0 || isControl)
      shown.text += "\xEF\xBF\xBD";
    else
      shown.text += line.substr(i, length);
    length = std::max<size_t>(length, 1);
    shown.columns.insert(shown.columns.end(), length, column++);
    i += length;
  }
  shown.columns.push_back(column);
  return shown;
}

/// A label on one line, with zero-based columns [begin, end).
struct Mark {
  uint32_t begin;
  uint32_t end;
  std::string_view text;
  bool isPrimary;
};

void put(std::string &row, size_t column, std::string_view text) {
  if (row.size() < column + text.size())
    row.resize(column + text.size(), ' ');
  row.replace(column, text.size(), text);
}

/// The rows under a source line. The first has the marks and the text of the rightmost label. Each other text is on the
/// first row below on which it ends before the text to its right begins.
std::vector<std::string> rowsUnder(std::vector<Mark> marks) {
  std::sort(marks.begin(), marks.end(),
            [](const Mark &a, const Mark &b) { return std::tuple(a.begin, a.end) < std::tuple(b.begin, b.end); });
  std::vector<std::string> rows(1);
  for (int primary = 0; primary < 2; ++primary)
    for (const Mark &mark : marks)
      if (mark.isPrimary == (primary == 1)) {
        put(rows[0], mark.begin, std::string(mark.end - mark.begin, '~'));
        if (mark.isPrimary)
          put(rows[0], mark.begin, "^");
      }
  std::vector<size_t> starts; // column of the leftmost text in each row below the marks
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    if (mark->text.empty())
      continue;
    if (mark == marks.rbegin() && mark->end >= rows[0].size()) {
      put(rows[0], rows[0].size() + 1, mark->text);
      continue;
    }
    size_t row = 0;
    while (row < starts.size() && mark->begin + mark->text.size() + 2 > starts[row])
      ++row;
    if (row == starts.size()) {
      starts.push_back(0);
      rows.emplace_back();
    }
    starts[row] = mark->begin;
    std::string &line = rows[row + 1];
    put(line, mark->begin, mark->text);
  }
  return rows;
}

/// A label and the line of its first byte.
struct Placed {
  const Label *label;
  bool isPrimary;
  uint32_t line;
};

/// The shown part of a long line, around its first mark.
struct Window {
  static constexpr size_t width = 160, before = 60;
  size_t begin = 0;
  std::string_view text;
};

Window windowOf(std::string_view line, size_t firstMark) {
  if (line.size() <= Window::width)
    return {0, line};
  auto boundary = [&](size_t at) {
    while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80)
      --at;
    return std::min(at, line.size());
  };
  size_t begin = boundary(firstMark > Window::before ? firstMark - Window::before : 0);
  return {begin, line.substr(begin, boundary(begin + Window::width) - begin)};
}

void renderLine(std::string &out, const SourceFile &file, std::span<const Placed> labels) {
  uint32_t number = labels.front().line;
  size_t firstMark = labels.front().label->range.begin;
  for (const Placed &placed : labels)
    firstMark = std::min<size_t>(firstMark, placed.label->range.begin);
  Window window = windowOf(file.line(number), firstMark - file.lineStart(number));
  ShownLine shown = show(window.text);
  std::string_view cut = window.begin > 0 ? "..." : "";
  auto columnAt = [&](uint32_t offset) {
    size_t byte = offset - file.lineStart(number) - window.begin;
    return static_cast<uint32_t>(shown.columns[std::min(byte, shown.columns.size() - 1)] + cut.size());
  };
  std::vector<Mark> marks;
  for (const Placed &placed : labels) {
    uint32_t begin = columnAt(placed.label->range.begin);
    uint32_t end = std::max(columnAt(std::max(placed.label->range.end, placed.label->range.begin)), begin + 1);
    marks.push_back({begin, end, placed.label->text, placed.isPrimary});
  }
  fmt::format_to(std::back_inserter(out), "{:>5} | {}{}\n", number, cut, shown.text);
  for (const std::string &row : rowsUnder(std::move(marks)))
    fmt::format_to(std::back_inserter(out), "      | {}\n", row);
}

void renderSnippets(std::string &out, const Diagnostic &diagnostic, const SourceManager &sources) {
  std::vector<Placed> placed;
  auto add = [&](const Label &label, bool isPrimary) {
    if (label.range.valid())
      placed.push_back({&label, isPrimary, sources.file(label.range.file).lineColumn(label.range.begin).line});
  };
  add(diagnostic.primary, true);
  for (const Label &label : diagnostic.secondary)
    add(label, false);
  FileId home = diagnostic.primary.range.file;
  std::sort(placed.begin(), placed.end(), [&](const Placed &a, const Placed &b) {
    auto key = [&](const Placed &p) { return std::tuple(p.label->range.file != home, p.label->range.file, p.line); };
    return key(a) < key(b);
  });
  FileId current = home;
  for (size_t i = 0; i < placed.size();) {
    FileId file = placed[i].label->range.file;
    size_t next = i;
    while (next < placed.size() && placed[next].label->range.file == file && placed[next].line == placed[i].line)
      ++next;
    if (file != current)
      fmt::format_to(std::back_inserter(out), "  at {}:\n", sources.place(placed[i].label->range));
    current = file;
    renderLine(out, sources.file(file), std::span(placed).subspan(i, next - i));
    i = next;
  }
}

} // namespace

std::string render(const Diagnostic &diagnostic, const SourceManager &sources) {
  std::string out;
  auto to = std::back_inserter(out);
  if (diagnostic.primary.range.valid())
    fmt::format_to(to, "{}: ", sources.place(diagnostic.primary.range));
  fmt::format_to(to, "{}: {} [{}]\n", diagnostic.severity == Severity::Error ? "error" : "warning", diagnostic.message,
                 idOf(diagnostic.kind));
  renderSnippets(out, diagnostic, sources);
  for (const Note &note : diagnostic.notes) {
    if (note.range.valid())
      fmt::format_to(to, "  note: {} at {}\n", note.message, sources.place(note.range));
    else
      fmt::format_to(to, "  note: {}\n", note.message);
  }
  if (!diagnostic.hintText.empty())
    fmt::format_to(to, "  hint: {}\n", diagnostic.hintText);
  return out;
}

std::string render(const DiagnosticEngine &engine) {
  const std::deque<Diagnostic> &all = engine.diagnostics();
  std::vector<size_t> ordered(all.size());
  std::iota(ordered.begin(), ordered.end(), size_t(0));
  std::sort(ordered.begin(), ordered.end(), [&](size_t a, size_t b) {
    SourceRange x = all[a].primary.range, y = all[b].primary.range;
    return std::tuple(x.file, x.begin, a) < std::tuple(y.file, y.begin, b);
  });
  std::string out, previous;
  size_t shown = 0;
  for (size_t index : ordered) {
    std::string text = render(all[index], engine.sources());
    if (text == previous)
      continue;
    if (++shown > maximumShown) {
      fmt::format_to(std::back_inserter(out), "\n... and {} more\n", engine.count() - maximumShown);
      break;
    }
    if (!out.empty())
      out += '\n';
    out += text;
    previous = std::move(text);
  }
  return out;
}

} // namespace attnc
