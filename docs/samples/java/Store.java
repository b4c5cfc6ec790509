import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;

/** What the backend stores, in one file that is never half-written. */
final class Store {
    private static final SecureRandom RANDOM = new SecureRandom();
    private final Path file;
    // Users by `sub`, and sessions by the hash of their id, so that a copy of the file signs no one in.
    private final Map<String, Map<String, Object>> people = new HashMap<>(), sessions = new HashMap<>();

    /** Our own session, as long as we like, with Pippin's refresh token beside it. */
    record Session(String sub, String clientID, String refreshToken, long checked, boolean ended) {
        static Session of(Map<String, Object> kept) {
            return new Session((String) kept.get("sub"), (String) kept.get("client_id"),
                (String) kept.get("refresh_token"), (long) kept.get("checked"), (boolean) kept.get("ended"));
        }

        Map<String, Object> kept() {
            return Map.of("sub", sub, "client_id", clientID, "refresh_token", refreshToken, "checked", checked,
                "ended", ended);
        }

        Session ending() {
            return new Session(sub, clientID, refreshToken, checked, true);
        }
    }

    @SuppressWarnings("unchecked")
    Store(Path file) throws IOException {
        this.file = file;
        if (!Files.exists(file)) return;
        var data = Json.object(Files.readString(file));
        people.putAll((Map<String, Map<String, Object>>) data.get("people"));
        sessions.putAll((Map<String, Map<String, Object>>) data.get("sessions"));
    }

    /** Stores a user and, in the same write, the name that comes once in the life of an account. */
    synchronized void remember(Map<String, Object> claims, Map<String, Object> user) {
        // The key is `sub`, never the email address: it may be a relay's, it changes, and two people may share one. It
        // is taken from the signed claims. The name is not signed: display it, never decide by it.
        var person = people.computeIfAbsent((String) claims.get("sub"), sub -> new HashMap<>());
        if (user.get("name") instanceof Map<?, ?> name) {
            keep(person, "first_name", name.get("firstName"));
            keep(person, "last_name", name.get("lastName"));
        }
        keep(person, "email", claims.get("email"));
        save();
    }

    private static void keep(Map<String, Object> person, String field, Object value) {
        if (value instanceof String text && !text.isEmpty()) {
            person.put(field, text.substring(0, Math.min(text.length(), 254)));
        }
    }

    /** What is known of a person, with their `sub`. */
    synchronized Map<String, Object> person(String sub) {
        var person = new HashMap<>(people.getOrDefault(sub, Map.of()));
        person.put("sub", sub);
        return person;
    }

    synchronized String begin(String sub, String clientID, String refreshToken, String challenge) {
        var id = random();
        put(digest(id + challenge), new Session(sub, clientID, refreshToken, Instant.now().getEpochSecond(), false));
        return id;
    }

    synchronized void put(String key, Session session) {
        sessions.put(key, session.kept());
        save();
    }

    /** Notes that a session goes on, unless it has ended meanwhile. */
    synchronized void goesOn(String key) {
        if (!sessions.containsKey(key)) return;
        var now = Session.of(sessions.get(key));
        put(key, new Session(
            now.sub(), now.clientID(), now.refreshToken(), Instant.now().getEpochSecond(), now.ended()));
    }

    synchronized void end(String key) {
        sessions.remove(key);
        save();
    }

    synchronized Map<String, Session> sessions() {
        var all = new HashMap<String, Session>();
        sessions.forEach((key, kept) -> all.put(key, Session.of(kept)));
        return all;
    }

    synchronized void forget(String sub) {
        people.remove(sub);
        sessions.values().removeIf(kept -> kept.get("sub").equals(sub));
        save();
    }

    private void save() {
        var text = Json.write(Map.of("people", people, "sessions", sessions));
        var fresh = file.resolveSibling(file.getFileName() + ".new");
        var options = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            try (var channel = FileChannel.open(fresh, options, owner)) {
                channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
                channel.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static String random() {
        var bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Pippin.base64(bytes);
    }

    static String digest(String text) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
