#!/usr/bin/env python3
"""Damages an object of attnc in the way that HOW names: damage.py IN.o OUT.o HOW."""
import os
import struct
import sys

from tamper import sections, symbols


def place_of(data, name):
    return next((offset, length) for each, _, offset, length in sections(data) if each == name)


def table(data):
    return next(offset for name, _, offset, _ in symbols(data) if name.endswith("_model"))


def main():
    path, other, how = sys.argv[1:]
    data = bytearray(open(path, "rb").read())
    sparse = 0
    if how == "machine":
        struct.pack_into("<H", data, 18, 183)
    elif how == "type":
        struct.pack_into("<H", data, 16, 3)
    elif how == "version":
        struct.pack_into("<I", data, table(data), 4711)
    elif how == "count":  # of entry points: the word with the value 2
        word = next(at for at in range(table(data), len(data), 8) if struct.unpack_from("<Q", data, at)[0] == 2)
        struct.pack_into("<Q", data, word, 1 << 60)
    elif how == "half":
        del data[len(data) // 2:]
    elif how == "flip":
        offset, length = place_of(data, ".text")
        data[offset + length // 3] ^= 0x40
    elif how == "sparse":
        sparse = 64 << 20
    with open(other, "wb") as file:
        file.write(data)
    if sparse:
        os.truncate(other, sparse)


main()
