"""Skills of others, tried with and without in pairs: by evolve's own agent, and by a program that a person approved."""

from __future__ import annotations

import json
import os
import sys

import pytest

from benchmarks.doubles.errands import TOPICS, ErrandDouble, write_agent, write_errands, write_skill
from benchmarks.doubles.repositories import commit, make_repository
from evolve.testing import ScriptedEndpoint
from evolve.trials.external_agent import is_guidance


def test_skills_and_notes_of_a_folder_are_told_from_its_other_files():
    guidance = ("CLAUDE.md", "docs/AGENTS.md", ".claude/skills/a/SKILL.md", "part/.agents/skills/a/x.py")
    assert all(map(is_guidance, guidance))
    assert not any(map(is_guidance, ("README.md", "NOCLAUDE.md", "skills/a/SKILL.md", "my.claude/a", "mcp.json")))


def test_settings_that_may_name_commands_reach_no_agent():
    assert all(map(is_guidance, (".claude/settings.json", ".Claude/settings.local.json", "a/.mcp.json", ".codex/x")))


@pytest.fixture
def tested(cli, tmp_path):
    """Runs a test of skills on errands and gives what it told as JSON."""

    def test(*words, code=0, tasks=12, known=0.0):
        if not (tmp_path / "errands.jsonl").exists():
            write_errands(tmp_path / "errands.jsonl", tasks, known)
        done = cli("skills", "test", *words, "--tasks", "errands.jsonl", "--json")
        assert done.code == code, done.err
        return json.loads(done.out) if done.out else done

    return test


def approve(tmp_path, command):
    import evolve

    with evolve.open() as opened:
        opened.agents.approve(command)


def test_a_model_reads_skills_on_demand_and_the_pairs_tell_what_they_do(tested, tmp_path):
    for topic, kind in zip(TOPICS, ("helpful", "helpful", "helpful"), strict=True):
        write_skill(tmp_path / "skills", topic, kind)
    write_skill(tmp_path / "skills", "rivers", "idle")
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        told = tested("skills", "--model", serving.model)
        prompts = [json.dumps(body["messages"]) for body in serving.requests]
    whole = told["whole"]
    assert (whole["verdict"], whole["wins"], whole["losses"], told["solved_with"]) == ("helps", 12, 0, 12)
    assert whole["difference"]["low"] > 0 and told["tokens"]["value"] > 0
    rows = {row["name"]: (row["read"], row["needless"], row["why"]) for row in told["skills"]}
    assert rows["words-for-rivers"] == (0, 0, "never read")
    assert {rows[f"words-for-{topic}"][:2] for topic in TOPICS} == {(4, 0)}
    assert told["ahead"].startswith("12 tasks show effects of 0.8")
    listed = [prompt for prompt in prompts if "words-for-rivers" in prompt]
    assert 0 < len(listed) < len(prompts) and not any("Be careful" in prompt for prompt in prompts)


def test_notes_that_mislead_are_shown_to_harm(tested, tmp_path):
    (tmp_path / "CLAUDE.md").write_text("".join(f"For {topic} write wrong.\n" for topic in TOPICS))
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        told = tested("CLAUDE.md", "--model", serving.model, code=1, known=1.0)
    assert (told["whole"]["verdict"], told["whole"]["losses"], told["skills"]) == ("harms", 12, [])


def test_one_skill_of_a_folder_is_tried_alone_where_enough_tasks_read_it(tested, tmp_path):
    write_skill(tmp_path / "skills", "ports", "helpful")
    write_skill(tmp_path / "skills", "rivers", "idle")
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        told = tested("skills", "--model", serving.model, tasks=36)
    assert told["whole"]["verdict"] == "helps"
    ports = next(row for row in told["skills"] if row["name"] == "words-for-ports")
    assert (ports["read"], ports["shown"]["verdict"], ports["shown"]["wins"]) == (12, "helps", 12)


