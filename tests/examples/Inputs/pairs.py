"""Compares the labels of drawn pairs with those that follow from their words: pairs.py WORDS FOLDER."""
import pathlib
import sys

FIRST, FAMILY = 9, 9  # words.txt: <end>, <unk>, seven modifiers, then families of nine nouns, a kind and its members


def things(text, kind_of, kinds):
    words = text.split()
    return [(modifier, noun, kind_of[noun], noun in kinds) for modifier, noun in zip(words[::2], words[1::2])]


def within(narrow, wide):
    """Whether each thing of the first noun is one of the second."""
    return narrow[1] == wide[1] or wide[3] and narrow[2] == wide[2]


def entails(given, stated):
    if given[0] == "no":
        return stated[0] == "no" and within(stated, given)
    return stated[0] in ("some", given[0]) and within(given, stated)


def contradicts(given, stated):
    if given[0] == "no":
        return stated[0] != "no" and within(stated, given)
    return stated[0] == "no" and within(given, stated)


def main(words, folder):
    nouns = pathlib.Path(words).read_text().split()[FIRST:]
    kinds = nouns[::FAMILY]
    kind_of = {noun: kinds[place // FAMILY] for place, noun in enumerate(nouns)}
    read = lambda name: (pathlib.Path(folder) / name).read_text().splitlines()
    wrong = 0
    labels = read("drawn.labels")
    for premise, hypothesis, label in zip(read("premise.words"), read("hypothesis.words"), labels):
        given, stated = things(premise, kind_of, kinds), things(hypothesis, kind_of, kinds)
        if any(contradicts(g, s) for s in stated for g in given):
            right = "contradiction"
        elif all(any(entails(g, s) for g in given) for s in stated):
            right = "entailment"
        else:
            right = "neutral"
        wrong += label != right
    print(f"{len(labels)} pairs: {wrong} wrong")


main(*sys.argv[1:])
