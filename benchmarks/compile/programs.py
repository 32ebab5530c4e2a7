"""Programs whose size is a parameter: each function returns a program with n repetitions of one construct."""
import pathlib

DECODER = pathlib.Path(__file__).with_name("decoder.attn")


def decoder(n):
    """n unrolled layers of a few kinds."""
    return DECODER.read_text().replace("layers = 26", f"layers = {n}")


def growing(n):
    """n unrolled layers, each of different sizes."""
    return decoder(n).replace("growth = 0", "growth = 16")


def blocks(n):
    """A list of n equal modules, which compiles to one loop."""
    return f"""use nn
model M(vocab = 256, dim = 64) {{
  token: nn.Embedding(vocab, dim)
  blocks: [Block(dim); {n}]
  fn logits(tokens: i32[batch, seq]) -> f32[batch, seq, vocab] {{
    var x = token(tokens)
    for block in blocks {{ x = block(x) }}
    x @ token.table'
  }}
}}
module Block(dim) {{
  scale: nn.LayerNorm(dim)
  mix: nn.MultiHeadAttention(dim, 2)
  mlp: nn.Mlp(dim, 4 * dim)
  fn (x: f32[batch, seq, dim]) -> f32[batch, seq, dim] {{
    let y = x + mix(scale(x))
    y + mlp(scale(y))
  }}
}}
export logits
"""


def function(lines, result, parameters="x: f32[rows, 64]", returns="f32[rows, 64]"):
    body = "\n".join("  " + line for line in lines)
    return f"fn f({parameters}) -> {returns} {{\n{body}\n  {result}\n}}\nexport f\n"


def chain(n):
    """n `let`s, each of which reads the previous one."""
    return function([f"let y{i} = {f'y{i - 1}' if i else 'x'} * {1 + i % 7}.5 + x" for i in range(n)], f"y{n - 1}")


def independent(n):
    """n `let`s that read the argument alone, and sums of ten at a time."""
    names = [f"y{i}" for i in range(n)]
    lines = [f"let y{i} = x * {i % 13}.5 + {i}.0" for i in range(n)]
    while len(names) > 1:
        groups = [names[i : i + 10] for i in range(0, len(names), 10)]
        names = [f"s{len(lines) + i}" for i in range(len(groups))]
        lines += [f"let {name} = {' + '.join(group)}" for name, group in zip(names, groups)]
    return function(lines, names[0])


def mixed(n):
    """n `let`s that alternate between a matrix product, the mean of a row, a softmax, and three formulas."""
    forms = ["{0} @ w", "[i, d] => {0}[i, d] - mean k => {0}[i, k]", "softmax({0})", "{0} * 1.5 + x",
             "max({0}, 0.0) - x", "tanh({0}) + {0}"]
    lines = [f"let y{i} = " + forms[i % 6].format(f"y{i - 1}" if i else "x") for i in range(n)]
    return "use nn\n" + function(lines, f"y{n - 1}", "x: f32[rows, 64], w: f32[64, 64]")


def formula(n):
    """n `let`s of one element, each of which reads the previous one twice."""
    lines = "\n".join(f"  let y{i} = y{i - 1} * y{i - 1} + {i}.0" for i in range(1, n))
    return f"""fn element(y0) {{
{lines}
  y{n - 1}
}}
fn f(x: f32[rows, 64]) -> f32[rows, 64] {{ [i, j] => element(x[i, j]) }}
export f
"""


def scan(n):
    """n `let`s in the step of a recurrence."""
    lines = "\n".join(f"    let y{i} = {f'y{i - 1}' if i else 'h'} * {1 + i % 7}.5 + x[:, t]" for i in range(n))
    return f"""fn f(x: f32[batch, seq, 64]) -> f32[batch, 64] {{
  scan t over seq carry (h = zeros(batch, 64)) {{
{lines}
    h = y{n - 1}
  }} -> h
}}
export f
"""


def entries(n):
    """n different entry points."""
    return "".join(f"fn entry{i}(x: f32[rows, {i + 1}]) -> f32[rows] {{ sum(x * {i}.5, axis: 1) }}\nexport entry{i}\n"
                   for i in range(n))


def parameters(n):
    """n parameters of a model, all of which are read."""
    fields = "\n".join(f"  w{i}: f32[64] = ones" for i in range(n))
    lines = "\n".join(f"    x = x * w{i}" for i in range(n))
    return f"""model M() {{
{fields}
  fn f(given: f32[rows, 64]) -> f32[rows, 64] {{
    var x = given
{lines}
    x
  }}
}}
export f
"""


def functions(n):
    """n functions, each of which calls the previous one."""
    first = "fn g0(x: f32[rows, 64]) -> f32[rows, 64] { x * 2.0 }\n"
    rest = "".join(f"fn g{i}(x: f32[rows, 64]) -> f32[rows, 64] {{ g{i - 1}(x) * {1 + i % 7}.5 + x }}\n"
                   for i in range(1, n))
    return first + rest + f"fn f(x: f32[rows, 64]) -> f32[rows, 64] {{ g{n - 1}(x) }}\nexport f\n"


def masks(n):
    """An attention whose mask has n conditions."""
    conditions = " and ".join(f"(i - j) % {i + 2} != {i // 2}" for i in range(n))
    return f"""fn f(q: f32[n, 64], k: f32[n, 64], v: f32[n, 64]) -> f32[n, 64] {{
  [i] => attend j {{ score: dot(q[i], k[j]), mask: j <= i and {conditions}, value: v[j] }}
}}
export f
"""


def choices(n):
    """A subscript of n nested conditional expressions."""
    subscript = "0"
    for i in range(n):
        subscript = f"min(if j > i + {i} then {i} + (i + j) / {i + 2} else {subscript}, 63)"
    return f"""fn f(q: f32[n, 64], k: f32[n, 64], bias: f32[64]) -> f32[n, 64] {{
  [i] => attend j {{ score: dot(q[i], k[j]) + bias[{subscript}], value: k[j] }}
}}
export f
"""


# Repetitions of the varied construct, from small to large.
PROGRAMS = {
    decoder: [13, 26, 52, 104],
    growing: [13, 26, 52],
    blocks: [50, 100, 200],
    chain: [250, 500, 1000, 2000],
    independent: [250, 500, 1000, 2000],
    mixed: [125, 250, 500, 1000],
    formula: [50, 100, 200, 400],
    scan: [125, 250, 500, 1000],
    entries: [50, 100, 200, 400],
    parameters: [625, 1250, 2500, 5000],
    functions: [30, 60, 120, 240],
    masks: [8, 15, 30, 60],
    choices: [4, 8, 16, 32],
}

# The programs that tests compile up to a phase, at a size, twice and four times the size. At these sizes, formulas of
# chains have the largest length that fusion allows.
TESTED = {
    "fuse": {growing: 6},
    "host": {
        decoder: 4,
        chain: 250,
        independent: 250,
        mixed: 48,
        formula: 50,
        scan: 125,
        entries: 12,
        parameters: 150,
        functions: 60,
        masks: 60,
        choices: 4,
    },
    "emit": {mixed: 48, entries: 12},
}
