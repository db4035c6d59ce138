"""Entries made small: few bytes, few cuts, and the same failure of the same cause."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from chunkproof.corpus.redaction import redact_case
from chunkproof.corpus.smallest import Difference, Sameness, difference, smallest
from chunkproof.diagnosis.asking import Asker
from chunkproof.isolation.judging import Isolation
from chunkproof.isolation.limits import Limits
from chunkproof.peace import at_peace
from chunkproof.question import Question
from chunkproof.rules import find_rule
from chunkproof_targets.contract import Event
from chunkproof_targets.deviations import find_deviations
from chunkproof_targets.deviations.compose import DeviatingTarget, compose
from chunkproof_targets.reference import ReferenceParser

GREETING = 'event: a\ndata: {"text": "你好 Hello"}\n\nevent: a\ndata: 2\n\nid: 5\nevent: a\ndata: 输出\n\n'.encode()
INSIDE = GREETING.index("你".encode()) + 1


def deviating(names: str) -> DeviatingTarget:
    return DeviatingTarget(compose(find_deviations(names)), names)


@pytest.fixture(scope="module")
def isolation() -> Iterator[Isolation]:
    made = Isolation(Limits(timeout=0.3))
    yield made
    made.close()


def names(found: Difference) -> list[list[str]]:
    return [[one.name for one in deviations] for deviations in found.explained_by]


def shrunk(target: DeviatingTarget, question: Question, isolation: Isolation, **options: object) -> Question:
    with Sameness(target, question, isolation, **options) as same:
        return smallest(same.question, same)


# By any predicate -----------------------------------------------------------------------------------------------------


def test_bytes_count_before_cuts():
    def fails(question: Question) -> bool:
        # Without a cut it takes a byte more.
        return len(question.wire) >= (4 if question.cuts else 5)

    assert smallest(Question(b"data: abc\n\n", (2, 5, 7)), fails) == Question(b"aaaa", (0,))


def test_of_equal_bytes_it_is_the_fewer_cuts():
    assert smallest(Question(b"data: abc\n\n", (2, 5)), lambda question: len(question.wire) >= 4).cuts == ()


def test_what_runs_before_is_left_out_or_made_small():
    def fails(question: Question) -> bool:
        return any(b"id" in wire for wire in question.before) and b"data" in question.wire

    question = Question(b"event: x\ndata: abc\n\n", (3,), (b"data: a\n\n", b"id: 7\ndata: b\n\n", b"\n"))
    assert smallest(question, fails) == Question(b"data", (), (b"id",))
    assert smallest(question, lambda question: b"data" in question.wire) == Question(b"data")


def test_what_does_not_fail_is_refused():
    with pytest.raises(ValueError, match="does not fail, so there is nothing to make small; name a target"):
        smallest(Question(b"data: a\n\n"), lambda question: False)


# In the same way ------------------------------------------------------------------------------------------------------


def test_it_does_not_slip_to_another_fault_that_needs_fewer_bytes(isolation):
    # Each block of the stream has a type, so the second fault does not show; with a type left out it would.
    target = deviating("utf8-split-lossy+event-type-leaks")
    question = Question(GREETING, (INSIDE,))
    assert "utf8-split-lossy" in {name for one in names(difference(target, question, isolation)) for name in one}
    small = shrunk(target, question, isolation)
    assert small == Question("data:é\n\n".encode(), (6,))


def test_a_stream_of_the_same_kind_and_another_cause_is_not_the_same(isolation):
    target = deviating("space-not-removed+event-type-leaks")
    question = Question(b"event:a\n\ndata:bb c\n\n")
    other = Question(b"data: \n\n")
    assert difference(target, other, isolation).kind == difference(target, question, isolation).kind == "changed"
    with Sameness(target, question, isolation) as same:
        assert not same(other)
        assert smallest(question, same) == Question(b"event:a\n\ndata\n\n")


class Asking(Asker):
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def test_a_stream_that_shows_two_faults_at_once_shows_both_when_it_is_small(isolation):
    target = deviating("utf8-split-lossy+event-type-leaks")
    question = Question(GREETING.replace(b"event: a\ndata: 2", b"data: 2"), (INSIDE,))
    assert ["event-type-leaks", "utf8-split-lossy"] in names(difference(target, question, isolation))
    small = shrunk(target, question, isolation)
    assert len(small.wire) < 25
    assert small.cuts != ()
    assert b"event" in small.wire


def test_a_case_without_its_text_fails_in_the_same_way(isolation):
    question = Question(GREETING, (INSIDE,))
    with Sameness(deviating("utf8-split-lossy+event-type-leaks"), question, isolation) as same:
        redacted, _ = redact_case(question, same)
        assert same(redacted)
    assert redacted == Question(
        'event: z\ndata: {"zzzz": "中中 Zzzzz"}\n\nevent: z\ndata: 1\n\nid: 1\nevent: z\ndata: 中中\n\n'.encode(),
        (INSIDE,),
    )


def test_what_nothing_in_the_catalogue_explains_does_not_become_what_something_does(isolation):
    class Unknown(DeviatingTarget):
        """Shouts one word, and drops the types of all."""

        def run(self, chunks):
            run = super().run(chunks)
            run.deliveries = [
                one._replace(event=Event("message", one.event.data.replace("more", "MORE"), one.event.last_event_id))
                for one in run.deliveries
            ]
            return run

    target = Unknown(ReferenceParser, "unknown")
    question = Question(b"event: a\ndata: x\n\ndata: some more\n\n")
    found = difference(target, question, isolation)
    assert found == Difference("changed", ())
    small = shrunk(target, question, isolation)
    assert b"more" in small.wire
    assert len(small.wire) < len(question.wire)


def test_a_fault_of_one_run_that_shows_in_the_next(isolation):
    class Leaking(DeviatingTarget):
        """Keeps the last type from one run to the next."""

        kept = ""

        def run(self, chunks):
            kept, Leaking.kept = Leaking.kept, "b" if b"event: b" in b"".join(chunks) else ""
            run = super().run(chunks)
            if kept:
                run.deliveries = [one._replace(event=one.event._replace(type=kept)) for one in run.deliveries]
            return run

    question = Question(b"data: x\n\n", (3,), (b"data\n\n", b"id\nevent: b\n\n"))
    small = shrunk(Leaking(ReferenceParser, "leaking"), question, isolation)
    assert small.before == (b"event: b",)
    assert small.cuts == ()
    assert len(small.wire) <= len(b"data: x\n\n")


def test_what_a_target_keeps_of_the_tries_is_not_taken_for_the_failure(isolation):
    class Poisoned(DeviatingTarget):
        """Loses all events from a run on that holds an exclamation mark."""

        poisoned = False

        def run(self, chunks):
            run = super().run(chunks)
            Poisoned.poisoned = Poisoned.poisoned or b"!" in b"".join(chunks)
            run.deliveries = [] if Poisoned.poisoned else run.deliveries
            return run

    small = shrunk(Poisoned(ReferenceParser, "poisoned"), Question(b"data: x\n\ndata: Oh!\n\n"), isolation)
    assert b"!" in small.wire


@pytest.fixture
def impatient() -> Iterator[Isolation]:
    made = Isolation(Limits(timeout=0.05))
    yield made
    made.close()


def test_a_target_that_hangs_or_exits_costs_a_child(impatient):
    isolation = impatient

    class Deadly(DeviatingTarget):
        def run(self, chunks):
            wire = b"".join(chunks)
            if b"!" in wire:
                os._exit(3)
            while b"?" in wire:
                pass
            return super().run(chunks)

    target = Deadly(compose(find_deviations("event-type-leaks")), "deadly")
    assert difference(target, Question(b"data: Oh!\n\n"), isolation) == Difference("died", ())
    assert shrunk(target, Question(b"a!\n"), isolation).wire == b"!"
    assert shrunk(target, Question(b"a?\n"), isolation).wire == b"?"
    # A try that hangs is another failure, and not the end.
    with Sameness(target, Question(b"event: a\n\ndata: x\n\n"), isolation) as same:
        tries = [Question(b"event: a\n\ndata: %b\n\n" % word) for word in (b"?", b"!", b"y")]
        assert [same(one) for one in tries] == [False, False, True]


def test_a_failure_that_a_way_of_its_own_shows(isolation):
    rule = find_rule("delivery/prompt")
    target = deviating("late-dispatch")
    question = Question(b"event: x\ndata: a\n\ndata: b\n\n", tuple(range(1, 26)))
    small = shrunk(target, question, isolation, rule=rule)
    assert small.size < question.size
    assert difference(target, small, isolation, rule=rule).kind == difference(
        target, question, isolation, rule=rule
    ).kind == "late"  # fmt: skip


@pytest.fixture
def here(monkeypatch) -> Isolation:
    """Without children, as on a system that cannot fork."""
    monkeypatch.delattr(os, "fork")
    return Isolation(Limits(), forked=False)


def test_a_way_of_its_own_shows_the_failure_without_a_child_too(here):
    target = deviating("late-dispatch")
    question = Question(b"event: x\ndata: a\n\ndata: b\n\n", tuple(range(1, 26)))
    rule = find_rule("delivery/prompt")
    assert difference(target, question, here, rule=rule) == Difference("late", ())
    small = shrunk(target, question, here, rule=rule)
    assert small.size < question.size
    assert difference(target, small, here, rule=rule).kind == "late"
    with pytest.raises(ValueError, match="does with this stream what is expected"):
        difference(DeviatingTarget(ReferenceParser), question, here, rule=rule)


def test_a_hang_is_tried_again_without_a_child_too(here, monkeypatch):
    # A run that hangs takes its whole time: a tenth of it will do here.
    monkeypatch.setattr("chunkproof.isolation.judging._PATIENCE", 0.1)

    class Hangs(DeviatingTarget):
        def run(self, chunks):
            while b"?" in b"".join(chunks):
                pass
            return super().run(chunks)

    with Sameness(Hangs(ReferenceParser), Question(b"data: a?\n\n"), here) as same:
        assert same.difference == Difference("hung", ())
        assert same(Question(b"?"))
        assert not same(Question(b"data: a\n\n"))


def test_declared_deviations_are_no_failure(isolation):
    target = deviating("event-type-leaks+no-colon-ignored")
    target.deviations = ("no-colon-ignored",)
    with pytest.raises(ValueError, match="does with this stream what is expected"):
        difference(target, Question(b"data\n\n"), isolation)
    found = difference(target, Question(b"data\n\nevent: a\n\ndata: x\n\n"), isolation)
    assert ["no-colon-ignored", "event-type-leaks"] in names(found)


def test_a_target_that_is_right_is_refused_with_the_way_out(isolation):
    with pytest.raises(
        ValueError, match=r"reference does .* no failure to keep; name a target that fails on it, or none"
    ):
        Sameness(DeviatingTarget(ReferenceParser), Question(GREETING), isolation)


def test_a_target_that_cannot_be_fed_the_stream_is_refused(isolation):
    target = deviating("event-type-leaks")
    target.takes = "text"
    with pytest.raises(ValueError, match="cannot be fed this stream"):
        Sameness(target, Question(b"\xef\xbb\xbfdata: x\n\n"), isolation)


def test_when_the_time_is_up_nothing_is_the_same(isolation):
    target = deviating("event-type-leaks")
    with Sameness(target, Question(b"event: a\n\ndata: x\n\n"), isolation) as same:
        assert same(same.question)
        same.until = 0.0
        assert not same(same.question)


def test_it_comes_out_the_same_each_time(isolation):
    target = deviating("bom-not-stripped+event-type-leaks")
    question = Question(b"\xef\xbb\xbfdata\n\nevent: a\n\ndata: x\n\n", (3, 9))
    assert len({shrunk(target, question, isolation) for _ in "12"}) == 1


def test_an_asker_goes_on_behind_a_child_that_ended(isolation):
    class Deadly(DeviatingTarget):
        def run(self, chunks):
            if b"!" in b"".join(chunks):
                os._exit(3)
            return super().run(chunks)

    target = Deadly(ReferenceParser, "deadly")
    with Asking(target, isolation) as asker, at_peace():
        seen = [asker.ask(Question(b"data: %b\n\n" % word)) for word in (b"a", b"!", b"b")]
    assert [type(one.run.failure).__name__ for one in seen] == ["NoneType", "TargetDied", "NoneType"]
    assert [len(one.run.deliveries) for one in seen] == [1, 0, 1]
