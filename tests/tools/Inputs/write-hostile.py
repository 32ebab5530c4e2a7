"""Writes malformed, huge and misleading files, in addition to those of input-files.test."""
import json
import struct


def npy(path, descr, shape, values=b"", size=0):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n" % (descr, shape)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values)
        file.truncate(file.tell() + size)


def sparse(path, size):
    with open(path, "wb") as file:
        file.truncate(size)


npy("sparse.npy", "|u1", "(3000000000,)", size=3000000000)
for name in ("sparse.txt", "sparse.attn", "sparse.bin"):
    sparse(name, 3000000000)
npy("large.npy", "<f8", "(4,)", struct.pack("<4d", 1, 2, 3, 1e300))
npy("escapes.npy", "\x1b[31mf4", "(1,)")
header = json.dumps({"\x1b]0;title\x07\n": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
with open("escapes.safetensors", "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + bytes(4))
for name, text in {
    "escapes.strategy": "model.\x1b[31m=none\n",
    "escapes.tuning": '{"\x1b[31m": 1',
    "escapes.attn": "export fn \x1b[31m(x: f32[n]) -> f32[n] { x }\n",
    "escapes.mlir": 'func.func @"\x1b[31m"() { "\x1b[31m"() : () -> () }\n',
}.items():
    with open(name, "w") as file:
        file.write(text)
