"""Tools of smolagents, called from code in its Python executor."""

import sys

sys.path.append(sys.path.pop(0))
from plain import given, tell
from smolagents import tool
from smolagents.local_python_executor import LocalPythonExecutor

_, calls = given()
from my_skills import TOOLS  # noqa: E402

tools = {f.__name__: tool(f) for f in TOOLS}
described = sum(
    all(each["description"] for each in one.inputs.values()) and bool(one.description) for one in tools.values()
)
executor = LocalPythonExecutor([])
executor.send_tools(tools)
values = []
for call in calls:
    arguments = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
    values.append(executor(f"{call['tool']}({arguments})").output)
tell(values, described)
