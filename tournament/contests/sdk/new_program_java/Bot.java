import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/**
 * {name}: {manner}.
 *
 * Written by `tournament new`; make it yours. It reads decisions, a line of JSON each, and writes answers. Every match
 * starts it anew, and what it keeps in its variables lasts as long as the match.
 */
class Bot {
    /** The answer to a decision, as JSON; null if it only tells something. */
    static String answer(String decision, String told) {
        switch (decision) {
            // {functions}
            default:
                return null;
        }
    }

    /**
     * The JSON text of a value that is told by name: a number, a text in its quotes, or a list in its brackets; "" for
     * none. Java's own library has no JSON.
     */
    static String value(String told, String key) {
        int at = told.indexOf("\"" + key + "\":");
        if (at < 0) {
            return "";
        }
        return first(told.substring(at + key.length() + 3));
    }

    /** The JSON text of the first value of several, up to a comma or a bracket that follows it. */
    static String first(String values) {
        String rest = values.trim();
        int depth = 0;
        boolean quoted = false;
        for (int place = 0; place < rest.length(); place++) {
            char c = rest.charAt(place);
            if (quoted && c == '\\') {
                place++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && depth == 0 && (c == ',' || c == '}' || c == ']')) {
                return rest.substring(0, place).trim();
            } else if (!quoted) {
                depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
            }
        }
        return rest;
    }

    /** The first value of a list. */
    static String first(String told, String key) {
        return first(value(told, key).substring(1));
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        in.readLine(); // the number of sessions
        for (String line; (line = in.readLine()) != null && line.startsWith("{"); ) { // SCORE: the match is over
            String chosen = answer(value(line, "decision").replace("\"", ""), line);
            if (chosen != null) {
                System.out.println("ACTION " + chosen);
            }
        }
    }
}
