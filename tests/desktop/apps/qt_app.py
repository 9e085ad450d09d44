"""A window of Qt 6 that writes what happened to it into a file: qt_app.py FILE X Y."""

import json
import pathlib
import sys

from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

path, left, top = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
state = {"text": "", "clicked": []}


def note(**changes):
    state.update(changes)
    with pathlib.Path(path + ".new").open("w") as file:
        json.dump(state, file)
    pathlib.Path(path + ".new").replace(path)


application = QApplication([])
window = QWidget()
window.setWindowTitle("Qt shop")
layout = QVBoxLayout(window)
line = QLineEdit()
line.textChanged.connect(lambda text: note(text=text))
layout.addWidget(line)
for name in ("Basket", "Pay now"):
    button = QPushButton(name)
    button.clicked.connect(lambda _=False, name=name: note(clicked=[*state["clicked"], name]))
    layout.addWidget(button)
window.setGeometry(left, top, 360, 200)
window.show()
note()
sys.exit(application.exec())
