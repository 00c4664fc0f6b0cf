// JSON values: read from a line, and written to one. Nothing but the standard library is needed.

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value: null, Boolean, Double, String, List of Json, or Map of Json in its order. */
final class Json {
    static final Json NULL = new Json(null);
    private static final int DEEPEST = 100; // objects and lists inside each other; messages have fewer than ten

    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    static Json of(boolean flag) {
        return new Json(flag);
    }

    /** A number: exact for whole numbers up to 2^53, as all ids are. */
    static Json of(double number) {
        return new Json(number);
    }

    static Json of(long number) {
        return new Json((double) number);
    }

    static Json of(String text) {
        return new Json(text);
    }

    static Json listOf() {
        return new Json(new ArrayList<Json>());
    }

    static Json listOf(List<Json> items) {
        return new Json(items);
    }

    static Json objectOf() {
        return new Json(new LinkedHashMap<String, Json>());
    }

    /** Reads one value; IllegalArgumentException says what is wrong and at which letter. */
    static Json parse(String line) {
        Reader reader = new Reader(line);
        Json found = reader.value(0);
        reader.skipSpace();
        if (reader.at < line.length()) {
            throw reader.wrong("the end");
        }
        return found;
    }

    boolean isNull() {
        return value == null;
    }

    /** The value of a key of an object. */
    Json get(String key) {
        Json found = map().get(key);
        if (found == null) {
            throw new IllegalArgumentException("no key " + key);
        }
        return found;
    }

    boolean has(String key) {
        return map().containsKey(key);
    }

    /** An item of a list, from 0. */
    Json at(int place) {
        if (place >= list().size()) {
            throw new IllegalArgumentException("no item " + place);
        }
        return list().get(place);
    }

    @SuppressWarnings("unchecked")
    List<Json> list() {
        if (value instanceof List) {
            return (List<Json>) value;
        }
        throw isNo("list");
    }

    @SuppressWarnings("unchecked")
    Map<String, Json> map() {
        if (value instanceof Map) {
            return (Map<String, Json>) value;
        }
        throw isNo("object");
    }

    Json object() {
        map();
        return this;
    }

    String text() {
        if (value instanceof String text) {
            return text;
        }
        throw isNo("text");
    }

    double number() {
        if (value instanceof Double number) {
            return number;
        }
        throw isNo("number");
    }

    long integer() {
        double number = number();
        if (number != Math.rint(number)) {
            throw isNo("whole number");
        }
        return (long) number;
    }

    boolean flag() {
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw isNo("true or false");
    }

    void add(Json item) {
        list().add(item);
    }

    void put(String key, Json item) {
        map().put(key, item);
    }

    /** The value in one line. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        write(out);
        return out.toString();
    }

    private IllegalArgumentException isNo(String kind) {
        return new IllegalArgumentException("no " + kind + ": " + this);
    }

    private void write(StringBuilder out) {
        if (value instanceof String text) {
            writeText(out, text);
        } else if (value instanceof Double number) {
            writeNumber(out, number);
        } else if (value instanceof List) {
            String between = "[";
            for (Json item : list()) {
                item.write(out.append(between));
                between = ", ";
            }
            out.append(list().isEmpty() ? "[]" : "]");
        } else if (value instanceof Map) {
            String between = "{";
            for (Map.Entry<String, Json> pair : map().entrySet()) {
                writeText(out.append(between), pair.getKey());
                pair.getValue().write(out.append(": "));
                between = ", ";
            }
            out.append(map().isEmpty() ? "{}" : "}");
        } else {
            out.append(value);
        }
    }

    private static void writeNumber(StringBuilder out, double number) {
        if (number == Math.rint(number) && Math.abs(number) <= 1L << 53) {
            out.append((long) number);
        } else if (Double.isNaN(number) || Double.isInfinite(number)) {
            out.append("null"); // JSON has no infinity
        } else {
            out.append(number);
        }
    }

    private static void writeText(StringBuilder out, String text) {
        out.append('"');
        for (int place = 0; place < text.length(); place++) {
            char letter = text.charAt(place);
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < 0x20 || Character.isSurrogate(letter)) {
                String code = Integer.toHexString(letter);
                out.append("\\u").append("0".repeat(4 - code.length())).append(code);
            } else {
                out.append(letter);
            }
        }
        out.append('"');
    }

    private static final class Reader {
        private final String from;
        private int at = 0;

        Reader(String from) {
            this.from = from;
        }

        IllegalArgumentException wrong(String wanted) {
            return new IllegalArgumentException("JSON: " + wanted + " is needed at letter " + at);
        }

        void skipSpace() {
            while (at < from.length() && " \t\r\n".indexOf(from.charAt(at)) >= 0) {
                at++;
            }
        }

        private char next() {
            return at < from.length() ? from.charAt(at) : '\0';
        }

        private boolean takes(char letter) {
            skipSpace();
            boolean isNext = next() == letter;
            at += isNext ? 1 : 0;
            return isNext;
        }

        private boolean takesWord(String word) {
            boolean isNext = from.startsWith(word, at);
            at += isNext ? word.length() : 0;
            return isNext;
        }

        Json value(int depth) {
            skipSpace();
            if (depth > DEEPEST) {
                throw wrong("fewer levels");
            }
            if (next() == '{') {
                return object(depth);
            }
            if (next() == '[') {
                return list(depth);
            }
            if (next() == '"') {
                return of(text());
            }
            if (takesWord("null")) {
                return NULL;
            }
            if (takesWord("true")) {
                return of(true);
            }
            return takesWord("false") ? of(false) : number();
        }

        private Json object(int depth) {
            Json found = objectOf();
            at++;
            if (takes('}')) {
                return found;
            }
            do {
                skipSpace();
                String key = text();
                if (!takes(':')) {
                    throw wrong(":");
                }
                found.put(key, value(depth + 1));
            } while (takes(','));
            if (!takes('}')) {
                throw wrong(", or }");
            }
            return found;
        }

        private Json list(int depth) {
            Json found = listOf();
            at++;
            if (takes(']')) {
                return found;
            }
            do {
                found.add(value(depth + 1));
            } while (takes(','));
            if (!takes(']')) {
                throw wrong(", or ]");
            }
            return found;
        }

        private String text() {
            if (next() != '"') {
                throw wrong("a text");
            }
            StringBuilder found = new StringBuilder();
            for (at++; next() != '"'; at++) {
                if (at >= from.length()) {
                    throw wrong("\"");
                }
                found.append(next() == '\\' ? escaped() : next());
            }
            at++;
            return found.toString();
        }

        /** The letter of an escape; `at` is then at its last letter. */
        private char escaped() {
            at++;
            int place = "\"\\/bfnrt".indexOf(next());
            if (place >= 0 && at < from.length()) {
                return "\"\\/\b\f\n\r\t".charAt(place);
            }
            if (next() != 'u' || at + 4 >= from.length()) {
                throw wrong("an escape");
            }
            at += 4;
            return (char) Integer.parseInt(from.substring(at - 3, at + 1), 16); // half of a pair is a char of its own
        }

        private Json number() {
            int start = at;
            while (at < from.length() && "+-.eE0123456789".indexOf(from.charAt(at)) >= 0) {
                at++;
            }
            try {
                return of(Double.parseDouble(from.substring(start, at)));
            } catch (NumberFormatException error) {
                throw wrong("a value");
            }
        }
    }
}
