"""Records what a real llama.cpp server streams: `PYTHONPATH=tests python tests/models/recorded/record.py`."""

import json
import subprocess
import sys
from pathlib import Path

import httpx

from support import llama_server
from support.talking import EXECUTE
from support.tiny_model import tiny_model

HERE = Path(__file__).parent
SETTINGS = {
    "model": "tiny",
    "stream": True,
    "stream_options": {"include_usage": True},
    "cache_prompt": True,
    "temperature": 0,
}
TOOL = {
    "type": "function",
    "function": {
        "name": "execute",
        "description": EXECUTE.description,
        "parameters": json.loads(EXECUTE.parameters),
    },
}


def asked(text):
    return {"role": "user", "content": text}


def example(number):
    """A turn with a call, so that even the smallest model sees how it is done."""
    arguments = json.dumps({"language": "python", "code": f"print({number})"})
    call = {"name": "execute", "arguments": arguments}
    calls = [{"id": f"call{number}", "type": "function", "function": call}]
    reply = {"role": "assistant", "content": "", "tool_calls": calls}
    return asked(f"Print {number} with Python."), reply


TURNS = {
    "text": {"messages": [asked("What is the capital of France?")], "max_tokens": 60},
    "cut": {"messages": [asked("Tell a story.")], "max_tokens": 5},
    "tool": {
        "messages": [*example(1), *example(2), *example(3), asked("Print 4 with Python.")],
        "tools": [TOOL],
        "max_tokens": 120,
    },
}


def main():
    model = tiny_model()
    command = [sys.executable, llama_server.__file__, str(model)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, **pipes) as process:
        address = next(line for line in process.stdout if line.startswith("ADDRESS")).split()[1]
        for name, turn in TURNS.items():
            body = {**SETTINGS, **turn}
            answer = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=100)
            streamed = answer.content.replace(str(model).encode(), model.name.encode())
            (HERE / f"llamacpp-{name}.sse").write_bytes(streamed)
        process.stdin.close()


if __name__ == "__main__":
    main()
