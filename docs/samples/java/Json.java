import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON (RFC 8259) as maps, lists, strings, longs, booleans and null. Leave it out where you have a library. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if it is no JSON object. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) {
        try {
            return (Map<String, Object>) new Json(text).value();
        } catch (ClassCastException | IndexOutOfBoundsException | NumberFormatException failure) {
            throw new IllegalArgumentException("no JSON object", failure);
        }
    }

    static String write(Object value) {
        if (value instanceof Map<?, ?> map) {
            var members = new ArrayList<String>();
            map.forEach((name, member) -> members.add(write(name) + ":" + write(member)));
            return "{" + String.join(",", members) + "}";
        }
        return value instanceof String string ? quote(string) : String.valueOf(value);
    }

    private static String quote(String string) {
        var quoted = new StringBuilder("\"");
        string.chars().forEach(unit -> quoted.append(
            unit < 0x20 || unit == '"' || unit == '\\' ? String.format("\\u%04x", unit) : (char) unit + ""));
        return quoted.append('"').toString();
    }

    private Object value() {
        skipSpace();
        switch (text.charAt(at)) {
            case '{':
                var map = new LinkedHashMap<String, Object>();
                for (at++; !isNext('}'); isNext(',')) {
                    var name = (String) value();
                    if (!isNext(':')) throw new IllegalArgumentException("no colon");
                    map.put(name, value());
                }
                return map;
            case '[':
                List<Object> list = new ArrayList<>();
                for (at++; !isNext(']'); isNext(',')) list.add(value());
                return list;
            case '"':
                return string();
            default:
                var begin = at;
                while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
                var word = text.substring(begin, at);
                return switch (word) {
                    case "true", "false" -> Boolean.valueOf(word);
                    case "null" -> null;
                    default -> Double.valueOf(word).longValue();
                };
        }
    }

    private String string() {
        var string = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            if (text.charAt(at) != '\\') {
                string.append(text.charAt(at));
                continue;
            }
            var escaped = text.charAt(++at);
            if (escaped == 'u') {
                string.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                var plain = "bfnrt".indexOf(escaped);
                string.append(plain < 0 ? escaped : "\b\f\n\r\t".charAt(plain));
            }
        }
        at++;
        return string.toString();
    }

    private boolean isNext(char wanted) {
        skipSpace();
        if (text.charAt(at) != wanted) return false;
        at++;
        return true;
    }

    private void skipSpace() {
        while (Character.isWhitespace(text.charAt(at))) at++;
    }
}
