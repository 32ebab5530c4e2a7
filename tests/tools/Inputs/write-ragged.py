"""Writes rows of 1, 3, 0, 2 and 4 elements one after another with their offsets, the same rows padded, and wrong offsets."""
import struct


def write(path, dtype, shape, values):
    header = repr({"descr": dtype, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}{dtype[1]}", *values)
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def write_integers(path, values):
    write(path, "<i4", [len(values)], values)


lengths = [1, 3, 0, 2, 4]
offsets = [sum(lengths[:row]) for row in range(len(lengths) + 1)]
x = [(2 * element + 1, 2 * element + 2) for element in range(offsets[-1])]
rows = [x[offsets[row] : offsets[row + 1]] for row in range(len(lengths))]
write("x.npy", "<f4", [len(x), 2], [value for pair in x for value in pair])
write("padded.npy", "<f4", [len(rows), 4, 2],
      [value for row in rows for pair in row + [(0, 0)] * (4 - len(row)) for value in pair])
write("y.npy", "<f4", [len(rows)], [sum(first + second for first, second in row) for row in rows])
write_integers("t.npy", [element + 1 for element in range(len(x))])
write_integers("offsets.npy", offsets)
write_integers("start.npy", [offset + 1 for offset in offsets])
write_integers("descending.npy", [0, 4, 1, 4, 6, 10])
write_integers("short.npy", offsets[:-1])
write_integers("few.npy", [0, 3, 6, 8, 10])
write("real.npy", "<f4", [len(offsets)], offsets)
