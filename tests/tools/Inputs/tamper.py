#!/usr/bin/env python3
"""Changes an object of attnc: tamper.py IN.o OUT.o SECTION-OR-SYMBOL WHAT...

The content of a compressed section (compiler/Emit/Record.h) is changed, except by `cut`.

  byte N          flips the bits of a byte of the section; N counts from its middle
  word N VALUE    sets the 8 bytes from byte N on
  text OLD NEW    replaces a text where it occurs first
  json PATH VALUE sets an element of its JSON, such as entries.0.slots.2.bytes; removes it without VALUE
  shorten         removes half of the section
  cut             removes the contents of the section
"""
import json
import struct
import sys
import zlib

COMPRESSED = {".attn.module", ".attn.certificate"}


def sections(data):
    """The name, offset of the header, offset and size of each section of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [(table + size * number, *struct.unpack_from("<IIQQQQ", data, table + size * number))
               for number in range(count)]
    strings = headers[names][5]
    for place, name, _, _, _, offset, length in headers:
        yield data[strings + name:data.index(b"\0", strings + name)].decode(), place, offset, length


def symbols(data):
    """The name of each symbol in a section, None, and its offset and size in the file."""
    places = list(sections(data))
    (_, _, table, bytes), = [each for each in places if each[0] == ".symtab"]
    (_, _, strings, _), = [each for each in places if each[0] == ".strtab"]
    for at in range(table, table + bytes, 24):
        name, _, _, home, value, length = struct.unpack_from("<IBBHQQ", data, at)
        if 0 < home < len(places):
            text = data[strings + name:data.index(b"\0", strings + name)].decode()
            yield text, None, places[home][2] + value, length


def changed(content, what, *arguments):
    if what == "byte":
        at = len(content) // 2 + int(arguments[0])
        return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1:]
    if what == "word":
        at, value = map(int, arguments)
        return content[:at] + struct.pack("<Q", value) + content[at + 8:]
    if what == "text":
        assert arguments[0].encode() in content
        return content.replace(arguments[0].encode(), arguments[1].encode(), 1)
    if what == "shorten":
        return content[:len(content) // 2]
    if what == "cut":
        return b""
    tree = json.loads(content)
    *path, last = [int(key) if key.isdigit() else key for key in arguments[0].split(".")]
    place = tree
    for key in path:
        place = place[key]
    del place[last]
    if len(arguments) > 1:
        place[last] = json.loads(arguments[1])
    return json.dumps(tree, separators=(",", ":")).encode()


def main():
    source, target, section, what, *arguments = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    place, offset, length = next(rest for name, *rest in [*sections(data), *symbols(data)]
                                  if name == section)
    content = data[offset:offset + length]
    if section in COMPRESSED and what != "cut":
        content = changed(zlib.decompress(content[8:]), what, *arguments)
        content = struct.pack("<Q", len(content)) + zlib.compress(content, 9)
    else:
        content = changed(content, what, *arguments)
    if len(content) == length:
        data = data[:offset] + content + data[offset + length:]
    else:
        data = bytearray(data + content)
        struct.pack_into("<QQ", data, place + 24, len(data) - len(content), len(content))
    with open(target, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
