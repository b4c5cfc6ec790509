// Crypto: randomness, digests, authenticated encryption, password hashes, signatures, passkeys, and what is built on them.
//
// Owns: every call into OpenSSL, libsodium, zxcvbn, libfido2 and libqrencode, and the formats: PEM and PKCS#8, JWK, JWS
// and JWT, sealed values, opaque tokens. No algorithm is implemented here.
// Must not know: what a team, client, code or session is, where keys are stored, the current time, HTTP.
// Standards: FIPS 180-4, RFC 2104 (HMAC), RFC 5869 (HKDF), NIST SP 800-38D (AES-GCM), RFC 9106 (Argon2id), RFC 8017,
// FIPS 186-5 (ECDSA), RFC 5958 and RFC 7468 (PKCS#8, PEM), RFC 4226 and RFC 6238 (one-time codes), RFC 7515, 7517, 7518,
// 7519 and 7638 (JOSE), Web Authentication Level 3.