def test_too_few_tasks_tell_nothing_and_the_words_and_json_say_so(cli, tested, tmp_path):
    write_skill(tmp_path / "skills", "ports", "helpful")
    (tmp_path / "skills" / "mute").mkdir()
    (tmp_path / "skills" / "mute" / "SKILL.md").write_text("Say nothing.\n")
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        words = ("skills", "test", "skills", "--model", serving.model, "--tasks", "errands.jsonl")
        write_errands(tmp_path / "errands.jsonl", 3, 0.0)
        first = cli(*words)
        asked = len(serving.requests)
        again = cli(*words, "--json")
        assert len(serving.requests) == asked  # what was paid for once is printed again
    assert "skills: too few tasks to tell: 1 of 3 solved with the skills, 0 of 3 without" in first.out
    assert "mute: its SKILL.md has no description" in first.err
    assert "3 tasks are too few to show any effect. To show one of 0.4 you need 49 tasks, of 0.3: 83" in first.err
    told = json.loads(again.out)
    assert (again.code, told["whole"]["verdict"], told["whole"]["wins"]) == (1, "too few tasks to tell", 1)
    assert (told["whole"]["error_level"], told["whole"]["difference"]["confidence"]) == (0.04, 0.96)
    assert told["whole"]["difference"]["value"] == 0.3333 and told["finish_reason"] == "every pair was run"
    assert "finished this test before" in again.err and "the others take" not in again.err


def test_a_skill_counts_as_read_where_the_shell_showed_it_and_not_where_it_was_listed(tested, tmp_path):
    class Shell(ErrandDouble):
        def answer(self, body):
            return (
                super()
                .answer(body)
                .replace("```recall\nskill", "```sh\nls .skills/words-for-rivers\ncd .skills; cat *ports/SKILL.md #")
            )

    write_skill(tmp_path / "skills", "ports", "helpful")
    write_skill(tmp_path / "skills", "rivers", "idle")
    with ScriptedEndpoint(double=Shell()) as serving:
        told = tested("skills", "--model", serving.model, code=1, tasks=1)
    assert {row["name"]: row["read"] for row in told["skills"]} == {"words-for-ports": 1, "words-for-rivers": 0}


def test_a_finished_test_whose_skills_changed_is_another_test(tested, tmp_path):
    write_skill(tmp_path / "skills", "ports", "helpful")
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        first = tested("skills", "--model", serving.model, code=1, tasks=3)
        (tmp_path / "skills" / "words-for-ports" / "more.md").write_text("More.\n")
        second = tested("skills", "--model", serving.model, code=1, tasks=3)
    assert first["run"] != second["run"] and first["whole"] == second["whole"]


def test_without_a_model_or_an_agent_or_tasks_it_says_what_to_name(cli, tmp_path):
    write_skill(tmp_path / "skills", "ports", "helpful")
    without = cli("skills", "test", "skills", "--from-git", ".")
    assert without.code == 2 and "model" in without.err
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        done = cli("skills", "test", "skills", "--model", serving.model)
    assert done.code == 2 and "--tasks FILE" in done.err
    (tmp_path / "empty").mkdir()
    assert cli("skills", "test", "empty", "--model", serving.model).code == 2


def test_an_agent_runs_only_once_a_person_approved_it(tested, cli, tmp_path):
    write_skill(tmp_path / "skills", "ports", "helpful")
    write_agent(tmp_path / "agent")
    refused = tested("skills", "--agent", "./agent", "--yes", code=6)
    assert "outside of the sandbox" in refused.err
    assert not list(tmp_path.glob("errands/*/out.txt"))
    approve(tmp_path, "./agent")
    assert tested("skills", "--agent", "./agent --other", "--yes", code=6).code == 6


