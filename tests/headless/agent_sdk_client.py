"""Drives our program with the unmodified Claude Agent SDK: a line names a scenario, a line answers.

It runs in an environment of its own, which has the SDK and nothing of ours.
"""

import asyncio
import json
import sys
from dataclasses import asdict, is_dataclass
from pathlib import Path

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    create_sdk_mcp_server,
    query,
    tool,
)


def plain(message):
    """A message as data, with the name of its type."""
    blocks = getattr(message, "content", None)
    told = {"is": type(message).__name__, **asdict(message)}
    if isinstance(blocks, list):
        told["content"] = [
            {"is": type(block).__name__, **asdict(block)} if is_dataclass(block) else block
            for block in blocks
        ]
    return told


def options(place, **more):
    flags = more.pop("extra_args", {})
    return ClaudeAgentOptions(
        cli_path=place["cli"],
        cwd=place["work"],
        model=f"scripted/{place['script']}",
        extra_args=flags,
        **more,
    )


async def asked(place, prompt="go", **more):
    return [
        plain(message) async for message in query(prompt=prompt, options=options(place, **more))
    ]


async def answered(client, prompt="go"):
    await client.query(prompt)
    return [plain(message) async for message in client.receive_response()]


async def one_shot(place):
    return await asked(place, permission_mode="bypassPermissions")


async def several_turns(place):
    async with ClaudeSDKClient(options(place, permission_mode="bypassPermissions")) as client:
        return [await answered(client, text) for text in ("first", "second")]


def deciding(seen, *decisions):
    rest = list(decisions)

    async def can_use_tool(name, given, context):
        seen.append([name, given, context.tool_use_id, context.decision_reason])
        return rest.pop(0)

    return can_use_tool


async def permission(place):
    seen = []
    decide = deciding(
        seen,
        PermissionResultAllow(),
        PermissionResultDeny(message="not today"),
        PermissionResultAllow(updated_input={"language": "python", "code": "print('changed')"}),
    )
    async with ClaudeSDKClient(options(place, can_use_tool=decide)) as client:
        return {"messages": await answered(client), "asked": seen}


async def denied_for_good(place):
    seen = []
    decide = deciding(seen, PermissionResultDeny(message="stop it", interrupt=True))
    async with ClaudeSDKClient(options(place, can_use_tool=decide)) as client:
        return {"messages": await answered(client), "asked": seen}


async def allowed_tools(place):
    return await asked(
        place, allowed_tools=["execute", "Bash(echo:*)"], disallowed_tools=["Bash(echo no)"]
    )


async def hooks(place):
    seen = []

    async def before(given, call, context):
        seen.append([given["hook_event_name"], given["tool_name"], given["tool_input"], call])
        if "forbidden" in json.dumps(given["tool_input"]):
            decision = {"permissionDecision": "deny", "permissionDecisionReason": "not that"}
        else:
            decision = {
                "permissionDecision": "allow",
                "updatedInput": {**given["tool_input"], "code": "print('from the hook')"},
            }
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}

    async def after(given, call, context):
        seen.append([given["hook_event_name"], given["tool_response"]])
        told = {"hookEventName": "PostToolUse", "additionalContext": "remember the milk"}
        return {"hookSpecificOutput": told}

    async def said(given, call, context):
        seen.append([given["hook_event_name"], given["prompt"], given["session_id"]])
        if "secret" in given["prompt"]:
            return {"decision": "block", "reason": "say nothing of that"}
        return {}

    async def stops(given, call, context):
        seen.append([given["hook_event_name"], given["stop_hook_active"]])
        if given["stop_hook_active"]:
            return {}
        return {"decision": "block", "reason": "one more thing"}

    chosen = {
        "PreToolUse": [HookMatcher(matcher="execute|Bash", hooks=[before], on_failure="block")],
        "PostToolUse": [HookMatcher(hooks=[after])],
        "UserPromptSubmit": [HookMatcher(hooks=[said])],
        "Stop": [HookMatcher(hooks=[stops])],
    }
    async with ClaudeSDKClient(options(place, hooks=chosen)) as client:
        return {
            "messages": await answered(client),
            "blocked": await answered(client, "a secret"),
            "seen": seen,
        }


async def interrupted(place):
    async with ClaudeSDKClient(
        options(place, permission_mode="bypassPermissions", include_partial_messages=True)
    ) as client:
        await client.query("go")
        found = []
        async for message in client.receive_response():
            found.append(plain(message))
            if isinstance(message, AssistantMessage):
                await running(place)
                await client.interrupt()
        after = await answered(client, "and now?")
        return {"first": found, "after": after}


