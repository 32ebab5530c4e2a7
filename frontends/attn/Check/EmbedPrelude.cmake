# Writes the files FILES of the prelude, in FOLDER, into a C++ source: preludeText(name) and preludeNames() of Check.h.
set(rows "")
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH name ${FOLDER} ${file})
  string(REGEX REPLACE "\\.attn$" "" name ${name})
  string(REPLACE "/" "." name ${name})
  file(READ ${file} text)
  # Compilers limit the length of a string literal; adjacent literals are concatenated.
  string(REPLACE "\n\n" "\n)attn\"\nR\"attn(\n" text "${text}")
  string(APPEND rows "    {\"${name}\", R\"attn(${text})attn\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"frontends/attn/Check/Check.h\"

namespace attnc {

static constexpr struct {
  std::string_view name, text;
} files[] = {
${rows}};

std::optional<std::string_view> preludeText(std::string_view name) {
  for (const auto &file : files)
    if (file.name == name)
      return file.text;
  return std::nullopt;
}

std::vector<std::string> preludeNames() {
  std::vector<std::string> names;
  for (const auto &file : files)
    names.emplace_back(file.name);
  return names;
}

} // namespace attnc
")
