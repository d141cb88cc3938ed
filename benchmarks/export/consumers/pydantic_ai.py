"""An agent of Pydantic AI whose model makes the given calls, one in each run."""

import sys

sys.path.append(sys.path.pop(0))
from plain import given, read, tell
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

_, calls = given()
from my_skills import TOOLS  # noqa: E402

seen = {}


def model(messages, info):
    """Asks for the call that the person's message names, then ends."""
    seen.update({one.name: one for one in info.function_tools})
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart | RetryPromptPart):
        return ModelResponse(parts=[TextPart("done")])
    call = calls[int(last.content)]
    return ModelResponse(parts=[ToolCallPart(call["tool"], call["arguments"])])


agent = Agent(FunctionModel(model), tools=TOOLS)
values = []
for number in range(len(calls)):
    parts = [part for message in agent.run_sync(str(number)).all_messages() for part in message.parts]
    came = next(part for part in parts if isinstance(part, ToolReturnPart | RetryPromptPart))
    wrong = isinstance(came, RetryPromptPart) or getattr(came, "outcome", "success") != "success"
    values.append(f"Error: {came.content}" if wrong else read(came.content))
# A function of one record takes its columns, which have no descriptions, as arguments.
schemas = [one.parameters_json_schema for one in seen.values()]
described = sum(all("description" in each for each in one["properties"].values()) or "title" in one for one in schemas)
tell(values, described)