async def running(place):
    """Wait until the block says that it runs."""
    while not (Path(place["work"]) / "running").exists():
        await asyncio.sleep(0.02)


async def other_model(place):
    async with ClaudeSDKClient(options(place)) as client:
        first = await answered(client)
        await client.set_model(f"scripted/{place['work']}/other.yaml")
        second = await answered(client)
        await client.set_permission_mode("plan")
        planned = await answered(client)
        status = [await client.get_mcp_status(), await client.get_context_usage()]
        return {"messages": [first, second, planned], "status": status}


SCHEMA = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
}


async def structured(place):
    return await asked(place, output_format={"type": "json_schema", "schema": SCHEMA})


async def limited(place):
    found = []
    try:
        options_ = options(place, max_turns=1, permission_mode="bypassPermissions")
        async for message in query(prompt="go", options=options_):
            found.append(plain(message))
    except Exception as error:  # noqa: BLE001
        return {"messages": found, "error": f"{type(error).__name__}: {error}"}
    return {"messages": found, "error": ""}


async def resumed(place):
    first = await asked(place, permission_mode="bypassPermissions", session_id=place["session"])
    again = dict(resume=place["session"], permission_mode="bypassPermissions")
    second = await asked({**place, "script": f"{place['work']}/other.yaml"}, **again)
    copy = await asked(
        {**place, "script": f"{place['work']}/copy.yaml"}, **again, fork_session=True
    )
    return [first, second, copy]


async def rewound(place):
    chosen = options(
        place,
        permission_mode="bypassPermissions",
        enable_file_checkpointing=True,
        extra_args={"replay-user-messages": None},
    )
    async with ClaudeSDKClient(chosen) as client:
        first = await answered(client, "write")
        second = await answered(client, "write again")
        uuids = [
            message["uuid"]
            for turn in (first, second)
            for message in turn
            if message["is"] == "UserMessage" and isinstance(message["content"], str)
        ]
        await client.rewind_files(uuids[1])
        texts = [text_of(place)]
    chosen.resume = first[-1]["session_id"]
    async with ClaudeSDKClient(chosen) as client:
        opened = await answered(client, "")
        await client.rewind_files(uuids[0])
        texts.append(text_of(place))
        try:
            await client.rewind_files("nonsense")
        except Exception as error:  # noqa: BLE001
            return {"texts": texts, "error": str(error), "opened": opened}


def text_of(place):
    path = Path(place["work"]) / "a.txt"
    return path.read_text() if path.exists() else None


async def own_tools(place):
    @tool("add", "Add two numbers.", {"a": int, "b": int})
    async def add(given):
        return {"content": [{"type": "text", "text": str(given["a"] + given["b"])}]}

    async def before(given, call, context):
        seen.append(given["tool_name"])
        return {}

    seen = []
    server = create_sdk_mcp_server("calc", tools=[add])
    messages = await asked(
        place,
        mcp_servers={"calc": server},
        allowed_tools=["execute", "mcp__calc__add"],
        strict_mcp_config=True,
        hooks={"PreToolUse": [HookMatcher(matcher="mcp__.*", hooks=[before])]},
    )
    return {"messages": messages, "seen": seen}


async def beside(place):
    """A server that is a program, and a directory beside the workspace."""
    server = {"command": place["python"], "args": [place["server"]]}
    return await asked(
        place,
        mcp_servers={"small": server},
        add_dirs=[place["beside"]],
        allowed_tools=["execute", "mcp__small"],
    )


async def streamed_prompts(place):
    """Two messages from an iterator, with a callback that needs the input to stay open."""
    seen = []

    async def prompts():
        for text in ("one", "two"):
            yield {"type": "user", "message": {"role": "user", "content": text}}

    async def can_use_tool(name, given, context):
        seen.append(given)
        return PermissionResultAllow()

    found = query(prompt=prompts(), options=options(place, can_use_tool=can_use_tool))
    return {"messages": [plain(message) async for message in found], "asked": seen}


for line in sys.stdin:
    wish = json.loads(line)
    try:
        answer = {"value": asyncio.run(asyncio.wait_for(globals()[wish["scenario"]](wish), 120))}
    except Exception as error:  # noqa: BLE001
        answer = {"failed": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(answer, default=repr) + "\n")
    sys.stdout.flush()
