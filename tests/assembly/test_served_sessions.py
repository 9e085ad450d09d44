"""Sessions for other programs: parked when nobody uses them, and back with all that they held."""

from math import inf

from interpreter.assembly.served_sessions import ServedHost, ServedSessions
from interpreter.mcp.serving.jobs import ServedCaller, ServedJob
from interpreter.settings.settings import Settings


def test_a_parked_session_comes_back_with_its_variables_and_its_undo(tmp_path):
    settings = Settings(auto_run=True, workspace=str(tmp_path))
    sessions = ServedSessions(ServedHost(lambda: (settings, "")))
    tools = {tool.name: tool for tool in sessions.offer().tools}

    def run(name, **given):
        job = ServedJob(
            name, tools[name].run, given, ServedCaller(False, {}, {}, {}), lambda said: None
        )
        job.start()
        return job.news.get()["content"][0]["text"]

    try:
        run("run_code", code="x = 41\nopen('a', 'w').write('b')")
        sessions.park_the_idle(inf)
        assert "42" in run("run_code", code="print(x + 1)")
        run("undo", blocks=2)
        assert not (tmp_path / "a").exists()
    finally:
        sessions.close()
