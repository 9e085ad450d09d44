"""Write src/interpreter/models/prices.json anew from a price map in LiteLLM's public format."""

import json
import sys
from pathlib import Path

from interpreter.models.prices import compact

TARGET = Path(__file__).parents[1] / "src/interpreter/models/prices.json"
PROVIDERS = (
    "openai", "anthropic", "azure", "gemini", "mistral", "deepseek", "groq", "openrouter", "xai",
    "moonshot", "zai", "dashscope", "cerebras", "cohere_chat", "together_ai", "perplexity",
    "bedrock_converse",
)  # fmt: skip


def main() -> None:
    prices = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    chosen = {n: row for n, row in prices.items() if row.get("litellm_provider") in PROVIDERS}
    lines = [f"{json.dumps(n)}: {json.dumps(row)}" for n, row in sorted(compact(chosen).items())]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{len(lines)} models")


if __name__ == "__main__":
    main()
