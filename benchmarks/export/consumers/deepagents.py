"""A deep agent whose model makes the given calls, one in each run."""

import sys
from typing import ClassVar

sys.path.append(sys.path.pop(0))
from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from plain import given, read, tell

_, calls = given()
from my_skills import TOOLS  # noqa: E402


class Scripted(BaseChatModel):
    """Asks for the one call that the last message of the person names, then ends."""

    offered: ClassVar[list] = []

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **_):
        self.offered[:] = tools
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        if isinstance(messages[-1], ToolMessage):
            said = AIMessage("done")
        else:
            call = calls[int(messages[-1].text if isinstance(messages[-1].text, str) else messages[-1].text())]
            said = AIMessage(
                "", tool_calls=[{"id": "1", "name": call["tool"], "args": call["arguments"], "type": "tool_call"}]
            )
        return ChatResult(generations=[ChatGeneration(message=said)])


model = Scripted()
agent = create_deep_agent(model=model, tools=TOOLS)
values = []
for number in range(len(calls)):
    messages = agent.invoke({"messages": [{"role": "user", "content": str(number)}]})["messages"]
    values.append(read(next(one.content for one in reversed(messages) if isinstance(one, ToolMessage))))
names = {function.__name__ for function in TOOLS}
described = sum(getattr(one, "name", "") in names and bool(one.description) for one in model.offered)
tell(values, described)
