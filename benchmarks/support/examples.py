"""The examples, at the sizes at which they train or run."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

EXAMPLES = {
    "gpt2": "batch=1,seq=256 --set layers=2",
    "chargpt": "batch=8,seq=128",
    "seq2seq": "batch=64,n=12,m=12",
    "digits": "queries=360,n=1437",
    "vit": "batch=64",
    "ntm": "batch=32,n=10",
    "stn": "batch=64",
    "pointer": "batch=128,n=10",
}


def options_of(model):
    """The model's file, its sizes ("batch=1") and further options."""
    sizes, *settings = EXAMPLES[model].split(" ")
    return ROOT / f"examples/{model}/{model}.attn", sizes.split(","), settings


def add_options(parser):
    """Adds options for the examples and for attnc; parse() checks both."""
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(EXAMPLES))
    parser.add_argument("--attnc", default=str(ROOT / "build/bin/attnc"))


def parse(parser):
    options = parser.parse_args()
    if unknown := [model for model in options.models if model not in EXAMPLES]:
        parser.error(f"there is no model '{unknown[0]}', expected one of {', '.join(EXAMPLES)}")
    if not pathlib.Path(options.attnc).is_file():
        parser.error(f"there is no {options.attnc}; expected an attnc that was built")
    return options
