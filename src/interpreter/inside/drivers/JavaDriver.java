// A persistent Java: snippets as in jshell, in this virtual machine, with variables that stay.
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.VarSnippet;

public class JavaDriver {
    static final String[] IMPORTS = {
        "java.io.*", "java.math.*", "java.nio.file.*", "java.util.*", "java.util.concurrent.*",
        "java.util.function.*", "java.util.regex.*", "java.util.stream.*",
    };
    static volatile boolean interrupted;

    public static void main(String[] arguments) throws Exception {
        var marks = new PrintStream(new FileOutputStream(arguments[0] + "/marks"), true);
        var orders = new BufferedReader(new InputStreamReader(System.in));
        System.setIn(java.io.InputStream.nullInputStream());
        try (var shell = JShell.builder().executionEngine("local").build()) {
            for (var name : IMPORTS) shell.eval("import " + name + ";");
            sun.misc.Signal.handle(new sun.misc.Signal("INT"), signal -> {
                interrupted = true;
                shell.stop();
            });
            for (String order; (order = orders.readLine()) != null; ) {
                var words = order.split("\t");
                interrupted = false;
                int status = run(shell, Files.readString(Path.of(words[0])));
                System.out.flush();
                System.err.flush();
                marks.println(words[3] + " " + (interrupted ? 130 : status));
            }
        }
    }

    static int run(JShell shell, String source) {
        var analysis = shell.sourceCodeAnalysis();
        while (!source.isBlank() && !interrupted) {
            var next = analysis.analyzeCompletion(source);
            if (!next.completeness().isComplete()
                    && next.completeness() != SourceCodeAnalysis.Completeness.CONSIDERED_INCOMPLETE) {
                System.err.println("incomplete or wrong: " + source.strip());
                return 1;
            }
            for (var event : shell.eval(next.source() == null ? source : next.source())) {
                if (!report(shell, event)) return 1;
            }
            source = next.remaining() == null ? "" : next.remaining();
        }
        return 0;
    }

    static boolean report(JShell shell, SnippetEvent event) {
        if (event.exception() instanceof EvalException thrown) {
            System.err.println(thrown.getExceptionClassName() + ": " + thrown.getMessage());
            for (var frame : thrown.getStackTrace()) System.err.println("    at " + frame);
            return false;
        }
        if (event.exception() != null) {
            System.err.println(event.exception().getMessage());
            return false;
        }
        if (event.status() == Snippet.Status.REJECTED) {
            shell.diagnostics(event.snippet()).forEach(d -> System.err.println(d.getMessage(Locale.ROOT)));
            return false;
        }
        var shown = event.snippet().kind() == Snippet.Kind.EXPRESSION
            || event.snippet() instanceof VarSnippet var && var.subKind() == Snippet.SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
        if (shown && event.value() != null && !event.value().isEmpty()) System.out.println(event.value());
        return true;
    }
}
