"""Routes that answer as the programs do that people run models with."""

import json

from tests.models.loopback import always

QWEN = "qwen2.5-coder:7b"
EMBEDDER = "nomic-embed-text:latest"


def ollama():
    """Ollama 0.12: its own protocol under /api, OpenAI's under /v1."""
    tags = {
        "models": [
            _tag(EMBEDDER, 274302450, "137M", "F16", "nomic-bert"),
            _tag(QWEN, 4683087332, "7.6B", "Q4_K_M", "qwen2"),
        ]
    }
    return {
        ("GET", "/"): always(b"Ollama is running", kind="text/plain; charset=utf-8"),
        ("GET", "/api/version"): always({"version": "0.12.6"}),
        ("GET", "/api/tags"): always(tags),
        ("POST", "/api/show"): _ollama_show,
        ("POST", "/api/pull"): _ollama_pull,
        ("GET", "/v1/models"): always({"object": "list", "data": [_openai(QWEN, "library")]}),
        ("POST", "/v1/chat/completions"): _chat,
    }


def _tag(name, size, parameters, quantization, family):
    details = {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": parameters,
        "quantization_level": quantization,
    }
    digest = "dae161e27b0e90dd1856c8bb3209201fd6736d8eb66298e75ed87571486f4364"
    modified = "2026-03-02T10:11:12.131415161+01:00"
    return dict(name=name, model=name, modified_at=modified, size=size, digest=digest, details=details)  # fmt: skip


def _ollama_show(handler):
    name = json.loads(handler.body)["model"]
    if name == EMBEDDER:
        answer = {"capabilities": ["embedding"], "model_info": {"nomic-bert.context_length": 2048}}
    elif name == QWEN:
        information = {"general.architecture": "qwen2", "qwen2.context_length": 32768}
        answer = {"capabilities": ["completion", "tools", "insert"], "model_info": information}
    else:
        return handler.reply(404, {"error": f"model '{name}' not found"})
    return handler.reply(200, {"modelfile": "", "template": "{{ .Prompt }}", "details": {}, **answer})  # fmt: skip


def _ollama_pull(handler):
    wanted = json.loads(handler.body)["model"]
    if wanted == "nonsense":
        said = [
            {"status": "pulling manifest"},
            {"error": "pull model manifest: file does not exist"},
        ]
    else:
        layer = {"status": "pulling 60e05f2100e0", "digest": "sha256:60e0", "total": 1000}
        said = [
            {"status": "pulling manifest"},
            layer,
            {**layer, "completed": 400},
            {**layer, "completed": 1000},
            {"status": "verifying sha256 digest"},
            {"status": "writing manifest"},
            {"status": "success"},
        ]
    handler.stream([json.dumps(line).encode() + b"\n" for line in said], "application/x-ndjson")


def lm_studio():
    """LM Studio 0.3: /v1, and the richer /api/v0; what it does not know it answers with 200."""
    models = [
        {
            "id": "qwen2.5-coder-14b-instruct",
            "object": "model",
            "type": "llm",
            "publisher": "lmstudio-community",
            "arch": "qwen2",
            "compatibility_type": "gguf",
            "quantization": "Q4_K_M",
            "state": "loaded",
            "max_context_length": 32768,
            "loaded_context_length": 8192,
            "capabilities": ["tool_use"],
        },
        {
            "id": "qwen2-vl-7b-instruct",
            "object": "model",
            "type": "vlm",
            "publisher": "mlx-community",
            "arch": "qwen2_vl",
            "compatibility_type": "mlx",
            "quantization": "4bit",
            "state": "not-loaded",
            "max_context_length": 32768,
        },
        {
            "id": "text-embedding-nomic-embed-text-v1.5",
            "object": "model",
            "type": "embeddings",
            "state": "not-loaded",
            "max_context_length": 2048,
        },
    ]
    unexpected = always({"error": "Unexpected endpoint or method. (GET /api/tags)"})
    listed = {"object": "list", "data": [_openai(m["id"], "organization_owner") for m in models]}
    return {
        ("GET", "/api/tags"): unexpected,
        ("GET", "/props"): unexpected,
        ("GET", "/api/v0/models"): always({"object": "list", "data": models}),
        ("GET", "/v1/models"): always(listed),
        ("POST", "/v1/chat/completions"): _chat,
    }


def jan():
    """Jan 0.6: OpenAI's protocol and no more."""
    listed = {"object": "list", "data": [_openai("Jan-v1-4B-Q4_K_M", "user")]}
    return {
        ("GET", "/v1/models"): always(listed),
        ("POST", "/v1/chat/completions"): _chat,
    }


def llamafile():
    """llamafile 0.9: a llama.cpp server that signs with its own name."""
    listed = {"object": "list", "data": [_openai("Llama-3.2-3B-Instruct.Q6_K.gguf", "llamafile")]}
    return {
        ("GET", "/v1/models"): always(listed),
        ("POST", "/v1/chat/completions"): _chat,
    }


def vllm():
    """vLLM: its list tells how long a model's context is."""
    entry = {**_openai("Qwen/Qwen2.5-Coder-7B-Instruct", "vllm"), "max_model_len": 32768}
    return {
        ("GET", "/v1/models"): always({"object": "list", "data": [entry]}),
        ("POST", "/v1/chat/completions"): _chat,
    }


def _openai(name, owner):
    return {"id": name, "object": "model", "created": 1760000000, "owned_by": owner}


def _chat(handler):
    """One streamed reply that holds a block of code."""
    asked = json.loads(handler.body)
    pieces = ["Let me count.\n", "```python\n", "print(6 * 7)\n", "```"]
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
    chunks = [_chunk(head, {"role": "assistant", "content": ""})]
    chunks += [_chunk(head, {"content": piece}) for piece in pieces]
    chunks += [_chunk(head, {}, "stop"), b"data: [DONE]\n\n"]
    handler.stream(chunks, "text/event-stream")


def _chunk(head, delta, reason=None):
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n".encode()
