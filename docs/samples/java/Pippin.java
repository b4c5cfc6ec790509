import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls to Pippin, and the verification of its tokens. */
final class Pippin {
    private final String base, teamID, keyID;
    private final PrivateKey privateKey;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();
    private final Map<String, PublicKey> keys = new HashMap<>();
    private Instant keysFetched = Instant.EPOCH;

    /** Why a request fails: a status, and a word that page.html and the apps have a sentence for. */
    static final class Problem extends RuntimeException {
        final int status;

        Problem(int status, String word) {
            super(word);
            this.status = status;
        }
    }

    Pippin(String base, String teamID, String keyID, String pem) throws GeneralSecurityException {
        this.base = base;
        this.teamID = teamID;
        this.keyID = keyID;
        var der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        privateKey = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    }

    /** Calls Pippin. 400 is a refusal; any other failure is temporary. */
    Map<String, Object> call(String path, String clientID, Map<String, String> form) {
        var fields = new HashMap<>(form);
        fields.put("client_id", clientID);
        fields.put("client_secret", clientSecret(clientID));
        return send(HttpRequest.newBuilder(URI.create(base + "/auth/" + path))
            .header("Content-Type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(encode(fields))));
    }

    private Map<String, Object> send(HttpRequest.Builder request) {
        try {
            var answer = client.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
            if (answer.statusCode() == 400) throw new Problem(400, (String) Json.object(answer.body()).get("error"));
            if (answer.statusCode() >= 300) throw new Problem(503, "try_later");
            return answer.body().isEmpty() ? Map.of() : Json.object(answer.body());
        } catch (IOException | InterruptedException | IllegalArgumentException failure) {
            throw new Problem(503, "try_later");
        }
    }

    /** Made anew for each call: then none is ever too old. */
    private String clientSecret(String clientID) {
        var now = Instant.now().getEpochSecond();
        Map<String, Object> claims = Map.of("iss", teamID, "sub", clientID, "aud", base, "iat", now, "exp", now + 300);
        var text = base64(Json.write(Map.of("alg", "ES256", "kid", keyID)).getBytes(StandardCharsets.UTF_8)) + "."
            + base64(Json.write(claims).getBytes(StandardCharsets.UTF_8));
        try {
            // P1363: a JWT has the two numbers side by side (RFC 7518 section 3.4), not the usual DER.
            var signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(privateKey);
            signature.update(text.getBytes(StandardCharsets.US_ASCII));
            return text + "." + base64(signature.sign());
        } catch (GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The claims of an identity token that Pippin signed for this client and, by its nonce, for this very sign-in. */
    Map<String, Object> verify(String token, String audience, String nonce) {
        try {
            var parts = token.split("\\.");
            var head = Json.object(text(parts[0]));
            var key = "RS256".equals(head.get("alg")) ? key((String) head.get("kid")) : null;
            var signature = Signature.getInstance("SHA256withRSA");
            signature.initVerify(key);
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            var isSigned = signature.verify(Base64.getUrlDecoder().decode(parts[2]));
            var claims = isSigned ? Json.object(text(parts[1])) : Map.<String, Object>of();
            if (base.equals(claims.get("iss")) && audience.equals(claims.get("aud")) && claims.get("sub") != null
                && (long) claims.get("exp") > Instant.now().getEpochSecond()
                && (nonce == null || nonce.equals(claims.get("nonce")))) return claims;
        } catch (GeneralSecurityException | RuntimeException failure) {
            if (failure instanceof Problem problem) throw problem;
        }
        throw new Problem(400, "bad_token");
    }

    /** A key by its kid. For an unknown one the set is fetched again, once a minute at most. */
    @SuppressWarnings("unchecked")
    private synchronized PublicKey key(String kid) throws GeneralSecurityException {
        if (!keys.containsKey(kid) && keysFetched.isBefore(Instant.now().minusSeconds(60))) {
            var answer = send(HttpRequest.newBuilder(URI.create(base + "/auth/keys")));
            for (var jwk : (List<Map<String, String>>) answer.get("keys")) {
                var spec = new RSAPublicKeySpec(number(jwk.get("n")), number(jwk.get("e")));
                keys.put(jwk.get("kid"), KeyFactory.getInstance("RSA").generatePublic(spec));
            }
            keysFetched = Instant.now();
        }
        return keys.get(kid);
    }

    static String encode(Map<String, String> fields) {
        var pairs = new ArrayList<String>();
        fields.forEach((name, value) -> pairs.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return String.join("&", pairs);
    }

    static Map<String, String> decode(String text, String separator) {
        var fields = new HashMap<String, String>();
        for (var pair : (text == null ? "" : text).split(separator)) {
            var parts = pair.split("=", 2);
            if (parts.length == 2) fields.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return fields;
    }

    static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static BigInteger number(String text) {
        return new BigInteger(1, Base64.getUrlDecoder().decode(text));
    }

    private static String text(String part) {
        return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }
}
