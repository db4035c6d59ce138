"""Makes the table of telling cases: for each two entries of the catalogue the shortest stream that tells them apart.

`python tools/telling.py` draws streams from all rules, runs every entry on them, shrinks what tells entries apart, and
writes conformance/chunkproof/diagnosis/telling.txt. What no stream told apart is printed: such a pair behaves the same,
or the search is too short.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.faults import CATCHES  # noqa: E402

from chunkproof.counterexample import Case, encode_token  # noqa: E402
from chunkproof.diagnosis import telling  # noqa: E402
from chunkproof.diagnosis.seen import Prediction, predict  # noqa: E402
from chunkproof.question import Question  # noqa: E402
from chunkproof.rules import RULES, Rule, find_rule  # noqa: E402
from chunkproof.sharp import SHARP  # noqa: E402
from chunkproof.shrinker import shrink  # noqa: E402
from chunkproof_strategies.generator import RandomSource  # noqa: E402
from chunkproof_strategies.grammar import Draft  # noqa: E402
from chunkproof_strategies.values import MARK  # noqa: E402
from chunkproof_targets.deviations import CATALOGUE, Deviation  # noqa: E402
from chunkproof_targets.deviations.compose import DeviatingTarget  # noqa: E402
from chunkproof_targets.reference import ReferenceParser  # noqa: E402

TABLE = ROOT / "conformance" / "chunkproof" / "diagnosis" / telling.TABLE
HEADER = "# Made by tools/telling.py: a token, and the deviations that show on its stream; the smallest first.\n"
#: None is the standard itself.
Entry = Deviation | None
TARGET = DeviatingTarget(ReferenceParser)
ENTRIES: tuple[Entry, ...] = (None, *(entry for entry in CATALOGUE if not entry.shows_in))
# What the rules draw too seldom: values that are reserved words somewhere, limits, and what one run leaves to the next.
BY_HAND = (
    *(Question(b"event: %s\ndata: a\n\ndata: b\n\n" % word) for word in (b"close", b"open", b"error", b"keep-alive")),
    Question(b"event:\n\n"),
    Question(b"data: a\n\xef\xbb\xbf\ndata: b\n\n"),
    Question(MARK + b"data: a\n\n", before=(MARK + b"data: a\n\n",)),
    Question(b"data: a\n\n", before=(b"data: [DONE]\n\n",)),
    Question(b"id: 1\ndata: a\n\n", before=(b"id: 1\ndata: a\n\n",)),
    *(
        Question(filled)
        for limit in (4096, 65536, 131072)
        for filled in (
            b"data: " + "é".encode() * (limit * 3 // 4) + b"\n\n",
            (b"data: " + b"a" * 1000 + b"\n") * (limit // 900) + b"\n",
            b"data: " + b"a" * (limit * 5 // 4) + b"\n\n",
            b"data: " + b"a" * (limit - 6) + b"\n\n",
            b"data: " + b"a" * (limit - 5) + b"\n\n",
        )
    ),
)
# A wire beyond this is looked at only by its own rule's cuts, and never shrunk for long.
LARGE = 4096


def outcome(entry: Entry, question: Question) -> Prediction:
    """What the entry gives."""
    return predict(TARGET, question, () if entry is None else (entry,))


def key(entry: Entry, question: Question) -> tuple[object, ...]:
    """What the entry gives, as something that can be compared."""
    found = outcome(entry, question)
    failed = type(found.failure).__name__ if found.failure is not None and hasattr(found.failure, "kind") else ""
    wanted = found.expectation
    return (tuple(wanted.events), wanted.last_event_id, wanted.retries, found.failure is not None, failed)


def tells(one: Entry, other: Entry, question: Question) -> bool:
    """Whether the two behave differently on the question."""
    return not outcome(one, question).agrees(outcome(other, question))


def drawn(seed: str, streams: int, rules: Iterable[Rule] = RULES) -> Iterator[Question]:
    """Questions of these rules: so many streams of each, under some of its plans."""
    for rule in rules:
        if rule.examine is not None:
            continue
        source = RandomSource(f"{seed}/{rule.id}")
        for _ in range(streams):
            draft = Draft(source)
            rule.write(draft)
            stream = draft.finish()
            for wire in rule.wires(stream.wire):
                plans = list(itertools.islice(rule.plans(wire, source), 12))
                for cuts in dict.fromkeys([(), *map(tuple, plans)]):
                    yield Question(wire, cuts, stream.before)


class Partition:
    """The entries by what they gave on all questions so far: what is in one class was not told apart."""

    def __init__(self) -> None:
        self.classes: list[tuple[Entry, ...]] = [ENTRIES]

    def refined(self, question: Question) -> list[tuple[Entry, ...]]:
        """The classes, with this question besides."""
        classes: list[tuple[Entry, ...]] = []
        for one in self.classes:
            if len(one) == 1:
                classes.append(one)
                continue
            parts: dict[tuple[object, ...], list[Entry]] = defaultdict(list)
            for entry in one:
                parts[key(entry, question)].append(entry)
            classes += [tuple(part) for part in parts.values()]
        return classes

    def take(self, question: Question) -> bool:
        """Refine by the question; whether that tells more apart."""
        before, self.classes = self.classes, self.refined(question)
        return len(before) < len(self.classes)

    def pair(self, question: Question) -> tuple[Entry, Entry] | None:
        """Two entries that nothing has told apart so far, and that the question does."""
        for one in self.classes:
            first = key(one[0], question) if len(one) > 1 else ()
            for entry in one[1:]:
                if key(entry, question) != first:
                    return one[0], entry
        return None


def smaller(one: Entry, other: Entry, question: Question) -> Question:
    """The question made small, as long as it tells the two apart."""
    if len(question.wire) > LARGE:
        return question
    wire, cuts = shrink(
        question.wire, question.cuts, lambda wire, cuts: tells(one, other, Question(wire, cuts, question.before))
    )
    before = question.before
    if before and tells(one, other, Question(wire, cuts)):
        before = ()
    elif before:
        earlier, _ = shrink(before[0], (), lambda w, c: not c and tells(one, other, Question(wire, cuts, (w,))))
        before = (earlier,)
    return Question(wire, cuts, before)


def pool(seconds: float, streams: int) -> set[Question]:
    """Small questions that tell entries apart."""
    found = {Question(wire, cuts) for wire, cuts in SHARP} | set(BY_HAND)
    if TABLE.exists():
        # The tokens alone: what stands behind them may have another name by now, or be gone.
        lines = TABLE.read_text("ascii").splitlines()
        found |= {telling.question_of(line.split()[0]) for line in lines if not line.startswith("#")}
    partition = Partition()
    for question in sorted(found, key=lambda one: one.size):
        partition.take(question)
    until = time.monotonic() + seconds
    for round_ in itertools.count():
        told = len(partition.classes)
        for question in drawn(f"telling/{round_}", streams):
            while (pair := partition.pair(question)) is not None:
                small = smaller(*pair, question)
                found.add(small)
                partition.take(small)
            if time.monotonic() > until:
                return found
        if told < len(partition.classes):
            print(f"round {round_}: {len(partition.classes)} of {len(ENTRIES)} told apart", flush=True)
        if len(partition.classes) == len(ENTRIES):
            return found
    return found


def aimed(found: set[Question], seconds: float) -> set[Question]:
    """More questions for what is not told apart yet, from the rules that must catch these entries."""
    until = time.monotonic() + seconds
    partition = Partition()
    for question in sorted(found, key=lambda one: one.size):
        partition.take(question)
    more = set(found)
    for round_ in itertools.count():
        left = [entry for one in partition.classes if len(one) > 1 for entry in one if entry is not None]
        names = sorted({rule for entry in left for rule in CATCHES[entry.name]})
        if not left or time.monotonic() > until:
            return more
        for question in drawn(f"aimed/{round_}", 40, map(find_rule, names)):
            while (pair := partition.pair(question)) is not None:
                small = smaller(*pair, question)
                more.add(small)
                partition.take(small)
            if time.monotonic() > until:
                break
    return more


def shortened(found: set[Question], seconds: float) -> set[Question]:
    """More questions, each the smaller form of one that is long, for the pairs that it tells apart."""
    until = time.monotonic() + seconds
    more = set(found)
    for question in sorted(found, key=lambda one: -one.size):
        if time.monotonic() > until:
            break
        if question.size > 12 and len(question.wire) <= LARGE:
            parts: dict[tuple[object, ...], Entry] = {}
            for entry in ENTRIES:
                parts.setdefault(key(entry, question), entry)
            several = list(parts.values())
            more |= {smaller(one, several[0], question) for one in several[1:8]}
    return more


def row(question: Question) -> str:
    """The line of the table: the token, and the entries that show there."""
    streams = (*((wire, ()) for wire in question.before), (question.wire, question.cuts))
    shown = [entry.name for entry in ENTRIES if entry is not None and tells(None, entry, question)]
    return " ".join([encode_token(Case("", "bytes", streams)), *shown])


def main() -> int:
    """Make the table, and print what is not told apart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--streams", type=int, default=6)
    options = parser.parse_args()
    found = shortened(aimed(pool(options.seconds, options.streams), options.seconds), options.seconds / 4)
    partition, taken = Partition(), []
    for question in sorted(found, key=lambda one: (one.size, one.wire, one.cuts)):
        if partition.take(question):
            taken.append(question)
    TABLE.write_text(HEADER + "".join(f"{row(one)}\n" for one in taken), encoding="ascii")
    print(f"{len(taken)} cases tell {len(partition.classes)} of {len(ENTRIES)} apart")
    same = [one for one in partition.classes if len(one) > 1]
    for one in same:
        print("not told apart:", ", ".join(entry.name if entry else "the standard" for entry in one))
    return int(bool(same))


if __name__ == "__main__":
    sys.exit(main())
