import { render } from "preact";
import { visible } from "./visible";

render(<main>{visible("reploop")}</main>, document.getElementById("app")!);
