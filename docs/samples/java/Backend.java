import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/** A backend that signs people in through Pippin, in Java 17 with what the JDK has. See README.md. */
public final class Backend {
    private static final String[][] NEEDED = {
        {"BASE_URL", "your team's base at Pippin, such as https://id.example.com/t/ACMETEAM01"},
        {"TEAM_ID", "your Team ID at Pippin"},
        {"CLIENT_ID", "the identifier of a Service ID"},
        {"KEY_ID", "the Key ID of a key that Pippin issued"},
        {"KEY_FILE", "the path of its file, AuthKey_<KEY_ID>.p8"},
        {"ORIGIN", "where people reach this server; ORIGIN/callback is a return URL of the Service ID"},
    };
    private static final String BASE_URL = env("BASE_URL", ""), ORIGIN = env("ORIGIN", ""),
        CLIENT_ID = env("CLIENT_ID", ""), BUNDLE_ID = env("BUNDLE_ID", "");
    private static final long CHECK_SECONDS = Long.parseLong(env("CHECK_SECONDS", "86400"));
    private final Pippin pippin;
    private final Store store;
    private final String page;

    private Backend() throws IOException, GeneralSecurityException {
        var key = Files.readString(Path.of(env("KEY_FILE", "")));
        pippin = new Pippin(BASE_URL, env("TEAM_ID", ""), env("KEY_ID", ""), key);
        page = Files.readString(Path.of("../page.html"));
        store = new Store(Path.of(env("DATA_FILE", "people.json")));
    }

    public static void main(String[] arguments) {
        var missing = new StringBuilder();
        for (var one : NEEDED) if (env(one[0], "").isEmpty()) missing.append("\n  ").append(String.join(": ", one));
        if (!missing.isEmpty()) quit("Set these environment variables:" + missing);
        try {
            new Backend().start();
        } catch (IOException | GeneralSecurityException | IllegalArgumentException failure) {
            quit("Cannot read KEY_FILE, " + env("KEY_FILE", "") + ", or page.html, or listen: " + failure);
        }
    }

    private void start() throws IOException {
        finishSignOuts();
        int port = Integer.parseInt(env("PORT", "9000"));
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", exchange -> new Visit(exchange).answer());
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        System.out.println("Listening on http://127.0.0.1:" + port + " for " + ORIGIN);
    }

    private static String env(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }

    private static void quit(String reason) {
        System.err.println(reason);
        System.exit(1);
    }

    /** One call per token. A call that fails is repeated at the next sign-out and the next start. */
    private void finishSignOuts() {
        store.sessions().forEach((key, session) -> {
            if (!session.ended()) return;
            var form = Map.of("sub", session.sub(), "refresh_token", session.refreshToken());
            try {
                pippin.call("sign-out", session.clientID(), form);
                store.end(key);
            } catch (Pippin.Problem problem) {
                System.err.println("A sign-out waits: " + problem.getMessage());
            }
        });
    }

    /** Checks with Pippin, once a day, that the user still uses this app. */
    private void check(String key, Store.Session session) {
        var form = Map.of("grant_type", "refresh_token", "refresh_token", session.refreshToken());
        try {
            pippin.call("token", session.clientID(), form);
            store.goesOn(key);
        } catch (Pippin.Problem problem) {
            // Other failures do not sign the user out.
            if (!problem.getMessage().equals("invalid_grant")) return;
            store.end(key);
            throw new Pippin.Problem(401, "signed_out");
        }
    }

    /** A request, and its answer. */
    private final class Visit {
        private final HttpExchange exchange;
        private final Map<String, String> form, cookies = new HashMap<>();
        // What this browser began: the state and nonce that went along to Pippin, and the challenge of an Android app.
        private final String state, nonce, challenge;

        Visit(HttpExchange exchange) throws IOException {
            this.exchange = exchange;
            var body = new String(exchange.getRequestBody().readNBytes(65_536), StandardCharsets.UTF_8);
            form = Pippin.decode(body.isEmpty() ? exchange.getRequestURI().getRawQuery() : body, "&");
            for (var line : exchange.getRequestHeaders().getOrDefault("Cookie", List.of())) {
                cookies.putAll(Pippin.decode(line, "; "));
            }
            var attempt = (cookies.getOrDefault("attempt", "") + ". . ").split("\\.", 4);
            state = attempt[0].strip();
            nonce = attempt[1].strip();
            challenge = attempt[2].strip();
        }

        void answer() throws IOException {
            var path = exchange.getRequestURI().getPath();
            try {
                switch (exchange.getRequestMethod() + " " + path) {
                    case "GET /" -> send(200, "text/html", page);
                    case "GET /sign-in" -> signIn();
                    case "POST /callback" -> callback();
                    case "POST /native" -> fromDevice();
                    case "GET /me" -> send(200, store.person(session().getValue().sub()));
                    case "POST /sign-out" -> signOut();
                    case "POST /delete-account" -> deleteAccount();
                    default -> throw new Pippin.Problem(404, "not_found");
                }
            } catch (Pippin.Problem problem) {
                if (path.equals("/callback")) redirect("/?" + Pippin.encode(Map.of("error", problem.getMessage())));
                else send(problem.status, Map.of("error", problem.getMessage()));
            } finally {
                exchange.close();
            }
        }

