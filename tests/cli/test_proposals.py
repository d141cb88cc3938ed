"""After work in a folder the person is asked what of it to remember; what they keep is told to the next run there."""

from __future__ import annotations

import json
import shutil

import pytest
import typer

import evolve
from evolve.cli.proposals import ProposalReply, apply_decision, ask_about_proposals, ask_each, offer_rule
from evolve.cli.render.activities import show_activities
from evolve.cli.render.live_line import RedrawInterval
from evolve.cli.render.memory import describe_scope
from evolve.core.ledger import Budget, Ledger
from evolve.core.progress import report_activity
from evolve.memory.preferences import Preference, PreferenceContext
from evolve.tasks import folder_task
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, schema_of
from evolve.workspace import Person, PersonAct
from tests.cli.chat_terminal import Terminal

BY_HAND = RedrawInterval(after=0.0, every=3600.0, lines=(0.0, 3600.0))
CHECK = "python3 test_total.py"
RULE = "The tests stay as they are."
TASK = "Make total add up. Leave the tests alone."
FIX = "So.\n```file total.py\ndef total(xs):\n    return sum(xs)\n```\n```done\n```\n"
MORE = "So.\n```file mean.py\ndef mean(xs):\n    return sum(xs) / len(xs)\n```\n```done\n```\n"
MEMORY = {"kind": "rule", "text": RULE, "quote": "Leave the tests alone"}


