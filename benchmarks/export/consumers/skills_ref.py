"""The reference reader of Agent Skills: validates every folder; a call is what the script of the skill prints."""

import json
import subprocess
import sys

sys.path.remove(sys.path[0])
import skills_ref

sys.path.insert(0, __file__.rpartition("/")[0])
from plain import given, tell

bundle, calls = given()
folders = sorted((bundle / "skills").iterdir())
valid = sum(
    skills_ref.validate(folder) == [] and bool(skills_ref.read_properties(folder).description) for folder in folders
)
values = []
for call in calls:
    name = call["tool"].replace("_", "-")
    script = bundle / "skills" / name / "scripts" / f"{name}.py"
    arguments = json.dumps(list(call["arguments"].values()))
    done = subprocess.run(
        [sys.executable, "-I", script, "-"], input=arguments, capture_output=True, text=True, timeout=60
    )
    values.append(json.loads(done.stdout) if done.returncode == 0 else f"Error: {done.stderr}")
tell(values, valid)
