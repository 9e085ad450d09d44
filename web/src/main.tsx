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
void enter(); // first: a token is on its way while the page is drawn
render(<App />, document.getElementById("app")!);
