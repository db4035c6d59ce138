"""Declared deviations, on the command line and in pyproject.toml: what is expected then, and what is said of it."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from chunkproof.baseline import baseline_text
from chunkproof.check import check, describe_target
from chunkproof.cli import main
from chunkproof.counterexample import Case, encode_token
from chunkproof.rules import RULES, find_rule
from chunkproof.settings import SettingsError, find_settings
from chunkproof_targets.contract import TargetError
from chunkproof_targets.declared import Declared
from chunkproof_targets.deviations import CATALOGUE
from chunkproof_targets.deviations.choices import CHOICES, declared_by
from chunkproof_targets.loading import load_target

SEEDS = range(3)
# Rules that measure take a second each, and so do the largest streams: no outcome depends on them.
QUICK = [rule for rule in RULES if rule.examine is None and "-mib" not in rule.id]
PROFILE = ("end-of-stream=dispatch", "id=per-event")

LENIENT = '''
import codecs
import re


class Parser:
    """As many clients do: a block that the end cuts off is dispatched, and an ID belongs to its own event."""

    def __init__(self):
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.pieces, self.at_start = [], True
        self.data, self.type, self.id = [], "", ""

    def feed(self, chunk):
        return self.read(self.decoder.decode(chunk), "\\r\\n|\\n|\\r(?!$)")

    def close(self):
        return self.read(self.decoder.decode(b"", True), "\\r\\n|\\n|\\r") + self.dispatch()

    def read(self, text, line_end):
        if self.at_start and text:
            self.at_start = False
            text = text.removeprefix("\\ufeff")
        self.pieces.append(text)
        if text and not re.search("[\\r\\n]", "".join(self.pieces[-2:])):
            return []
        *lines, rest = re.split(line_end, "".join(self.pieces))
        self.pieces = [rest]
        return [event for line in lines for event in self.line(line)]

    def line(self, line):
        if not line:
            return self.dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self.data.append(value)
        elif name == "event":
            self.type = value
        elif name == "id" and "\\0" not in value:
            self.id = value
        return []

    def dispatch(self):
        event = {"type": self.type or "message", "data": "\\n".join(self.data), "id": self.id}
        events = [event] if self.data else []
        self.data, self.type, self.id = [], "", ""
        return events
'''


def section(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(f"[tool.chunkproof]\n{text}\n")
    return folder


def red(target, rules=QUICK, seed=None):
    """The rules that fail at least effort."""
    results = check(target, "smoke", seed=seed, rules=rules).rules
    return [rule.id for rule in results if rule.fails or rule.status == "fault"]


# What is expected ----------------------------------------------------------------------------------------------------


@pytest.fixture
def lenient(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lenient.py").write_text(LENIENT)

    def load(*names: str):
        return load_target("./lenient.py:Parser", folder=tmp_path, declared=declared_by(names))

    return load


def test_a_lenient_parser_is_green_with_its_profile(lenient):
    assert {seed: red(lenient(*PROFILE), seed=seed) for seed in SEEDS} == {seed: [] for seed in SEEDS}


def test_with_a_part_of_its_profile_it_is_red_for_the_rest(lenient):
    rules = [find_rule(name) for name in ("end/an-unfinished-event-is-discarded", "ids/ids-persist", "lines/crlf")]
    assert red(lenient("end-of-stream=dispatch"), rules) == ["ids/ids-persist"]
    assert red(lenient("id=per-event"), rules) == ["end/an-unfinished-event-is-discarded"]
    assert red(lenient(), rules) == ["end/an-unfinished-event-is-discarded", "ids/ids-persist"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("bom-not-stripped", "bytes/mark-removed"),
        ("crlf-split-chunks", "lines/crlf-cut"),
        ("eof-incomplete-dispatched", "end/an-unfinished-event-is-discarded"),
        ("utf8-strict", "bytes/ill-formed-is-replaced"),
    ],
)
def test_who_declares_what_it_does_not_do_is_red(name, rule):
    rules = [each for each in RULES if each.chapter == rule.partition("/")[0] and each.examine is None]
    found = red(load_target("reference", folder=Path.cwd(), declared=Declared(deviations=(name,))), rules)
    assert found, f"{name} is declared, the reference does as the standard, and nothing of {rule} is red"


def test_a_profile_that_depends_on_the_cuts_is_green_seed_after_seed():
    declared = Declared(deviations=("crlf-split-chunks",))
    target = load_target("deviation:crlf-split-chunks", folder=Path.cwd(), declared=declared)
    assert {seed: red(target, seed=seed) for seed in SEEDS} == {seed: [] for seed in SEEDS}


def some_rules(name: str):
    """Five, by chance that is the same everywhere."""
    return sorted(QUICK, key=lambda rule: zlib.crc32(f"{name} {rule.id}".encode()))[:5]


DECLARABLE = [entry for entry in CATALOGUE if not entry.shows_in and not entry.carries]


@pytest.mark.parametrize("entry", DECLARABLE, ids=lambda entry: entry.name)
def test_each_deviation_as_a_profile_of_itself_is_no_alarm(entry):
    declared = declared_by([entry.name])
    target = load_target(f"deviation:{entry.name}", folder=Path.cwd(), declared=declared)
    assert red(target, some_rules(entry.name)) == []


# The names -----------------------------------------------------------------------------------------------------------


def test_choices_stand_for_deviations_or_for_what_can_be_declared_already():
    assert declared_by(["end-of-stream=dispatch,id=per-event"]).deviations == (
        "eof-incomplete-dispatched",
        "id-per-event",
    )
    assert declared_by(["invalid_utf8=strict", "size-limit=65536"]) == Declared(
        size_limit=65536, invalid_utf8="strict", deviations=()
    )


def test_the_choice_of_the_standard_declares_nothing():
    own = [f"{key}={next(iter(values))}" for key, values in CHOICES.items()]
    assert declared_by(own) == Declared(deviations=())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bom-not-striped", "near it: bom-not-stripped"),
        ("end-of-stream=drop", "end-of-stream is one of discard, dispatch: for instance end-of-stream=dispatch"),
        ("size-limit=much", "size_limit is a number of bytes"),
        ("id=persistent,id=per-event", "id=persistent and id=per-event contradict one another"),
        ("data-in-a-class-attribute", "cannot be declared"),
        ("crlf-required,cr-removed,lf-not-supported,crlf-not-supported", "cannot be combined"),
    ],
)
def test_names_that_cannot_be_declared_say_why(name, said):
    with pytest.raises(TargetError, match=said):
        declared_by([name])


# pyproject.toml ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('targets = "a"', "targets = 'a': there is no such key; they are target, deviations, effort, baseline"),
        ("target = 1", 'target = 1: it is a text: target = "mypkg.parser"'),
        ('deviations = "bom-not-stripped"', "deviations = 'bom-not-stripped': it is a list of texts"),
        ('deviations = ["bom-kept-not"]', "deviations = ['bom-kept-not']: 'bom-kept-not' is no deviation"),
        ('effort = "much"', "effort = 'much': it is one of smoke, default, deep"),
        ("baseline = true", "baseline = True: it is the name of a file"),
    ],
)
def test_what_a_pyproject_cannot_say_names_file_key_value_and_way_out(tmp_path, text, said):
    with pytest.raises(SettingsError) as caught:
        find_settings(section(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path.resolve() / 'pyproject.toml'}, [tool.chunkproof]: {said}")


def test_a_pyproject_that_is_no_toml_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"pyproject\.toml cannot be read: "):
        find_settings(section(tmp_path, "target"))


def test_the_nearest_pyproject_with_the_section_counts(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    settings = find_settings(section(tmp_path, 'target = "x"') / "a" / "b")
    assert (settings.target, settings.path) == ("x", tmp_path.resolve() / "pyproject.toml")


def test_its_deviations_hold_for_its_own_target_or_for_any_where_it_names_none(tmp_path):
    settings = find_settings(section(tmp_path, 'target = "my_parser"\ndeviations = ["bom-not-stripped"]'))
    assert settings.declared("my-parser", None, Declared()).deviations == ("bom-not-stripped",)
    assert settings.declared("other", None, Declared()).deviations is None
    settings = find_settings(section(tmp_path, 'deviations = ["bom-not-stripped"]'))
    assert settings.declared("other", None, Declared()).deviations == ("bom-not-stripped",)
    assert settings.declared("other", ["id=persistent"], Declared()).deviations == (), "the command line wins"


# Runs ----------------------------------------------------------------------------------------------------------------

MARK = "chunkproof::bytes/mark-removed"


@pytest.fixture(scope="module")
def configured(make_folder):
    """A folder with a target and its profile in its pyproject.toml, and a test of its own."""
    folder = make_folder(lenient=LENIENT, test_own="def test_own():\n    pass\n")
    return section(folder, f'target = "./lenient.py:Parser"\ndeviations = {json.dumps(PROFILE)}\neffort = "smoke"')


def test_the_flag_runs_the_configured_target_and_says_what_it_declares(configured, run):
    ran = run(configured, "--chunkproof", "-n2", "--chunkproof-report=report.json")
    assert ran.code == 0, ran.all
    said = "with 2 declared deviations: eof-incomplete-dispatched, id-per-event"
    assert f"  {said}" in ran.out.partition("= chunkproof =")[0], "the header says it"
    assert f"  conformant {said}\n" in ran.out
    assert ran.report()["targets"][0]["declared"] == ["eof-incomplete-dispatched", "id-per-event"]
    assert ran.report()["effort"] == "smoke"


def test_a_plain_run_is_what_it_was_whatever_the_section_says(configured, run):
    ran = run(configured, "-p", "no:cacheprovider")
    assert ran.counts() == {"passed": 1}
    assert "chunkproof" not in ran.out.replace("plugins: ", "").partition("collected")[2]


def test_a_pasted_id_takes_the_configured_target(configured, run):
    ran = run(configured, "chunkproof::ids/ids-persist", "chunkproof::lines/lf", "-n2")
    assert ran.counts() == {"passed": 2}, ran.all
    assert "target: ./lenient.py:Parser" in ran.out


def test_a_run_from_a_folder_below_finds_the_same_target(configured, run):
    below = configured / "below"
    below.mkdir(exist_ok=True)
    ran = run(below, "chunkproof::ids/ids-persist")
    assert ran.counts() == {"passed": 1}, ran.all


def test_another_target_has_no_part_in_its_deviations(configured, run):
    ran = run(configured, "--target=parsers:Good", "chunkproof::ids/ids-persist")
    assert ran.counts() == {"passed": 1}, ran.all
    assert "declared" not in ran.out


def test_the_command_line_wins_and_can_be_repeated(configured, run):
    ran = run(configured, "--chunkproof", "--chunkproof-deviations=id=persistent", "chunkproof::ids/ids-persist")
    assert ran.counts() == {"failed": 1}
    assert "declared" not in ran.out
    both = ("--chunkproof-deviations=id=per-event", "--chunkproof-deviations=bom-not-stripped")
    ran = run(configured, "--chunkproof", *both, "chunkproof::ids/ids-persist")
    assert "with 2 declared deviations: id-per-event, bom-not-stripped" in ran.out


def test_what_is_given_to_a_run_is_given_to_its_next_commands(folder, run):
    ran = run(folder, "--target=parsers:Good", "--effort=smoke", "--chunkproof-deviations=bom-not-stripped", MARK)
    assert ran.counts() == {"failed": 1}, "it does as the standard"
    said = (
        "the reference parser gives with the declared deviation (bom-not-stripped). Declare only what the parser does."
    )
    assert said in " ".join(ran.out.split())
    assert f"next: pytest --target=parsers:Good --chunkproof-deviations=bom-not-stripped {MARK}\n" in ran.out
    assert " --target parsers:Good --deviations bom-not-stripped\n" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--chunkproof"], "--chunkproof: say which parser it is to judge: --target=SPEC, or target = "),
        (["chunkproof::lines/lf"], "chunkproof::lines/lf is a rule of chunkproof: say which parser it is to judge"),
        (["--chunkproof-deviations=bom-not-stripped"], "--chunkproof-deviations: there is no target to judge"),
        (["--target=parsers:Good", "--chunkproof-deviations=no"], "--chunkproof-deviations=no: 'no' is no deviation"),
    ],
)
def test_runs_that_cannot_be_say_what_is_missing(folder, run, arguments, said):
    ran = run(folder, *arguments)
    assert ran.code == 4
    assert said in ran.all
    assert "Traceback" not in ran.all


def test_a_pyproject_that_cannot_be_used_is_one_error_and_no_traceback(make_folder, run, chunkproof):
    folder = section(make_folder(), "targets = 1")
    for ran in (run(folder, "--chunkproof"), chunkproof(folder, "replay", encode_token(IDS))):
        assert ran.code in (2, 4)
        assert "[tool.chunkproof]: targets = 1: there is no such key" in ran.err
        assert "Traceback" not in ran.all
    assert run(folder, "--collect-only").code == 5, "nobody asked for the suite"


# Replay --------------------------------------------------------------------------------------------------------------

IDS = Case("ids/ids-persist", "bytes", ((b"id: 1\ndata: a\n\ndata: b\n\n", ()),))


def replayed(*arguments: str):
    return CliRunner().invoke(main, ["replay", encode_token(IDS), *arguments])


def test_replay_takes_the_configured_target_and_its_profile(configured, monkeypatch):
    monkeypatch.chdir(configured)
    done = replayed()
    assert (done.exit_code, done.output) == (
        0,
        "ids/ids-persist: ./lenient.py:Parser does as the standard with what it declares (eof-incomplete-dispatched, "
        "id-per-event) on this stream\n",
    )
    done = replayed("--deviations", "end-of-stream=dispatch")
    assert done.exit_code == 1
    assert done.output.endswith(" --target ./lenient.py:Parser --deviations end-of-stream=dispatch\n")


def test_replay_without_any_target_says_where_to_name_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = replayed()
    assert done.exit_code == 2
    assert "--target=SPEC, or target = " in done.output


def test_a_record_of_a_target_says_what_is_declared_by_key_and_value_too():
    declared = Declared(size_limit=64).over(declared_by(["bom-not-stripped"]))
    target = load_target("reference", folder=Path.cwd(), declared=declared)
    assert describe_target(target).declared == ("bom-not-stripped", "size_limit=64")


# Known failures ------------------------------------------------------------------------------------------------------

BROKEN = ("chunkproof::bytes/mark-removed", "chunkproof::ids/ids-persist", "chunkproof::lines/lf")
PARTS = "deviation:bom-not-stripped+id-per-event"


@pytest.fixture(scope="module")
def with_baseline(make_folder):
    """A folder with known failures of the three rules, and with a pyproject.toml that names the file."""
    folder = make_folder()
    target = load_target(PARTS, folder=folder)
    results = check(target, "smoke", rules=[find_rule(name.partition("::")[2]) for name in BROKEN])
    (folder / "known.json").write_text(baseline_text(results))
    return section(folder, f'target = "{PARTS}"\nbaseline = "known.json"\neffort = "smoke"')


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_known_failures_do_not_fail_a_run_and_are_told(with_baseline, run, workers):
    ran = run(with_baseline, "--chunkproof", *BROKEN, *workers, "-rx", "--chunkproof-report=report.json")
    assert ran.code == 0, ran.all
    assert ran.counts() == {"passed": 1, "xfailed": 2}
    assert "  known failures in known.json" in ran.out
    assert "  not conformant: 2 known failures (baseline known.json), no new ones\n" in ran.out
    assert "XFAIL chunkproof::ids/ids-persist - known: changed (known.json)" in ran.out
    assert sorted(rule["status"] for rule in ran.report()["rules"]) == ["held", "known", "known"]


def test_a_new_failure_fails_the_run(with_baseline, run):
    path = with_baseline / "less.json"
    content = json.loads((with_baseline / "known.json").read_text())
    path.write_text(json.dumps({**content, "rules": content["rules"][:1]}))
    ran = run(with_baseline, "--chunkproof", "--chunkproof-baseline=less.json", *BROKEN, "--chunkproof-diagnosis=none")
    assert ran.code == 1
    assert ran.counts() == {"passed": 1, "xfailed": 1, "failed": 1}
    assert "  not conformant: 1 known failure (baseline less.json), 1 new\n" in ran.out
    assert f"next: pytest --target={PARTS} --chunkproof-baseline=less.json {BROKEN[1]}\n" in ran.out


def test_a_mended_one_fails_the_run_until_it_is_removed(with_baseline, run):
    mended = "deviation:id-per-event"
    content = json.loads((with_baseline / "known.json").read_text())
    (with_baseline / "mended.json").write_text(json.dumps({**content, "target": mended}))
    ran = run(with_baseline, f"--target={mended}", "--chunkproof-baseline=mended.json", *BROKEN)
    assert ran.code == 1
    assert ran.counts() == {"passed": 1, "xfailed": 1, "failed": 1}
    said = "stale, remove it from mended.json (`chunkproof baseline` writes it anew)"
    assert f"FAILED {BROKEN[0]} - {said}"[:90] in ran.out
    assert said in ran.out.partition("= FAILURES =")[2].partition("= chunkproof =")[0]
    assert "A fault of chunkproof" not in ran.out


def test_the_baseline_of_the_configured_target_is_not_that_of_another(with_baseline, run):
    ran = run(with_baseline, "--target=parsers:Good", *BROKEN)
    assert ran.counts() == {"passed": 3}, ran.all
    assert "known" not in ran.out
    ran = run(with_baseline, "--target=parsers:Good", "--chunkproof-baseline=known.json")
    assert ran.code == 4
    assert f"known.json holds what is known of {PARTS}, and not of parsers:Good" in ran.all
