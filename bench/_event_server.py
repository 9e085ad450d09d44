"""A process whose threads write events, for bench.server: ours, or as little as there can be.

Run as `python -m bench._event_server ours|plain DIRECTORY`. It prints its port, reads the names of
the streams as a line of JSON, writes, and ends with its standard input.
"""

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path

EVENTS, PAUSE = 60, 0.05


def write_all(append):
    """Write the same events to many streams at once, each with the time at which it was made."""

    def write(name):
        for _ in range(EVENTS):
            append(name, repr(time.time()))
            time.sleep(PAUSE)

    names = json.loads(sys.stdin.readline())
    writers = [threading.Thread(target=write, args=(name,)) for name in names]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    sys.stdin.readline()


def ours(place):
    """The server itself: events go through logs and files to its sockets."""
    import uvicorn

    from interpreter.protocol.events import OutputDelta
    from interpreter.server.access.tokens import Tokens
    from interpreter.server.app import Server
    from interpreter.server.config import ServerConfig
    from interpreter.server.run import SWITCH_SECONDS, listening, uvicorn_options

    os.environ["XDG_DATA_HOME"] = place
    sys.setswitchinterval(SWITCH_SECONDS)
    with listening(ServerConfig(port=0)) as listener:
        config = ServerConfig(port=listener.getsockname()[1], workspace=Path(place))
        made = Server(config, Tokens("bench", Path(place), {}))
        running = uvicorn.Server(uvicorn.Config(made.app, **uvicorn_options(config)))
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        print(config.port, flush=True)
        write_all(lambda name, text: made.hub.log(name).append(OutputDelta(text)))
        running.should_exit = True
        thread.join()


def plain(place):
    """A socket server that passes on what threads give it, and keeps nothing."""
    from websockets.asyncio.server import serve

    queues = {}

    async def stream(connection):
        name = connection.request.path.split("/")[3]
        queue = queues[name] = asyncio.Queue()
        for number in range(1, EVENTS + 1):
            event = {"n": number, "type": "OutputDelta", "text": await queue.get()}
            await connection.send(json.dumps(event))

    async def main():
        async with serve(stream, "127.0.0.1", 0, compression=None) as server:
            print(server.sockets[0].getsockname()[1], flush=True)
            loop = asyncio.get_running_loop()

            def append(name, text):
                loop.call_soon_threadsafe(queues[name].put_nowait, text)

            await asyncio.to_thread(write_all, append)

    asyncio.run(main())


if __name__ == "__main__":
    {"ours": ours, "plain": plain}[sys.argv[1]](sys.argv[2])
