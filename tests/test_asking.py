"""How the diagnosis asks a target, and how it searches for a set that explains the answers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from chunkproof.diagnosis.asking import ask
from chunkproof.diagnosis.diagnose import diagnose
from chunkproof.diagnosis.search import Search
from chunkproof.diagnosis.seen import Seen, can_be_asked
from chunkproof.diagnosis.telling import telling_cases
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.peace import at_peace
from chunkproof.question import Question
from chunkproof_strategies.chunkings import chunks_of
from chunkproof_targets.contract import TargetHung
from chunkproof_targets.deviations import CATALOGUE, find_deviations
from chunkproof_targets.deviations.compose import DeviatingTarget
from chunkproof_targets.reference import ReferenceParser

from .test_diagnosis import deviating, judged

# How a target is asked ------------------------------------------------------------------------------------------------


class Deadly(DeviatingTarget):
    """Ends its process on one stream, and hangs on another."""

    def run(self, chunks):
        wire = b"".join(chunks)
        if wire == b"data: 3\n\n":
            os._exit(7)
        if wire == b"data: 5\n\n":
            while True:
                pass
        return super().run(chunks)


@pytest.fixture
def isolation() -> Iterator[Isolation]:
    made = Isolation(Limits(timeout=0.5))
    yield made
    made.close()


def test_a_question_that_ends_its_process_is_an_answer_and_the_others_are_asked(isolation):
    questions = [Question(b"data: %d\n\n" % number) for number in range(8)]
    with at_peace():
        seen = ask(Deadly(ReferenceParser), questions, isolation, until=float("inf"))
    assert [one.question for one in seen] == questions
    failures = [type(one.run.failure).__name__ for one in seen]
    assert failures[3] == "TargetDied"
    assert failures[5] == "TargetHung"
    assert set(failures[:3] + failures[4:5] + failures[6:]) == {"NoneType"}
    assert [one.run.deliveries[0].event.data for one in seen if not one.run.failure] == ["0", "1", "2", "4", "6", "7"]


class Hanging(DeviatingTarget):
    """Hangs on every stream but a few."""

    def run(self, chunks):
        while b"hang" in b"".join(chunks):
            pass
        return super().run(chunks)


def test_many_hangs_take_no_more_than_the_time_there_is(isolation):
    questions = [Question(b"data: %d\n\n" % number) for number in range(3)]
    questions += [Question(b"data: hang %d\n\n" % number) for number in range(60)]
    with at_peace():
        seen = ask(Hanging(ReferenceParser), questions, isolation, until=time.monotonic() + 1.0)
    assert [one.question for one in seen] == questions[: len(seen)]
    assert 3 < len(seen) < 20


def test_a_slow_target_is_asked_until_the_time_is_up(isolation):
    class Slow(DeviatingTarget):
        def run(self, chunks):
            time.sleep(0.05)
            return super().run(chunks)

    questions = [Question(b"data: %d\n\n" % number) for number in range(60)]
    target = Slow(ReferenceParser)
    isolation.forks(target)  # measures its pace
    with at_peace():
        seen = ask(target, questions, isolation, until=time.monotonic() + 0.5)
    assert 2 <= len(seen) <= 15
    assert [one.question for one in seen] == questions[: len(seen)]


def test_nothing_is_asked_that_cannot_be():
    text = DeviatingTarget(ReferenceParser)
    text.takes = "text"
    assert not can_be_asked(text, Question(b"\xef\xbb\xbfdata: a\n\n"))
    ends = DeviatingTarget(ReferenceParser)
    ends.empty_chunk_ends = True
    assert not can_be_asked(ends, Question(b"data: a\n\n", (3, 3)))
    assert can_be_asked(ends, Question(b"data: a\n\n", (3,)))


def test_a_hang_is_not_taken_for_what_a_rule_on_delivery_looks_for(isolation):
    target = Hanging(ReferenceParser, "hanging")
    (broken,) = judged(deviating("late-dispatch"), ["delivery/prompt"]).rules
    assert broken.counterexample is not None
    hung = replace(broken, target="hanging", counterexample=replace(broken.counterexample, kind="hung"))
    with at_peace():
        record = diagnose(target, [hung], isolation, seed="1")
    assert record.deviations == ()
    assert record.rules_unexplained == ("delivery/prompt",)


# The search -----------------------------------------------------------------------------------------------------------


def searched(names: str) -> Search:
    target = deviating(names)
    search = Search(target, CATALOGUE, shows=telling_cases())
    search.add([Seen(one, target.run(_chunks(one))) for one in telling_cases() if not one.before])
    return search


def _chunks(question: Question) -> list[bytes]:
    return list(chunks_of(question.wire, question.cuts))


def test_a_set_that_explains_all_has_no_member_too_many():
    found = searched("bom-not-stripped+no-colon-ignored").found()
    assert [one.name for one in found.deviations] == ["bom-not-stripped", "no-colon-ignored"]
    assert found.unexplained == ()


def test_of_what_was_found_the_set_that_explains_most_of_all_is_settled_on():
    search = searched("bom-not-stripped")
    search.found()
    search._found.append(find_deviations("bom-stripped-twice"))
    assert [one.name for one in search.settled(lambda deviation: True).deviations] == ["bom-not-stripped"]


def test_a_hang_is_explained_by_a_hang_alone():
    target = DeviatingTarget(ReferenceParser)
    question = Question(b"data: a\n\n")
    hung = target.run([question.wire])
    hung.failure = TargetHung()
    seen = Seen(question, hung)
    assert not seen.is_right(target)
    assert [entry.name for entry in CATALOGUE if seen.fits(target, (entry,))] == []
