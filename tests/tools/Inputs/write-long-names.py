"""Writes a model with parameter names of more than 255 bytes that differ only at their ends, and data to train it."""
import struct

outer, inner = "a" * 130, "b" * 130
with open("long.attn", "w") as file:
    file.write(f"""use optim
module A(n) {{
  {outer}: B(n)
  fn (x: f32[k, n]) -> f32[k, n] {{ {outer}(x) }}
}}
module B(n) {{
  {inner}: C(n)
  fn (x: f32[k, n]) -> f32[k, n] {{ {inner}(x) }}
}}
module C(n) {{
  gain: f32[n] = uniform(0, 1)
  bias: f32[n] = uniform(0, 1)
  fn (x: f32[k, n]) -> f32[k, n] {{ x * gain + bias }}
}}
model M(n = 2) {{
  m: A(n)
  fn loss(x: f32[k, n]) -> f32 {{ mean(sq(m(x)), axis: [0, 1]) }}
  fn gain(x: f32[n]) -> f32[n] {{ x + m.{outer}.{inner}.gain }}
  fn bias(x: f32[n]) -> f32[n] {{ x + m.{outer}.{inner}.bias }}
}}
export loss
export gain
export bias
export train = minimize(loss, with: optim.adam(lr: 0.1))
""")
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 2), }\n"
with open("x.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<32f", *range(32)))