        private void signIn() throws IOException {
            String state = Store.random(), nonce = Store.random();
            var query = Pippin.encode(Map.of(
                "client_id", CLIENT_ID, "redirect_uri", ORIGIN + "/callback", "response_type", "code id_token",
                "response_mode", "form_post", "scope", "name email", "state", state, "nonce", nonce));
            var challenge = Pippin.encode(Map.of("", form.getOrDefault("challenge", ""))).substring(1);
            // The answer is a POST from another site: browsers add no cookie to it but one that is SameSite=None.
            cookie("attempt", state + "." + nonce + "." + challenge, 1800, "None");
            redirect(BASE_URL + "/auth/authorize?" + query);
        }

        private void callback() throws IOException {
            // Else a link could sign people in as its sender. Constant time: no value is found letter by letter.
            if (state.isEmpty() || !MessageDigest.isEqual(field("state").getBytes(), state.getBytes())) {
                throw new Pippin.Problem(403, "other_browser");
            }
            if (form.containsKey("error")) throw new Pippin.Problem(400, form.get("error"));
            var claims = pippin.verify(field("id_token"), CLIENT_ID, nonce);
            // Before the code is spent, which can fail: the name does not come again.
            store.remember(claims, form.containsKey("user") ? Json.object(form.get("user")) : Map.of());
            var tokens = pippin.call("token", CLIENT_ID, Map.of(
                "grant_type", "authorization_code", "code", field("code"), "redirect_uri", ORIGIN + "/callback"));
            var sub = pippin.verify((String) tokens.get("id_token"), CLIENT_ID, nonce).get("sub");
            if (!sub.equals(claims.get("sub"))) throw new Pippin.Problem(400, "bad_token");
            var session = store.begin((String) sub, CLIENT_ID, (String) tokens.get("refresh_token"), challenge);
            // An app's session goes by the page and opens nothing without the app's secret; a browser's is a cookie.
            if (challenge.isEmpty()) cookie("session", session, 31_536_000, "Lax");
            redirect(challenge.isEmpty() ? "/" : "/?session=" + session);
        }

        /** What Apple's own sheet gave an iOS app, which keeps the name until this has answered 200. */
        @SuppressWarnings("unchecked")
        private void fromDevice() throws IOException {
            var tokens = pippin.call("native", BUNDLE_ID, form);
            var claims = pippin.verify((String) tokens.get("id_token"), BUNDLE_ID, null);
            store.remember(claims, (Map<String, Object>) tokens.getOrDefault("user", Map.of()));
            var token = (String) tokens.get("refresh_token");
            send(200, Map.of("session", store.begin((String) claims.get("sub"), BUNDLE_ID, token, "")));
        }

        /** The session of a request: a cookie from a browser, a Bearer token from an app, on Android with a secret. */
        private Map.Entry<String, Store.Session> session() {
            var bearer = exchange.getRequestHeaders().getFirst("Authorization");
            var token = bearer == null ? cookies.getOrDefault("session", "") : bearer.replaceFirst("^Bearer ", "");
            var parts = token.split("\\.", 2);
            var key = Store.digest(parts[0] + (parts.length > 1 ? Store.digest(parts[1]) : ""));
            var session = store.sessions().get(key);
            if (session == null || session.ended()) throw new Pippin.Problem(401, "signed_out");
            if (Instant.now().getEpochSecond() - session.checked() >= CHECK_SECONDS) check(key, session);
            return Map.entry(key, session);
        }

        /** Signs out here at once, whatever Pippin answers; with `everywhere`, on the user's other devices too. */
        private void signOut() throws IOException {
            var own = session();
            store.sessions().forEach((key, session) -> {
                var isMeant = form.containsKey("everywhere") && session.sub().equals(own.getValue().sub());
                if (isMeant || key.equals(own.getKey())) store.put(key, session.ending());
            });
            finishSignOuts();
            cookie("session", "", 0, "Lax");
            send(200, Map.of());
        }

        /** Pippin first: it revokes every token, Apple's too, and answers a repeat with the same receipt. */
        private void deleteAccount() throws IOException {
            var session = session().getValue();
            Map<String, Object> receipt = Map.of();
            try {
                receipt = pippin.call("delete-account", session.clientID(), Map.of("sub", session.sub()));
            } catch (Pippin.Problem problem) {
                // Of invalid_request: Pippin does not know them any more, since they stopped using the app.
                if (!problem.getMessage().equals("invalid_request")) throw problem;
            }
            store.forget(session.sub());
            cookie("session", "", 0, "Lax");
            send(200, Map.of("receipt_url", receipt.getOrDefault("receipt_url", "")));
        }

        /** With Lax, no form on another site can sign a user out or delete an account. */
        private void cookie(String name, String value, int age, String sameSite) {
            exchange.getResponseHeaders().add("Set-Cookie", name + "=" + value + "; Path=/; Max-Age=" + age
                + "; HttpOnly; Secure; SameSite=" + sameSite);
        }

        private void redirect(String location) throws IOException {
            exchange.getResponseHeaders().set("Location", location);
            send(303, Map.of());
        }

        private void send(int status, Map<String, ?> answer) throws IOException {
            send(status, "application/json", Json.write(answer));
        }

        private void send(int status, String kind, String answer) throws IOException {
            var bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().putAll(Map.of(
                "Content-Type", List.of(kind + "; charset=utf-8"), "Cache-Control", List.of("no-store")));
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }

        private String field(String name) {
            return form.getOrDefault(name, "");
        }
    }
}
