import { render } from "preact";
import { App } from "./app";
import { listenToKeys } from "./keys";
import { enter, followAddress } from "./store";
import "./style.css";

const theme = localStorage.getItem("theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
addEventListener("popstate", () => void followAddress());
addEventListener("hashchange", () => void (location.hash.startsWith("#token=") ? enter() : followAddress()));
listenToKeys();
render(<App />, document.getElementById("app")!);
void enter();
