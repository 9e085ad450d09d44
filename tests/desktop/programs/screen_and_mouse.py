"""A program that uses the screen, the mouse and the keyboard by itself, without a model."""

from interpreter import computer, interpreter

screenshot = interpreter.computer.display.screenshot()
assert screenshot.size == (computer.display.width, computer.display.height) == (1280, 900)
screenshot.save("before.png")

(found,) = computer.display.find_text("Cancel Order")
x, y = (
    round(part * size) for part, size in zip(found["coordinates"], screenshot.size, strict=True)
)
computer.mouse.move(x=x, y=y)
assert abs(computer.mouse.position()[0] - x) <= 1
computer.mouse.click()
computer.mouse.click("Proceed to Checkout")

said = ""
try:
    computer.mouse.click("Delete")  # there are two of them
except ValueError as several:
    said = str(several)
assert "there 2 times" in said

computer.mouse.click("Name")
computer.keyboard.write("typed by a program")
computer.keyboard.hotkey("ctrl", "a")
assert computer.os.get_selected_text() == "typed by a program"
computer.clipboard.copy("put into the clipboard")
computer.keyboard.press("backspace")
computer.clipboard.paste()
computer.mouse.scroll(-3)
assert computer.os.active_window()["title"] == "GTK 3 shop"