class Worker:
    """Fixes what is asked, and brings up what it is given when it is asked what to remember."""

    def __init__(self, *memories):
        self.memories = memories

    def answer(self, body):
        prompt = prompt_of(body)
        schema = schema_of(body, prompt)
        if schema:
            asked_for = schema["properties"]
            said = {name: [] if asked_for[name]["type"] == "array" else "" for name in asked_for}
            return json.dumps(said | ({"memories": self.memories} if "memories" in said else {}))
        return FIX if "Task: Make total" in prompt else MORE


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Where every test finds its folder and its workspace."""
    return tmp_path_factory.mktemp("proposals") / "place"


@pytest.fixture(scope="module")
def kept():
    """What came of the runs that tests begin with, and copies of the place after them."""
    return {}


@pytest.fixture
def project(cli, place, failing_project, monkeypatch):
    """A folder as no run has seen it, beside a workspace that is yet to be made."""
    shutil.rmtree(place, ignore_errors=True)
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(place / "ws"))
    return shutil.copytree(failing_project, place / "project")


@pytest.fixture
def work(cli, project, place, kept):
    """Runs a task in the folder; gives what was printed, and the prompts.

    Where a test begins with the same run as one before it, the place is put in the state that the run left.
    """
    untouched = contents(project)

    def run(text, *memories, options=("--yes",), check=CHECK):
        is_first = not (place / "ws").exists() and contents(project) == untouched
        key = json.dumps([text, memories, options, check])
        if is_first and key in kept:
            result, saved = kept[key]
            shutil.rmtree(place)
            shutil.copytree(saved, place)
            evolve.init(place / "ws", trust=True)
            return result
        with ScriptedEndpoint(double=Worker(*memories)) as serving:
            checks = ("--check", check) if check else ()
            done = cli("run", text, "--dir", project, "--model", serving.model, *checks, *options)
            result = done, [prompt_of(body) for body in serving.requests]
        if is_first:
            kept[key] = result, shutil.copytree(place, place.with_name(f"saved{len(kept)}"))
        return result

    return run


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def proposals(cli):
    return json.loads(cli("memory", "proposals", "--json").out)


def test_a_script_is_asked_nothing_and_an_untouched_proposal_is_told_to_no_run(work, cli):
    done, _ = work(TASK, MEMORY)
    assert done.code == 0 and RULE in done.err and "nothing new" not in done.out
    rule, check = sorted(proposals(cli), key=lambda one: one["description"])
    assert (rule["description"], rule["status"], rule["acts"][0]["kind"]) == (RULE, "proposed", "rule")
    assert "Leave the tests alone" in rule["acts"][0]["text"] and rule["acts"][0]["run"] == "r1"
    assert check["acts"][0]["kind"] == "tests" and CHECK in check["description"]
    why = json.loads(cli("why", "r1", "--json").out)
    assert sorted(one["text"] for one in why["suggested"]) == sorted([RULE, check["description"]])
    assert "learned: nothing" not in cli("why", "r1").out
    again, prompts = work("Add a mean.")
    assert not any(RULE in prompt for prompt in prompts) and "used " not in again.out


def test_why_says_what_became_of_each_thing_that_a_run_brought_up(work, cli):
    work(TASK, MEMORY, {"kind": "rule", "text": "Total adds up.", "quote": "Make total add up"})
    for name, action in ((RULE, "keep"), ("Total adds up.", "no")):
        cli("memory", "proposals", action, next(one["id"] for one in proposals(cli) if one["description"] == name))
    found = {one["text"]: one["status"] for one in json.loads(cli("why", "r1", "--json").out)["suggested"]}
    assert sorted(found.values()) == ["active", "declined", "proposed"]
    assert (found[RULE], found["Total adds up."]) == ("active", "declined")
    lines = cli("why", "r1").out.splitlines()
    assert [line.partition(":")[0] for line in lines if RULE in line] == ["kept"]
    assert [line.partition(":")[0] for line in lines if "Total adds up." in line] == ["not kept"]
    assert [line.partition(":")[0] for line in lines if f"`{CHECK}`" in line] == ["waiting"]


def test_what_is_kept_is_told_to_the_next_run_there_which_says_so(work, cli, project):
    work(TASK, MEMORY)
    rule = next(one for one in proposals(cli) if one["description"] == RULE)
    kept = json.loads(cli("memory", "proposals", "keep", rule["id"][:8], "--json").out)
    assert (kept["status"], [one["folder"] for one in kept["contexts"]]) == ("active", [str(project)])
    done, prompts = work("Add a mean.")
    assert f"{RULE} (kept by" in prompts[0]
    assert "used " not in done.out  # it was told; nothing shows that the answer rests on it
    result = json.loads(work("Add a mean once more.", options=("--yes", "--json"))[0].out)
    assert [(one["name"], one["kind"]) for one in result["remembered"]] == [(RULE, "preference")]
    with evolve.open(read_only=True) as opened:
        [row] = [one for one in opened.memory.kept() if one.text == RULE]
    # When a run began is on record by the second, so the first one may count as well.
    assert (row.shown, row.tested) == (2, "") and row.runs in (2, 3)


def test_a_kept_fact_takes_no_protection_from_the_file_that_it_names(work, cli):
    _, [before, *_] = work(TASK, MEMORY)
    for one in proposals(cli):
        cli("memory", "proposals", "keep", one["id"])
    done, [after, *_] = work("Add a mean.")
    assert CHECK in after  # the fact is told
    protected = "a change to them is not taken: test_total.py"
    assert protected in before and protected in after
    line = next(line for line in done.err.splitlines() if line.startswith("recall"))
    assert "1 preference, 1 fact" in line and line.index(RULE.rstrip(".")) < line.index(CHECK)


def test_the_list_of_what_is_remembered_holds_what_was_kept_and_what_waits(work, cli, project):
    work(TASK, MEMORY)
    rule = next(one for one in proposals(cli) if one["description"] == RULE)
    cli("memory", "proposals", "keep", rule["id"])
    listed = json.loads(cli("memory", "list", "--json").out)["preferences"]
    assert sorted(one["status"] for one in listed) == ["active"]
    fact = next(one["id"] for one in proposals(cli))
    cli("memory", "proposals", "keep", fact)
    lines = cli("memory", "list").out.splitlines()
    assert {line.split()[0]: line.split()[1] for line in lines} == {"preference": rule["id"][:8], "fact": fact[:8]}
    assert all(any(one["id"][:8] in line and one["description"] in line for line in lines) for one in listed)
    assert not any(one["id"][:8] in cli("memory", "list", "--status", "confirmed").out for one in listed)


def test_it_holds_in_its_folder_alone_unless_it_is_kept_everywhere(work, cli, project, tmp_path):
    work(TASK, MEMORY)
    name = next(one["id"] for one in proposals(cli) if one["description"] == RULE)
    other = tmp_path / "other"
    other.mkdir()
    with evolve.open() as opened:
        opened.preferences.confirm(name)
        assert opened.preferences.for_context("Add a mean.", folder=str(project))
        assert opened.preferences.for_context("Add a mean.", folder=str(other)) == []
        opened.preferences.edit(name, contexts=())
        assert opened.preferences.for_context("Add a mean.", folder=str(other))


def test_what_is_kept_for_a_folder_holds_there_whatever_kind_of_file_it_names(work, cli, project):
    listed = {"kind": "rule", "text": "Every change gets a line in docs/changes.md.", "quote": "List each change there"}
    work("Make total add up. List each change there, in docs/changes.md.", listed)
    [name] = [one["id"] for one in proposals(cli) if "docs" in one["description"]]
    with evolve.open() as opened:
        opened.preferences.confirm(name)
        found = opened.preferences.for_context("Add a function that gives the mean.", folder=str(project))
        assert [one.id for one in found] == [name]


def test_what_was_declined_or_is_known_is_not_proposed_again_and_learning_says_why(work, cli):
    work(TASK, MEMORY)
    for one in proposals(cli):
        assert cli("memory", "proposals", "no", one["id"]).code == 0
    done, _ = work("Make total add up, again. Leave the tests alone.", MEMORY)
    assert proposals(cli) == []
    assert "nothing new: " in done.out
    assert cli("memory", "proposals", "keep", "no-such-id").code == 2
    assert all(one["status"] != "declined" for one in json.loads(cli("memory", "preferences", "list", "--json").out))


def test_what_was_decided_in_one_folder_decides_nothing_in_another(work, cli, project, tmp_path):
    other = shutil.copytree(project, tmp_path / "other")
    work(TASK, MEMORY)
    kept, declined = (
        next(one["id"] for one in proposals(cli) if one["acts"][0]["kind"] == kind) for kind in ("tests", "rule")
    )
    cli("memory", "proposals", "keep", kept)
    cli("memory", "proposals", "no", declined)
    with ScriptedEndpoint(double=Worker(MEMORY)) as serving:
        cli("run", TASK, "--dir", other, "--model", serving.model, "--check", CHECK, "--yes")
    assert [one["acts"][0]["kind"] for one in proposals(cli)] == ["tests", "rule"]
    assert {context["folder"] for one in proposals(cli) for context in one["contexts"]} == {str(other)}


def test_what_the_person_says_elsewhere_keeps_no_proposal_of_a_folder(work, cli, project, tmp_path):
    work(TASK, MEMORY)
    elsewhere = PreferenceContext(folder=str(tmp_path / "elsewhere"))
    with evolve.open() as opened:
        opened.preferences.add(RULE, context=elsewhere)
        assert opened.preferences.for_context("Add a mean.", folder=elsewhere.folder)
        assert opened.preferences.for_context("Add a mean.", folder=str(project)) == []
    assert RULE in [one["description"] for one in proposals(cli)]


def test_it_is_kept_in_the_persons_words(work, cli):
    work(TASK, MEMORY)
    name = next(one["id"] for one in proposals(cli) if one["description"] == RULE)
    cli("memory", "proposals", "edit", name, "Tests change only where I say so.", "--everywhere")
    listed = json.loads(cli("memory", "preferences", "list", "--json").out)
    [kept] = [one for one in listed if one["status"] == "active"]
    assert (kept["description"], kept["contexts"]) == ("Tests change only where I say so.", [])
    assert cli("memory", "proposals", "edit", name).code == 2
    assert cli("memory", "proposals", "keep", name).code == 2  # nothing of it waits


def test_the_same_request_in_two_tasks_is_proposed_in_the_persons_words_without_a_model(work, cli):
    work("Add a mean. List every change in changes.txt.", check="")
    assert proposals(cli) == []
    work("Make total add up. List every change in changes.txt.", check="")
    [one] = proposals(cli)
    assert (one["description"], one["acts"][0]["kind"]) == ("List every change in changes.txt.", "repeated")


def test_what_the_person_says_against_it_later_wins(work, cli, project):
    work(TASK, {**MEMORY, "text": "The tests are left alone."})
    name = next(one["id"] for one in proposals(cli) if "left alone" in one["description"])
    with evolve.open() as opened:
        opened.preferences.confirm(name)
        opened.preferences.add("The tests are not left alone.")
        assert opened.preferences.show(name).status == "superseded"


def test_a_text_with_a_secret_of_the_folder_is_left_out(work, cli, project):
    (project / ".env").write_text("SHOP_TOKEN=vK83hsQpLw92xTzR\n")
    work(TASK, {**MEMORY, "text": "The tests stay as vK83hsQpLw92xTzR says."})
    assert [one["acts"][0]["kind"] for one in proposals(cli)] == ["tests"]


def test_the_reason_of_a_refusal_waits_where_nobody_is_there_and_holds_once_it_is_kept(work, cli):
    work(TASK, options=())
    assert "no prints, use logging" in cli("runs", "answer", "r1", "no prints, use logging").err
    name = next(one["id"] for one in proposals(cli) if one["description"] == "no prints, use logging")
    assert json.loads(cli("memory", "proposals", "keep", name, "--everywhere", "--json").out)["contexts"] == []
    done, prompts = work("Add a mean.")
    assert "no prints, use logging" in prompts[0] and "used " not in done.out


def test_what_a_turn_of_a_conversation_taught_is_asked_with_the_turns_before_it(chat, project):
    with ScriptedEndpoint(double=Worker()) as serving:
        ways = ("--dir", project, "--check", CHECK, "--model", serving.model, "--set", "approve=auto")
        done = chat(TASK, "Now add a mean.", options=ways)
        asked = [prompt_of(body) for body in serving.requests if "memories" in prompt_of(body)]
    assert done.code == 0 and len(asked) == 2
    assert TASK not in asked[1].partition("Now add a mean.")[2] and f"asked: {TASK}" in asked[1]


def refused(cli, reason):
    """Refuses the change of the first run; gives what waits because of that."""
    cli("runs", "answer", "r1", reason)
    [one] = [one for one in proposals(cli) if one["acts"][0]["kind"] == "refusal"]
    return one["id"]


@pytest.mark.parametrize(
    ("reason", "everywhere", "here", "elsewhere"),
    [
        ("Every option is listed in the README.", False, True, False),
        ("A summary of a mail has three bullet points.", False, True, False),
        ("no prints, use logging", True, True, True),
        ("no prints in this change", False, False, False),
    ],
)
def test_yes_keeps_what_was_said_at_a_refusal_for_all_work_in_the_folder(
    work, cli, project, reason, everywhere, here, elsewhere
):
    work(TASK, options=())
    name = refused(cli, reason)
    with evolve.open() as opened:
        kept = apply_decision(opened, ProposalReply(proposal=name, keep=True, everywhere=everywhere))
        for task in ("Write a function that gives the mean.", "Add an option --chars."):
            assert bool(opened.preferences.for_context(task, folder=str(project))) == here
            assert bool(opened.preferences.for_context(task)) == elsewhere
    assert kept.status == "active"
    where = f"for {describe_scope(kept)}"
    assert where in cli("memory", "list").out and where in cli("why", name[:8]).out


def test_every_rule_of_a_folder_is_told_and_known_to_learning(work, cli, project):
    work(TASK)
    with evolve.open() as opened:
        rules = [f"Each {thing} has a note beside it." for thing in ("table", "chart", "map", "photo", "poem", "mail")]
        for rule in rules:
            opened.preferences.add(rule, context=PreferenceContext(folder=str(project)))
    _, prompts = work("Add a mean.")
    asked = next(prompt for prompt in prompts if "memories" in prompt)
    assert all(rule in asked.partition("Known already")[2] for rule in rules)
    assert all(rule in prompts[0] for rule in rules)


def test_what_is_said_again_where_it_does_not_hold_yet_is_offered_for_there(work, cli, project):
    with evolve.open() as opened:
        narrow = PreferenceContext(instruction="Draw a map of the harbour")
        opened.preferences.add("The tests are left alone.", context=narrow)
    work(TASK, {**MEMORY, "text": "The tests are always left alone."})
    [wider] = [one for one in proposals(cli) if one["acts"][0]["kind"] != "tests"]
    assert wider["description"] == "The tests are left alone."
    cli("memory", "proposals", "keep", wider["id"])
    with evolve.open(read_only=True) as opened:
        [told] = opened.preferences.for_context("Add a mean.", folder=str(project))
    assert told.id == wider["id"]


def test_what_the_person_says_against_what_is_in_force_is_offered_and_wins_once_kept(work, cli, project):
    with evolve.open() as opened:
        older = opened.preferences.add("The tests are left alone.", context=PreferenceContext(folder=str(project)))
    said = {"kind": "rule", "text": "The tests are not left alone.", "quote": "The tests are not left alone"}
    work("Make total add up. The tests are not left alone.", said)
    [newer] = [one["id"] for one in proposals(cli) if one["acts"][0]["kind"] == "rule"]
    cli("memory", "proposals", "keep", newer)
    with evolve.open(read_only=True) as opened:
        assert opened.preferences.show(older.id).successor == newer


def test_a_check_that_passed_before_is_offered_once_as_a_fact_and_told_as_one(work, cli, project):
    (project / "fine.py").write_text("print('fine')")
    check = "python3 fine.py"
    work("Add a mean.", check=check)
    [fact] = proposals(cli)
    assert check in fact["description"] and fact["acts"][0]["kind"] == "tests"
    work("Add a mean once more.", check=check)
    assert [one["id"] for one in proposals(cli)] == [fact["id"]]
    cli("memory", "proposals", "keep", fact["id"])
    prompt = work("Add a mean again.", check=check)[1][0]
    before = prompt.partition(fact["description"])[0]
    assert before.count("<data ") == before.count("</data ") + 1  # material, and no instruction
    assert "shown by run r1, confirmed by" in before[before.rindex("<data ") :]


def test_the_check_of_a_folder_is_offered_once_also_after_it_was_forgotten(work, cli, project, tmp_path):
    other = shutil.copytree(project, tmp_path / "project of another")
    work(TASK)
    [fact] = proposals(cli)
    cli("forget", fact["id"])
    work("Add a mean.")
    assert proposals(cli) == []
    with ScriptedEndpoint(double=Worker()) as serving:
        cli("run", TASK, "--dir", other, "--model", serving.model, "--check", CHECK, "--yes")
    assert [context["folder"] for one in proposals(cli) for context in one["contexts"]] == [str(other)]


def test_what_the_model_brought_up_in_vain_is_shown_with_its_reason(work, cli):
    work(TASK, {**MEMORY, "quote": "leave every test alone"})
    why = json.loads(cli("why", "r1", "--json").out)
    assert why["not_offered"] == [{"reason": "quote", "text": RULE}]
    assert RULE in cli("why", "r1").out


def test_the_reason_of_a_refusal_that_holds_once_is_not_offered(work, cli):
    work(TASK, options=())
    assert "test_total" not in cli("runs", "answer", "r1", "do not touch test_total.py in this change").err


def test_the_model_is_told_that_the_change_was_refused_and_why(project, tmp_path):
    reason = "Functions that sum have one line, not two."
    memory = {"kind": "rule", "text": "A function that sums has one line.", "quote": "Functions that sum have one line"}
    with ScriptedEndpoint(double=Worker(memory)) as serving:
        with evolve.open(tmp_path / "ws", model=serving.model) as opened:
            task = folder_task(TASK, project, CHECK)
            result = opened.run(task, person=Person(respond=lambda question: reason))
        [asked] = [prompt_of(body) for body in serving.requests if "memories" in prompt_of(body)]
    assert result.patch.state == "refused"
    assert reason in asked and "refused" in asked.rpartition("accepted")[2]


@pytest.mark.parametrize(
    ("memory", "dropped"),
    [
        ({**MEMORY, "quote": "leave every test alone"}, {"quote": 1}),
        ({**MEMORY, "text": "The tests stay as vK83hsQpLw92xTzR says."}, {"secret": 1}),
        (MEMORY, {}),
    ],
)
def test_what_is_not_offered_is_counted_with_why(work, cli, project, memory, dropped):
    (project / ".env").write_text("SHOP_TOKEN=vK83hsQpLw92xTzR\n")
    learning = json.loads(work(TASK, memory, options=("--yes", "--json"))[0].out)["learning"]
    assert learning.get("dropped", {}) == dropped
    assert json.loads(cli("why", "r1", "--json").out)["dropped"] == dropped


def test_what_was_declined_is_counted_as_nothing_new(work, cli):
    work(TASK, MEMORY)
    for one in proposals(cli):
        cli("memory", "proposals", "no", one["id"])
    work("Make total add up, again. Leave the tests alone.", MEMORY)
    assert json.loads(cli("why", "r2", "--json").out)["dropped"] == {"known": 1}


def test_where_the_budget_does_not_cover_the_question_it_says_so(work, cli, place):
    evolve.init(place / "ws")
    (place / "ws" / "evolve.toml").write_text("learn_share = 0.1\n")
    cli("trust", place / "ws")
    done, prompts = work(TASK, MEMORY, options=("--yes", "--json", "--budget", "30k-tokens"))
    learning = json.loads(done.out)["learning"]
    assert learning["unasked"] == "budget" and not any("memories" in prompt for prompt in prompts)


@pytest.mark.parametrize(
    ("typed", "decided"),
    [
        (["keep"], [(True, "", False)]),
        (["Everywhere."], [(True, "", True)]),
        (["edit Tests change only when I say so."], [(True, "Tests change only when I say so.", False)]),
        (["edit", "In my words."], [(True, "In my words.", False)]),
        (["yes, everywhere"], [(True, "", True)]),
        *(([text], [(True, "", False)]) for text in ("yes please", "Keep it!", "yep", "ok, keep that", "k")),
        *(([text], [(False, "", False)]) for text in ("no thanks", "nope", "No, thank you.", "don’t keep it", "nah")),
        (["keep it not"], [(False, "", False)]),
        *(([text], []) for text in ("", "not now", "later", "ask me later", "not sure yet")),
        (["yes but only for tests", "keep"], [(True, "", False)]),
        (["yes but only for tests", "no"], [(False, "", False)]),
        (["all of that is wrong", "it is wrong"], []),
        (["what does later mean", "/exit"], []),
        (["/exit"], []),
        (["no, keep it", ""], []),
        (["what?", None], []),
        (["edit", ""], []),
        ([None], []),
    ],
)
def test_what_is_typed_decides_and_what_cannot_be_understood_is_asked_about_once_more(typed, decided):
    answers = iter(typed)
    proposal = Preference(id="p", description=RULE, author="ann", status="proposed")
    found = ask_each([proposal], lambda question: next(answers), lambda text: None)
    assert [(one.keep, one.words, one.everywhere) for one in found] == decided
    assert next(answers, "asked all") == "asked all"


def test_status_counts_what_waits_and_a_chat_names_it_when_it_begins(work, cli, project, tmp_path):
    work(TASK, MEMORY)
    assert json.loads(cli("status", "--json").out)["proposed"] == 2
    assert "2 proposals" in cli("status").out
    rule = next(one for one in proposals(cli) if one["description"] == RULE)
    assert json.loads(cli("why", f"p-{rule['id'][:8]}", "--json").out)["id"] == rule["id"]


def test_a_command_typed_as_an_answer_leaves_what_is_left_to_ask_about():
    two = [Preference(id=name, description=RULE, author="ann", status="proposed") for name in ("p", "q")]
    asked = []
    assert ask_each(two, lambda question: asked.append(question) or "/exit", lambda text: None) == []
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("contexts", "said", "wider"),
    [
        ((PreferenceContext(folder="/here"),), "every task in this folder", "other folders"),
        ((PreferenceContext(family="words"),), "every question", "in folders"),
        ((PreferenceContext(instruction="Sum it up", folder="/here"),), "every task in this folder", "other folders"),
        ((), "every task", ""),
    ],
)
def test_the_choice_says_what_each_answer_covers_and_offers_no_wider_one_where_there_is_none(contexts, said, wider):
    proposal = Preference(id="p", description=RULE, author="ann", status="proposed", contexts=contexts)
    asked, shown = [], []
    ask_each([proposal], asked.append, shown.append, here="/here")
    assert said in shown[0] and wider in shown[0]
    assert ("everywhere" in asked[0], "everywhere" in shown[0]) == (bool(wider), bool(wider))


def test_what_was_said_at_a_refusal_and_declined_as_a_rule_is_not_suggested(project, tmp_path):
    reason = "Functions that sum have one line."
    memory = {"kind": "rule", "text": "A function that sums has one line.", "quote": reason.rstrip(".")}
    with ScriptedEndpoint(double=Worker(memory)) as serving:
        with (
            evolve.open(tmp_path / "ws", model=serving.model) as opened,
            opened.delivering(),
        ):
            opened.run(folder_task(TASK, project, CHECK), person=Person(respond=lambda question: reason))
            [wish] = opened.preferences.proposals()
            opened.preferences.decline(wish.id)
        with evolve.open(tmp_path / "ws", model=serving.model) as opened:
            [taught] = opened.learn()
            assert [one.suggestion.kind for one in opened.preferences.proposals()] == ["tests"]
    assert taught.dropped == {"known": 1}


def test_a_plain_no_to_a_change_is_no_reason_to_keep(work, cli):
    work(TASK, options=())
    cli("runs", "answer", "r1", "no thanks")
    assert [one["acts"][0]["kind"] for one in proposals(cli)] == ["tests"]


def test_no_live_line_is_drawn_over_the_question_what_to_remember(tmp_path, private_home, monkeypatch, capfd):
    evolve.init(tmp_path / "ws")
    with evolve.open(tmp_path / "ws") as opened, show_activities(BY_HAND) as line, report_activity("learn", "r1"):
        rule = opened.preferences.suggest(PersonAct(kind="comment", text=RULE))

        def typed(*_, **__):
            capfd.readouterr()
            line.refresh()
            assert capfd.readouterr().err == ""
            return "keep"

        monkeypatch.setattr(typer, "prompt", typed)
        ask_about_proposals(opened, [rule], attended=True)
        assert opened.preferences.show(rule.id).status == "active"


class Describing(Worker):
    """Puts what a person said into general words."""

    def answer(self, body):
        prompt = prompt_of(body)
        if "what they want or care about" in prompt:
            return json.dumps({"name": "sums", "description": "The person wants sums in one line."})
        return super().answer(body)


def test_the_reason_of_a_refusal_is_put_into_general_words_at_a_counted_cost(project, tmp_path, monkeypatch):
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: "yes")
    reason = "no, one line for a sum"
    with ScriptedEndpoint(double=Describing()) as serving, evolve.open(tmp_path / "ws", model=serving.model) as opened:
        with opened.delivering():
            result = opened.run(folder_task(TASK, project, CHECK), person=Person(respond=lambda question: reason))
        bounds = Ledger(Budget())
        offer_rule(opened, result.patch, bounds, attended=True)
        [kept] = opened.preferences.list(status="active")
    assert (kept.description, kept.acts[0].text) == ("The person wants sums in one line.", reason)
    assert [one.folder for one in kept.contexts] == [str(project)] and bounds.spent.calls == 1


@pytest.mark.slow
def test_at_a_terminal_each_is_asked_about_and_what_was_typed_is_done(project, tmp_path):
    with ScriptedEndpoint(double=Worker(MEMORY)) as serving:
        window = Terminal(tmp_path)
        try:
            window.start("run", TASK, "--dir", str(project), "--check", CHECK, "--model", serving.model)
            window.wait("[y/N]")
            window.type("y")
            window.wait(RULE)
            window.type("keep")
            window.wait("to remember", times=3)
            window.type("no")
            window.wait("not kept")
        finally:
            window.close()
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        assert [one.description for one in opened.preferences.list()] == [RULE]
        assert len(opened.preferences.list(status="declined")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "waits", "told"), [("always", 0, 1), ("no", 0, 0), ("", 1, 0), ("edit Sum in one line.", 0, 1)]
)
def test_a_refusal_at_a_terminal_is_asked_about_and_a_rule_is_told_to_the_next_task(
    project, tmp_path, typed, waits, told
):
    with ScriptedEndpoint(double=Worker()) as serving:
        window = Terminal(tmp_path)
        try:
            window.start("run", TASK, "--dir", str(project), "--check", CHECK, "--model", serving.model)
            window.wait("[y/N]")
            window.type("n")
            window.wait("why not?")
            window.type("Functions that sum have one line.")
            window.wait("Enter: later]")
            window.type(typed)
            window.wait("Enter: later]", times=2)  # about the check
            window.type("no")
            window.wait("left with code")
        finally:
            window.close()
    assert "xs[0]" in (project / "total.py").read_text()
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        assert len(opened.preferences.proposals()) == waits
        assert len(opened.preferences.for_context("Make total add up.", folder=str(project))) == told


@pytest.mark.slow
def test_chat_shows_what_it_could_remember_and_asks_about_each_on_request(project, tmp_path):
    with ScriptedEndpoint(double=Worker(MEMORY)) as serving:
        window = Terminal(tmp_path)
        try:
            window.start("chat", "--dir", str(project), "--check", CHECK, "--model", serving.model)
            window.ready()
            window.type(TASK)
            window.wait("[yes/no/")  # the rest may stand on the next line
            window.type("yes")
            window.wait("/remember")
            window.type("/remember")
            window.wait("Enter: later]")
            window.type("everywhere")
            window.wait("Enter: later]", times=2)
            window.type("no")
            window.wait("not kept")
        finally:
            window.close()
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        [kept] = opened.preferences.list()
        assert (kept.status, kept.contexts) == ("active", ())


HALF_UP = "Dollar amounts are rounded half up to whole dollars."
RULE_OF_QUESTIONS = {"kind": "rule", "text": HALF_UP, "quote": "We always round half up to whole dollars"}


class Answerer:
    """Answers in words, and brings up what it is given when it is asked what to remember."""

    def __init__(self, *memories):
        self.memories = memories

    def answer(self, body):
        prompt = prompt_of(body)
        if schema_of(body, prompt):
            return json.dumps({"memories": self.memories})
        return "So.\n```answer\n14 dollars\n```\n"


@pytest.fixture
def question(cli):
    """Asks a question in words; gives what was printed, and the prompts."""

    def run(text, *memories):
        with ScriptedEndpoint(double=Answerer(*memories)) as serving:
            done = cli("run", text, "--model", serving.model)
            return done, [prompt_of(body) for body in serving.requests]

    return run


def test_a_rule_that_was_said_beside_a_question_is_told_to_every_later_question(question, cli):
    asked = "Convert 12.50 euros to dollars at 1.0862. We always round half up to whole dollars."
    memory = {"kind": "rule", "text": HALF_UP, "quote": "We always round half up to whole dollars"}
    question(asked, memory)
    [one] = proposals(cli)
    assert (one["description"], one["status"], one["acts"][0]["kind"]) == (HALF_UP, "proposed", "rule")
    later = "What do 18.50 and 1100 come to in dollars at 1.0911?"
    assert not any(HALF_UP in prompt for prompt in question(later)[1])
    assert cli("memory", "proposals", "keep", one["id"][:8]).code == 0
    done, prompts = question(later)
    assert f"{HALF_UP} (kept by" in prompts[0] and "used " not in done.out
    assert HALF_UP in question("Write two sentences for a flyer.")[1][0]
    told = question("Convert 3 euros at 1.09. And round half up to whole dollars, please.", memory)[1][-1]
    assert HALF_UP in told.partition("Known already")[2] and proposals(cli) == []


def test_a_rule_of_questions_holds_for_no_folder_unless_it_is_kept_everywhere(question, cli, project):
    question("Convert 12.50 euros at 1.0862. We always round half up to whole dollars.", RULE_OF_QUESTIONS)
    [one] = proposals(cli)
    with evolve.open() as opened:
        apply_decision(opened, ProposalReply(proposal=one["id"], keep=True))
        assert opened.preferences.for_context("Round the dollars.", folder=str(project)) == []
        opened.preferences.edit(one["id"], contexts=())
        assert opened.preferences.for_context("Round the dollars.", folder=str(project))


def test_what_was_said_beside_two_questions_is_proposed_without_a_model(question, cli):
    question("Convert 12.50 euros to dollars at 1.0862. We always round half up to whole dollars.")
    assert proposals(cli) == []
    question("What do 18.50 euros come to in dollars at 1.0911? We always round half up to whole dollars.")
    [one] = proposals(cli)
    assert (one["description"], one["acts"][0]["kind"]) == ("We always round half up to whole dollars.", "repeated")


def test_two_rules_of_one_sentence_are_two_proposals(question, cli):
    said = "Our shop writes in British spelling, without exclamation marks."
    rules = ["Texts of the shop are in British spelling.", "Texts of the shop have no exclamation marks."]
    quotes = ["Our shop writes in British spelling", "without exclamation marks"]
    found = [dict(kind="rule", text=text, quote=quote) for text, quote in zip(rules, quotes, strict=True)]
    question(f"Write a greeting for spring. {said}", *found)
    kept = [json.loads(cli("memory", "proposals", "keep", one["id"], "--json").out) for one in proposals(cli)]
    assert sorted(one["description"] for one in kept) == rules
    assert [one["acts"][0]["text"].endswith(said) for one in kept] == [True, True]
    assert all(rule in question("Write one for summer.")[1][0] for rule in rules)


def test_a_person_who_repeats_themselves_is_heard(question, cli):
    rule = {"kind": "rule", "text": "Times are written with a point.", "quote": "times are written with a point"}
    question("When do we open? I told you: times are written with a point, 9.30", rule)
    assert [one["description"] for one in proposals(cli)] == [rule["text"]]


class Asking(Answerer):
    """Asks the person first."""

    def answer(self, body):
        prompt = prompt_of(body)
        asks = not schema_of(body, prompt) and "648 euros" not in prompt
        return "```ask_user\nWhat does the bus cost?\n```" if asks else super().answer(body)


def test_a_rule_in_an_answer_to_the_model_is_proposed_without_the_figures_beside_it(cli):
    rule = {
        "kind": "rule",
        "text": "Amounts are rounded up to whole euros.",
        "quote": "we always round up to whole euros",
    }
    with ScriptedEndpoint(double=Asking(rule)) as serving:
        assert cli("run", "What does each of us pay for the bus?", "--model", serving.model).code == 6
        assert cli("runs", "answer", "r1", "648 euros, and we always round up to whole euros").code == 0
    assert [one["description"] for one in proposals(cli)] == [rule["text"]]


@pytest.mark.slow
def test_who_leaves_a_chat_is_asked_about_what_they_have_not_been_asked_about(project, tmp_path):
    with ScriptedEndpoint(double=Worker(MEMORY)) as serving:
        window = Terminal(tmp_path)
        try:
            window.start("chat", "--dir", str(project), "--check", CHECK, "--model", serving.model)
            window.ready()
            window.type(TASK)
            window.wait("[yes/no/")  # the rest may stand on the next line
            window.type("yes")
            window.wait("/remember")
            window.ready()
            window.type("/exit")
            window.wait("Enter: later]")
            window.type("yes")
            window.wait("Enter: later]", times=2)
            window.type("/exit")
            window.wait("left with code 0")
        finally:
            window.close()
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        assert [one.description for one in opened.preferences.list(status="active")] == [RULE]
        assert len(opened.preferences.proposals()) == 1
