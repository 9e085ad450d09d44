"""What loop mode says to a model, and the sentences by which a model ends it."""

LOOP_MESSAGE = (
    "Go on. You can run code on this machine. If the whole task is done, say exactly "
    "'The task is done.' If you need something from me, say exactly 'Please provide more "
    "information.' If it cannot be done, say exactly 'The task is impossible.' If I have given no "
    "task yet, say exactly 'Let me know what you'd like to do next.' Otherwise keep going."
)
LOOP_BREAKERS = (
    "The task is done.",
    "The task is impossible.",
    "Let me know what you'd like to do next.",
    "Please provide more information.",
)
