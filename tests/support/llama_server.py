"""A real llama.cpp server with a very small model, in a process of its own.

Run as ``python llama_server.py MODEL.gguf``: prints its address, serves until its input is closed.
"""

import sys

# The model's own template knows no tools; this one does, in the common way with tags.
TEMPLATE = """\
{%- if tools %}<|im_start|>system
You may call functions:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}To call one, answer with
<tool_call>
{"name": <name>, "arguments": <object>}
</tool_call><|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == "tool" %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.tool_calls %}<|im_start|>assistant
{{ message.content or "" }}
{%- for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def main(model: str) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1  # several spin for each other on a busy machine
    parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja = True
    parameters.chat_template = TEMPLATE
    parameters.port = 0
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"ADDRESS {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
