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
