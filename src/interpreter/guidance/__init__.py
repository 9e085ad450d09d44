"""What a project and its user tell the model: AGENTS.md, skills, commands, memory."""
