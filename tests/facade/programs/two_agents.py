"""Two interpreters that talk to each other, as the documentation shows it."""

import sys

from interpreter import OpenInterpreter

agent_1 = OpenInterpreter()
agent_1.system_message = "This is a separate instance."
agent_1.llm.model = sys.argv[1]
agent_1.auto_run = True

agent_2 = OpenInterpreter()
agent_2.system_message = "This is yet another instance."
agent_2.llm.model = sys.argv[1]
agent_2.auto_run = True


def swap_roles(messages):
    for message in messages:
        if message["role"] == "user":
            message["role"] = "assistant"
        elif message["role"] == "assistant":
            message["role"] = "user"
    return messages


agents = [agent_1, agent_2]
messages = [{"role": "user", "type": "message", "content": "Hello!"}]
said = []
for _ in range(2):
    for agent in agents:
        messages = agent.chat(messages, display=False)
        said.append([message["content"] for message in messages])
        messages = swap_roles(messages)

assert said == [
    ["Counting.", "x = 1\nprint(x)", "1\n", "One."],
    ["Counting.", "x = 1\nprint(x)", "1\n", "One."],
    ["Bye."],
    ["Bye."],
], said

# Each had a world of its own.
agent_1.computer.run("python", "x = 'changed'")
assert agent_2.computer.run("python", "print(x)") == [
    {"type": "console", "format": "output", "content": "1\n"}
]
