// Certificates of a server that may be changed while it runs: GnuTLS asks for one with every handshake.
#ifndef PIPPIN_CMICROHTTPD_TLS_H
#define PIPPIN_CMICROHTTPD_TLS_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

// TLS 1.2 and 1.3 with forward secrecy and authenticated encryption, as RFC 9325 sections 3.1 and 4.2 ask for: no key
// exchange by RSA, no CBC, no SHA-1.
#define PIPPIN_TLS_PRIORITIES \
    "NONE:+VERS-TLS1.3:+VERS-TLS1.2:+ECDHE-ECDSA:+ECDHE-RSA:+AES-256-GCM:+AES-128-GCM:+CHACHA20-POLY1305:+AEAD" \
    ":+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+GROUP-SECP521R1:+COMP-NULL:+CTYPE-SRV-X509" \
    ":+SIGN-ECDSA-SECP256R1-SHA256:+SIGN-ECDSA-SECP384R1-SHA384:+SIGN-ECDSA-SECP521R1-SHA512:+SIGN-EDDSA-ED25519" \
    ":+SIGN-ECDSA-SHA256:+SIGN-ECDSA-SHA384:+SIGN-ECDSA-SHA512" \
    ":+SIGN-RSA-PSS-RSAE-SHA256:+SIGN-RSA-PSS-RSAE-SHA384:+SIGN-RSA-PSS-RSAE-SHA512" \
    ":+SIGN-RSA-SHA256:+SIGN-RSA-SHA384:+SIGN-RSA-SHA512:%SERVER_PRECEDENCE"

// A chain of certificates, the server's own first, and its private key.
struct pippin_tls_credential {
    gnutls_pcert_st chain[16];
    unsigned int count;
    gnutls_privkey_t _Nullable key;
};

static inline void pippin_tls_free(struct pippin_tls_credential *_Nonnull credential) {
    for (unsigned int index = 0; index < credential->count; index++) {
        gnutls_pcert_deinit(&credential->chain[index]);
    }
    if (credential->key) gnutls_privkey_deinit(credential->key);
    free(credential);
}

// Whether the private key is that of the first certificate.
static inline int pippin_tls_belongs(const struct pippin_tls_credential *_Nonnull credential) {
    unsigned char named[64], held[64];
    size_t named_size = sizeof named, held_size = sizeof held;
    gnutls_pubkey_t public;
    if (gnutls_pubkey_init(&public) != 0) return 0;
    int same = gnutls_pubkey_import_privkey(public, credential->key, 0, 0) == 0
        && gnutls_pubkey_get_key_id(public, 0, held, &held_size) == 0
        && gnutls_pubkey_get_key_id(credential->chain[0].pubkey, 0, named, &named_size) == 0
        && named_size == held_size && memcmp(named, held, held_size) == 0;
    gnutls_pubkey_deinit(public);
    return same;
}

// Reads both from PEM; null when either is none or they do not belong together.
static inline struct pippin_tls_credential *_Nullable pippin_tls_read(
    const char *_Nonnull certificate, const char *_Nonnull key) {
    struct pippin_tls_credential *credential = calloc(1, sizeof *credential);
    if (!credential) return NULL;
    gnutls_datum_t chain_text = { (unsigned char *) certificate, (unsigned int) strlen(certificate) };
    gnutls_datum_t key_text = { (unsigned char *) key, (unsigned int) strlen(key) };
    unsigned int count = sizeof credential->chain / sizeof *credential->chain;
    if (gnutls_pcert_list_import_x509_raw(
            credential->chain, &count, &chain_text, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_SORT) == 0) {
        credential->count = count;
    }
    if (credential->count > 0 && gnutls_privkey_init(&credential->key) == 0
        && gnutls_privkey_import_x509_raw(credential->key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0) == 0
        && pippin_tls_belongs(credential)) {
        return credential;
    }
    pippin_tls_free(credential);
    return NULL;
}

// Has a connection that was just made prove itself with the credential, which must outlive it.
static inline void pippin_tls_use(
    struct MHD_Connection *_Nonnull connection, struct pippin_tls_credential *_Nonnull credential) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    // Sessions are not kept on this side, so the place for their store is free.
    if (info && info->tls_session) gnutls_db_set_ptr((gnutls_session_t) info->tls_session, credential);
}

// What GnuTLS asks for a credential; it stays its owner's.
static inline int pippin_tls_retrieve(
    gnutls_session_t session, const gnutls_datum_t *issuers, int issuer_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **chain,
    unsigned int *chain_count, gnutls_privkey_t *key) {
    (void) issuers;
    (void) issuer_count;
    (void) algorithms;
    (void) algorithm_count;
    struct pippin_tls_credential *credential = gnutls_db_get_ptr(session);
    if (!credential) return -1;
    *chain = credential->chain;
    *chain_count = credential->count;
    *key = credential->key;
    return 0;
}

#endif