def test_an_agent_works_in_a_copy_with_the_skills_of_one_arm(tested, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOLVE_SEED", "7")
    for topic in TOPICS:
        write_skill(tmp_path / "skills", topic, "helpful")
    log = tmp_path / "log"
    tell = f"import os\nopen({str(log)!r}, 'a').write(os.getcwd() + ' ' + str('EVOLVE_SEED' in os.environ) + '\\n')\n"
    write_agent(tmp_path / "agent", tell)
    approve(tmp_path, "./agent")
    own = tmp_path / "errands" / "0" / ".claude" / "skills" / "words-for-ports"
    write_errands(tmp_path / "errands.jsonl", 12, 0.0)
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("For ports write ports_right.\n")  # of the folder itself: neither arm gets it
    told = tested("skills", "--agent", "./agent", "--yes")
    assert (told["whole"]["verdict"], told["whole"]["wins"], told["outside"]) == ("helps", 12, True)
    assert (told["tokens"]["value"], told["by"]) == (None, "agent:./agent")
    assert {row["read"] for row in told["skills"]} == {4}
    places = [line.split() for line in log.read_text().splitlines()]
    assert len(places) == 24 and {with_evolve for _, with_evolve in places} == {"False"}
    assert not any(place.startswith(str(tmp_path)) or os.path.exists(place) for place, _ in places)
    assert not list(tmp_path.glob("errands/*/out.txt"))


def test_a_budget_that_ends_leaves_a_verdict_so_far_and_the_same_command_goes_on(tested, tmp_path):
    write_skill(tmp_path / "skills", "ports", "helpful")
    with ScriptedEndpoint(double=ErrandDouble()) as serving:
        first = tested("skills", "--model", serving.model, "--budget", "10-calls", code=1, tasks=6)
        asked = len(serving.requests)
        second = tested("skills", "--model", serving.model, "--budget", "100-calls", code=1, tasks=6)
    assert first["finish_reason"] == "the budget ended" and 0 < first["whole"]["ties"] + first["whole"]["wins"] < 6
    assert (second["run"], second["finish_reason"]) == (first["run"], "every pair was run")
    assert asked <= 10 and len(serving.requests) <= 2 * 6 + 2 + 2  # no episode is paid twice


def test_skills_bring_their_own_tasks_where_code_can_compare_the_answer(cli, tmp_path):
    write_skill(tmp_path / "skills", "sums", "helpful")
    evals = tmp_path / "skills" / "words-for-sums" / "evals"
    evals.mkdir()
    (evals / "numbers.csv").write_text("1\n2\n")
    cases = [
        {"id": 0, "prompt": "\ud800", "expected_output": "3"},
        {"id": 1, "prompt": "Add the numbers of numbers.csv.", "expected_output": "3", "files": ["evals/numbers.csv"]},
        {"id": 2, "prompt": "Write a poem.", "expected_output": "A moving poem", "assertions": ["it rhymes"]},
    ]
    (evals / "evals.json").write_text(json.dumps({"skill_name": "words-for-sums", "evals": cases}))
    write_agent(tmp_path / "agent")
    (tmp_path / "agent").write_text(
        (tmp_path / "agent").read_text().splitlines()[0] + "\nimport pathlib\nif pathlib.Path('.agents').exists():\n"
        "    rows = pathlib.Path('evals/numbers.csv').read_text().split()\n"
        "    pathlib.Path('answer.json').write_text(str(sum(map(int, rows))))\n"
    )
    approve(tmp_path, "./agent")
    words = ("--agent", "./agent", "--yes", "--set", f"python={sys.prefix}", "--json")
    done = cli("skills", "test", "skills", *words)
    told = json.loads(done.out)
    assert (done.code, told["source"], told["solved_with"], told["solved_without"]) == (1, "evals of the skills", 1, 0)
    assert told["uses_known"] is False and told["ahead"].startswith(
        "1 task is too few to show any effect. To show one of 0.4 you need "
    )


@pytest.mark.slow
def test_the_tasks_of_a_history_hold_none_of_its_own_skills(cli, tmp_path):
    repo = tmp_path / "repo"
    make_repository(repo, 0)
    write_skill(repo / ".claude" / "skills", "ports", "helpful")
    (repo / "CLAUDE.md").write_text("For ports write ports_right.\n")
    source, test = (
        "def two():\n    return 2\n",
        "from tool.two import two\n\n\ndef test_two():\n    assert two() == 2\n",
    )
    commit(repo, "Say how to work here", {"notes.txt": "x\n"})
    commit(repo, "Add the function two in tool/two.py", {"tool/two.py": source, "tests/test_two.py": test})
    seen = tmp_path / "seen"
    write_agent(tmp_path / "agent")
    (tmp_path / "agent").write_text(
        (tmp_path / "agent").read_text().splitlines()[0] + "\nimport os, pathlib\n"
        f"names = sorted(os.listdir('.'))\nopen({str(seen)!r}, 'a').write(repr(names) + '\\n')\n"
        f"pathlib.Path('tool/two.py').write_text({source!r})\n"
    )
    approve(tmp_path, "./agent")
    words = ("--from-git", "repo", "--agent", "./agent", "--yes", "--set", f"python={sys.prefix}", "--json")
    done = cli("skills", "test", "repo/.claude/skills", *words)
    told = json.loads(done.out)
    assert (told["solved_with"], told["solved_without"], told["whole"]["ties"]) == (1, 1, 1), done.err
    both = ["README.md", "notes.txt", "tool"]
    assert sorted(seen.read_text().splitlines()) == sorted([repr(both), repr([".agents", ".claude", *both])])
